#include "search/checkpoints.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstdint>
#include <string>

#include "base/error.h"

namespace umf {
namespace {

[[noreturn]] void refuse(std::string_view ratio, const char* why) {
  throw Error(fmt::format(
      "'{}' is no ratio of masks left: {}. Ratios are written as in 0.9,0.5,0.25", ratio, why));
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Decimal digits to thousandths without a detour over binary fractions.
int parse_ratio(std::string_view text) {
  const std::size_t point = text.find('.');
  const std::string_view whole = text.substr(0, point);
  std::string decimals(point == std::string_view::npos ? "" : text.substr(point + 1));
  if (whole.empty() && decimals.empty()) refuse(text, "there are no digits");
  for (const char c : std::string(whole) + decimals) {
    if (!is_digit(c)) refuse(text, "it is not a decimal number");
  }
  if (decimals.size() > 3) refuse(text, "it has more than three decimals");
  if (whole.find_first_not_of('0') != std::string_view::npos) refuse(text, "it must be below 1");
  decimals.resize(3, '0');
  const int thousandths = std::stoi(decimals);
  if (thousandths == 0) refuse(text, "it must be above 0");
  return thousandths;
}

}  // namespace

std::vector<int> parse_ratios(std::string_view text) {
  std::vector<int> ratios;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    const std::string_view ratio = text.substr(begin, end - begin);
    ratios.push_back(parse_ratio(ratio));
    if (ratios.size() > 1 && ratios.back() >= ratios[ratios.size() - 2]) {
      refuse(ratio, "it must be below the one before");
    }
    begin = end + 1;
  }
  return ratios;
}

std::vector<int> checkpoint_targets(int window, std::span<const int> ratios_in_thousandths,
                                    int block_length) {
  const bool blocks = block_length > 0 && block_length < window;
  std::vector<int> targets;
  int before = window;
  for (const int ratio : ratios_in_thousandths) {
    int masks = static_cast<int>(std::int64_t{ratio} * window / 1000);
    if (blocks) masks -= masks % block_length;  // no block is open at multiples of its length
    if (masks <= 0 || masks >= before) continue;
    targets.push_back(masks);
    before = masks;
  }
  return targets;
}

int next_target(std::span<const int> targets, int masks) {
  for (const int target : targets) {
    if (target < masks) return target;
  }
  return 0;
}

}  // namespace umf
