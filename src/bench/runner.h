// Workers of a run: each claims jobs, searches, grades on other threads, records, until all is
// done.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "bench/dataset.h"
#include "bench/job_board.h"
#include "bench/search_task.h"

namespace umf {

struct BenchPlan {
  const std::vector<Task>& tasks;
  const std::vector<BenchConfiguration>& bench_configurations;
  ModelCache& model_cache;  // each of its replicas is a worker's
  const JudgeTools& tools;
  int judge_threads = 2;
  double heartbeat_seconds = 15;
  bool wait_for_others = true;
  Json about = Json::object();  // what others find of each worker, as where it runs
};

struct BenchNews {
  Tally tally;
  std::string job;  // what is searched now
  long passes = 0, budget = 0;
};

struct BenchHooks {  // all may be empty; `stop` is called by several threads at once, the others
                     // not
  std::function<bool()> stop;
  std::function<void(const BenchNews&)> news;
  std::function<void(const std::string&)> warn;
};

enum class BenchEnd {
  kComplete,
  kFailures,      // all was tried; some could not be searched or judged
  kStopped,       // asked to stop; what was begun is saved
  kOthersAtWork,  // nothing left for this worker: others that live have it, and it was not to wait
};

// Tasks and configurations are the manifest's, in its order. Throws Error where the run directory
// cannot be used; what was recorded before stays.
BenchEnd run_bench(const RunDirectory& run, const BenchPlan& plan, const BenchHooks& hooks);

}  // namespace umf
