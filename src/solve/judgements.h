// What a search asks its world to judge.
#pragma once

#include <fmt/core.h>

#include <cmath>
#include <unordered_set>

#include "base/stopwatch.h"
#include "solve/attempt.h"
#include "solve/world.h"

namespace umf {

// Asks for verdicts, and counts. A judge that fails again and again will not work for the next
// answer, either.
class Judgements {
 public:
  // What judging takes is added to `seconds`. After `most_failures` in a row it throws Failure; 0:
  // never. World and seconds must outlive it.
  Judgements(World& world, int most_failures, double& seconds)
      : world_(world), most_failures_(most_failures), seconds_(seconds) {}

  // An end that was judged before has its verdict already: it counts neither in `judged` nor as a
  // failure.
  Verdict of(StateId end, long& judged) {
    const Stopwatch stopwatch(seconds_);
    Verdict verdict = attempt([&] { return world_.judge(end); });
    seconds_ += world_.earlier_seconds();
    if (!judged_.insert(end).second) return verdict;
    ++judged;
    failures_ = std::isnan(verdict.reward) ? failures_ + 1 : 0;
    if (most_failures_ == 0 || failures_ < most_failures_) return verdict;
    throw Failure{
        fmt::format("the judge failed {} times in a row, which says nothing about the answers: {}",
                    failures_, verdict.why)};
  }

 private:
  World& world_;
  const int most_failures_;
  double& seconds_;
  std::unordered_set<StateId> judged_;
  int failures_ = 0;  // in a row
};

}  // namespace umf
