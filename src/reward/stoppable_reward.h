// A reward whose verdicts may come too late.
#pragma once

#include <memory>
#include <stop_token>
#include <utility>

#include "base/cancelled.h"
#include "reward/reward.h"

namespace umf {

// Once `stop` is asked for it gives no verdict, not even one that has just been made: whatever
// asked us to stop may have reached the judge or the program first, and their end says nothing
// about the answer. So nobody can record such a verdict.
class StoppableReward final : public Reward {
 public:
  StoppableReward(std::unique_ptr<Reward> inner, std::stop_token stop)
      : inner_(std::move(inner)), stop_(std::move(stop)) {}

  Verdict judge(std::string_view answer) override {
    require_no_stop();
    Verdict verdict = inner_->judge(answer);
    require_no_stop();
    return verdict;
  }
  void check() override { inner_->check(); }
  int parts() const override { return inner_->parts(); }
  bool cheap() const override { return inner_->cheap(); }

 private:
  void require_no_stop() const {
    if (stop_.stop_requested()) throw Cancelled();
  }

  const std::unique_ptr<Reward> inner_;
  const std::stop_token stop_;
};

}  // namespace umf
