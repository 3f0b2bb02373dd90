// A reward that is asked for a text once.
#pragma once

#include <cmath>
#include <string>

#include "base/once_per_text.h"
#include "reward/reward.h"

namespace umf {

// A judge is a function of the text, so that its verdict can be remembered. Exceptions are not:
// Cancelled above all, which says nothing about the answer.
class RememberingReward final : public Reward {
 public:
  enum class Failures { kKept, kAskedAgain };  // verdicts that are no number

  // `inner` must outlive it.
  RememberingReward(Reward& inner, Failures failures) : inner_(inner), failures_(failures) {}

  Verdict judge(std::string_view answer) override {
    return verdicts_.get(
        std::string(answer), [&] { return inner_.judge(answer); },
        [&](const Verdict& verdict) {
          return failures_ == Failures::kKept || !std::isnan(verdict.reward);
        });
  }
  // A verdict that was given elsewhere; one that is known stays.
  void remember(const std::string& answer, const Verdict& verdict) {
    verdicts_.get(answer, [&] { return verdict; });
  }
  void check() override { inner_.check(); }
  int parts() const override { return inner_.parts(); }
  bool cheap() const override { return inner_.cheap(); }

 private:
  Reward& inner_;
  const Failures failures_;
  OncePerText<Verdict> verdicts_;
};

}  // namespace umf
