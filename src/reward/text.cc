// {"type": "text", "checks": [{"contains": TEXT} | {"equals": TEXT} | {"lacks": TEXT} |
//  {"longer-than": N}]}: the share of the checks that hold. Enough to steer a search without
//  running
// anything.
#include <fmt/core.h>

#include <nlohmann/json.hpp>

#include "base/error.h"
#include "reward/reward.h"

namespace umf {
namespace {

struct Check {
  std::string kind, text;
  std::uint64_t length = 0;

  bool holds(std::string_view answer) const {
    if (kind == "contains") return answer.find(text) != std::string_view::npos;
    if (kind == "lacks") return answer.find(text) == std::string_view::npos;
    if (kind == "equals") return answer == text;
    return answer.size() > length;
  }
};

Check parse_check(const Json& spec, const std::string& where) {
  if (spec.is_object() && spec.size() == 1) {
    const std::string& key = spec.begin().key();
    const Json& value = spec.begin().value();
    const bool text = key == "contains" || key == "lacks" || key == "equals";
    if (text && value.is_string()) return {key, value, 0};
    if (key == "longer-than" && value.is_number_unsigned()) return {key, "", value};
  }
  throw Error(fmt::format(
      "{}: a text check is one of contains, lacks, equals (with a string) or longer-than (with a "
      "number), not {}",
      where, spec.dump()));
}

class TextReward final : public Reward {
 public:
  explicit TextReward(std::vector<Check> checks) : checks_(std::move(checks)) {}

  Verdict judge(std::string_view answer) override {
    Verdict verdict;
    int held = 0;
    for (const Check& check : checks_) {
      if (check.holds(answer))
        ++held;
      else if (verdict.why.empty())
        verdict.why = fmt::format("failed: {} '{}'", check.kind, check.text);
    }
    verdict.reward = static_cast<double>(held) / static_cast<double>(checks_.size());
    return verdict;
  }
  int parts() const override { return static_cast<int>(checks_.size()); }
  bool cheap() const override { return true; }

 private:
  std::vector<Check> checks_;
};

std::unique_ptr<Reward> make(const Json& spec, const Asked&, const std::string& where,
                             const JudgeTools&) {
  if (spec.size() != 2 || !spec.contains("checks") || !spec["checks"].is_array() ||
      spec["checks"].empty()) {
    throw Error(where + ": a text reward has 'checks', a list that is not empty, and nothing else");
  }
  std::vector<Check> checks;
  for (const Json& check : spec["checks"]) checks.push_back(parse_check(check, where));
  return std::make_unique<TextReward>(std::move(checks));
}

}  // namespace

const RewardEntry kTextReward = {.type = "text", .make = make, .harmless = true};

}  // namespace umf
