// Judging on threads of its own, before a text is asked for where that is known to happen.
#pragma once

#include <atomic>
#include <exception>
#include <string>
#include <unordered_map>

#include "base/task_threads.h"
#include "reward/reward.h"

namespace umf {

class Judging {
 public:
  // Reward and bell must outlive it; the bell rings whenever a verdict is there.
  Judging(Reward& reward, int threads, Bell& bell)
      : reward_(reward), bell_(bell), threads_(threads) {}

  void stop() { threads_.stop(); }  // when the judgements that have begun are there; no more begin

  // Begins with a text, unless its verdict is waiting to be handed over or on its way.
  void begin(const std::string& text);
  bool finished(const std::string& text) const;
  // Of a finished text, which is forgotten; throws what the judge threw.
  Verdict hand_over(const std::string& text);

 private:
  struct Judgement {
    Verdict verdict;
    std::exception_ptr error;
    std::atomic<bool> finished = false;
  };
  void judge(const std::string& text, Judgement& judgement);

  Reward& reward_;
  Bell& bell_;
  std::unordered_map<std::string, Judgement> judgements_;  // entries stay where they are
  TaskThreads threads_;                                    // last: its threads use the above
};

}  // namespace umf
