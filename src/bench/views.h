// The results as others read them: merged, in order, in whole files.
#pragma once

#include <chrono>

#include "bench/dataset.h"
#include "bench/result_log.h"
#include "bench/run_directory.h"

namespace umf {

// Writes problems.jsonl, what was asked, or adds to it what is not there yet.
void write_problems(const RunDirectory& run, const std::vector<Task>& tasks);

// Writes results.jsonl, samples.jsonl, summary.json, and samples/NAME-BUDGET, with a pool also
// NAME-BUDGET-pool, as EvalPlus (.jsonl) or, for its own problems, LiveCodeBench (.json) takes
// them. Several workers may do so at once: every file is whole at any time, and whoever writes last
// has seen everything that was there when it did.
class Views {
 public:
  explicit Views(const RunDirectory& run) : run_(run) {}

  void refresh(ResultIndex& results);
  // At intervals that keep it cheap, however much there is to write.
  void refresh_now_and_then(ResultIndex& results);

 private:
  using Clock = std::chrono::steady_clock;
  void write(const ResultIndex& results) const;

  const RunDirectory& run_;
  Clock::time_point next_ = Clock::now() + std::chrono::seconds(10);
};

}  // namespace umf
