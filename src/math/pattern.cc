#include "math/pattern.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include <cassert>

#include "base/error.h"

namespace umf {
namespace {

// PCRE2's own limit starts anew at every place where a match may begin, so steps are counted here.
constexpr std::int64_t kStepLimit = 4'000'000;
constexpr std::uint32_t kHeapLimitKib = 64 << 10;

int count_step(pcre2_callout_block*, void* steps) {
  return --*static_cast<std::int64_t*>(steps) < 0 ? PCRE2_ERROR_MATCHLIMIT : 0;
}

}  // namespace

struct Pattern::Impl {
  pcre2_code* code = nullptr;
  ~Impl() { pcre2_code_free(code); }
};

std::string_view Pattern::Match::text(std::string_view subject, int group) const {
  const auto [from, to] = groups[static_cast<std::size_t>(group)];
  return from == kNone ? std::string_view() : subject.substr(from, to - from);
}

Pattern::Pattern(const std::string& pattern, Option option) : impl_(std::make_unique<Impl>()) {
  int error = 0;
  std::size_t where = 0;
  const std::uint32_t options = PCRE2_MATCH_INVALID_UTF | PCRE2_UTF | PCRE2_AUTO_CALLOUT |
                                (option == kDotAll ? PCRE2_DOTALL : 0);
  impl_->code = pcre2_compile(reinterpret_cast<PCRE2_SPTR>(pattern.data()), pattern.size(), options,
                              &error, &where, nullptr);
  assert(impl_->code != nullptr && "the patterns are our own");
}
Pattern::~Pattern() = default;
Pattern::Pattern(Pattern&&) noexcept = default;

bool Pattern::has_group(const std::string& name) const {
  return pcre2_substring_number_from_name(impl_->code, reinterpret_cast<PCRE2_SPTR>(name.c_str())) >
         0;
}

int Pattern::group(const std::string& name) const {
  const int number =
      pcre2_substring_number_from_name(impl_->code, reinterpret_cast<PCRE2_SPTR>(name.c_str()));
  assert(number > 0);
  return number;
}

std::vector<Pattern::Match> Pattern::find_all(std::string_view text) const {
  using Data = std::unique_ptr<pcre2_match_data, decltype(&pcre2_match_data_free)>;
  using Context = std::unique_ptr<pcre2_match_context, decltype(&pcre2_match_context_free)>;
  const Data data(pcre2_match_data_create_from_pattern(impl_->code, nullptr),
                  &pcre2_match_data_free);
  const Context context(pcre2_match_context_create(nullptr), &pcre2_match_context_free);
  if (!data || !context) throw Error("there is no memory left to match a pattern");
  std::int64_t steps = kStepLimit;
  pcre2_set_callout(context.get(), count_step, &steps);
  pcre2_set_heap_limit(context.get(), kHeapLimitKib);
  std::vector<Match> matches;
  for (std::size_t from = 0; from <= text.size();) {
    const int found = pcre2_match(impl_->code, reinterpret_cast<PCRE2_SPTR>(text.data()),
                                  text.size(), from, 0, data.get(), context.get());
    if (found < 0) break;
    const std::size_t* ends = pcre2_get_ovector_pointer(data.get());
    Match match{ends[0], ends[1], {}};
    for (std::uint32_t g = 0; g < pcre2_get_ovector_count(data.get()); ++g) {
      const bool set = static_cast<int>(g) < found && ends[2 * g] != PCRE2_UNSET;
      match.groups.emplace_back(set ? ends[2 * g] : Match::kNone, set ? ends[2 * g + 1] : 0);
    }
    from = match.end > match.begin ? match.end : match.end + 1;
    matches.push_back(std::move(match));
  }
  return matches;
}

}  // namespace umf
