// The results as others read them: merged, in order, in whole files.
#pragma once

#include <chrono>
#include <optional>

#include "bench/dataset.h"
#include "bench/lease.h"
#include "bench/result_log.h"
#include "bench/run_directory.h"

namespace umf {

// Writes problems.jsonl, what was asked, or adds to it what is not there yet.
void write_problems(const RunDirectory& run, const std::vector<Task>& tasks);

// Writes results.jsonl, samples.jsonl, summary.json, and samples/NAME-BUDGET, with a pool also
// NAME-BUDGET-pool, as EvalPlus (.jsonl) or, for its own problems, LiveCodeBench (.json) takes
// them. Every file is whole at any time.
class Views {
 public:
  explicit Views(const RunDirectory& run) : run_(run) {}
  void refresh(ResultIndex& results);

 private:
  void write(const ResultIndex& results) const;

  const RunDirectory& run_;
};

// The views of a run that several work on: one of them writes, who holds a lease on it. Whoever
// leaves either finds a living writer, who writes once more before it leaves, or writes itself; so
// what is written last has everything that was recorded before.
class SharedViews {
 public:
  SharedViews(const RunDirectory& run, Leases& leases) : run_(run), leases_(leases) {}

  // At intervals that keep it cheap, however much there is to write.
  void refresh_now_and_then(ResultIndex& results);
  // Before leaving, when all of one's own is recorded. False: whether the writer lives is not known
  // yet.
  bool finish(ResultIndex& results);
  bool has_written() const { return has_written_; }  // not another one

 private:
  using Clock = std::chrono::steady_clock;
  enum class Claim { kOurs, kOthers, kUnknown };
  Claim claim();
  void write(ResultIndex& results);

  const RunDirectory& run_;
  Leases& leases_;
  std::optional<Lease> lease_;
  bool has_written_ = false;
  bool owes_ = false;  // it was taken for dead while it wrote
  Clock::time_point next_ = Clock::now() + std::chrono::seconds(10);
};

// The name of that lease.
constexpr const char* kViewsJob = "views";

}  // namespace umf
