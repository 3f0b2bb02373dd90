// {"type": "all", "of": [reward, ...]}: right where all of them are; the share of all their tests.
// Rewards without tests of their own count as one.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "reward/reward.h"

namespace umf {
namespace {

class AllReward final : public Reward {
 public:
  explicit AllReward(std::vector<std::unique_ptr<Reward>> parts) : parts_(std::move(parts)) {}

  Verdict judge(std::string_view answer) override {
    Verdict all;
    double passed = 0, count = 0;
    for (const auto& part : parts_) {
      Verdict verdict = part->judge(answer);
      if (std::isnan(verdict.reward)) return verdict;
      const double weight = std::max<double>(1, static_cast<double>(verdict.tests.size()));
      passed += weight * verdict.reward;
      count += weight;
      if (all.why.empty()) all.why = verdict.why;
      for (TestVerdict& test : verdict.tests) all.tests.push_back(std::move(test));
    }
    all.reward = passed / count;
    return all;
  }

  void check() override {
    for (const auto& part : parts_) part->check();
  }
  bool cheap() const override {
    return std::ranges::all_of(parts_, [](const auto& part) { return part->cheap(); });
  }

 private:
  std::vector<std::unique_ptr<Reward>> parts_;
};

std::unique_ptr<Reward> make(const Json& spec, const Asked& asked, const std::string& where,
                             const JudgeTools& tools) {
  if (spec.size() != 2 || !spec.contains("of") || !spec["of"].is_array() || spec["of"].empty())
    throw Error(where + ": reward 'all' has 'of', a list of rewards, and nothing else");
  std::vector<std::unique_ptr<Reward>> parts;
  for (const Json& part : spec["of"]) parts.push_back(make_reward(part, asked, where, tools));
  return std::make_unique<AllReward>(std::move(parts));
}

}  // namespace

const RewardEntry kAllReward = {.type = "all", .make = make, .harmless = true};

}  // namespace umf
