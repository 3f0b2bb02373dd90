// Which job is next for this worker: not done, not held by another, not failed just now.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "bench/lease.h"
#include "bench/result_log.h"
#include "bench/run_directory.h"

namespace umf {

// One problem under one configuration, at the budgets that are still missing.
struct BenchJob {
  int problem = 0, configuration = 0;  // numbers in the manifest
  Lease lease;
  std::vector<long> budgets;
};

struct Tally {  // in results: problems × configurations × budgets
  int total = 0, done = 0, failed = 0;
};

// One thread at a time.
class JobBoard {
 public:
  JobBoard(const RunDirectory& run, const Heartbeat& heartbeat);

  // Claims the next job. Problems that nobody else is at come first: configurations of one problem
  // share their work inside a process. Nothing when all jobs are done, failed or held.
  std::optional<BenchJob> next();
  // Whether some of what is missing is held by other workers, as of the last next().
  bool others_at_work() const { return others_at_work_; }

  Leases& leases() { return leases_; }
  ResultIndex& results() { return results_; }
  Tally tally() const;

 private:
  std::vector<long> missing(int problem, int configuration) const;
  std::optional<BenchJob> claim(int problem, int configuration);

  const RunDirectory& run_;
  std::string self_;
  Leases leases_;
  ResultIndex results_;
  // Failures that were there when this worker started, by their tries: it tries these once more.
  std::map<ResultKey, int> old_failures_;
  int first_open_ = 0;  // everything of the problems before is done
  bool others_at_work_ = false;
};

}  // namespace umf
