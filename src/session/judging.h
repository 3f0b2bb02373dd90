// Judging on threads of its own, before a text is asked for where that is known to happen.
#pragma once

#include <chrono>
#include <future>
#include <memory>
#include <string>
#include <unordered_map>

#include "base/task_threads.h"
#include "reward/reward.h"

namespace umf {

class Judging {
 public:
  // Reward and signal must outlive it; the signal is given whenever a verdict is there.
  Judging(Reward& reward, int threads, ProgressSignal& signal)
      : reward_(reward), signal_(signal), threads_(threads) {}

  void stop() { threads_.stop(); }  // when the judgements that have begun are there; no more begin

  // Begins with a text, unless its verdict is on its way or waits to be handed over.
  void begin(const std::string& text) {
    if (verdicts_.contains(text)) return;
    const auto task = std::make_shared<std::packaged_task<Verdict()>>(
        [this, text] { return reward_.judge(text); });
    verdicts_.emplace(text, task->get_future());
    threads_.submit([this, task](int) {
      (*task)();
      signal_.notify();
    });
  }
  // Of a text that was begun.
  bool finished(const std::string& text) const {
    return verdicts_.at(text).wait_for(std::chrono::seconds(0)) == std::future_status::ready;
  }
  // Once for a text that is finished; throws what the judge threw.
  Verdict hand_over(const std::string& text) { return verdicts_.extract(text).mapped().get(); }

 private:
  Reward& reward_;
  ProgressSignal& signal_;
  std::unordered_map<std::string, std::future<Verdict>> verdicts_;
  TaskThreads threads_;  // last: its threads use the above
};

}  // namespace umf
