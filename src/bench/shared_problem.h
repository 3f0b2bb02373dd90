// What the configurations of one problem have in common: judges, verdicts and walks.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "bench/dataset.h"
#include "bench/grading.h"
#include "decode/walk_memo.h"
#include "reward/reward.h"

namespace umf {

// A judge that is asked for a text once; one that failed is asked again.
class RememberedReward final : public Reward {
 public:
  explicit RememberedReward(std::unique_ptr<Reward> judge) : judge_(std::move(judge)) {}
  int parts() const override { return judge_->parts(); }
  void check() override { judge_->check(); }
  Verdict judge(std::string_view answer) override;

 private:
  const std::unique_ptr<Reward> judge_;
  std::mutex mutex_;
  std::map<std::string, Verdict> verdicts_;
};

struct SharedProblem {
  RememberedReward reward;
  std::shared_ptr<Grading> grading;  // outlives this where answers wait for their grade
  WalkMemo walks;

  // Both must outlive it and its grading.
  SharedProblem(const Task& task, const JudgeTools& tools);

  // Throws Error where no answer could ever be judged. Looks once.
  void check();

 private:
  std::optional<std::string> objection_;  // empty: none
};

}  // namespace umf
