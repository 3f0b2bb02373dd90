// What the configurations of one problem have in common: judges, verdicts and walks.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "bench/dataset.h"
#include "bench/grading.h"
#include "decode/walk_memo.h"
#include "reward/remembering_reward.h"

namespace umf {

struct SharedProblem {
  std::unique_ptr<Reward> judge;
  // What all searches ask. A search keeps to its failures, the next one asks again.
  RememberingReward reward{*judge, RememberingReward::Failures::kAskedAgain};
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
