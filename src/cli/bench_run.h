// A run of configurations over a data set as its user sees it: checks before anything is written,
// progress and warnings on stderr, an exit status.
#pragma once

#include <vector>

#include "bench/runner.h"
#include "cli/bench_plan.h"

namespace umf {

// Throws Error for options that no run can have.
void check_run_options(const BenchCliOptions& options);

// The run in `options.out`, made or continued.
RunDirectory start_run(const BenchCliOptions& options, const Dataset& dataset,
                       const std::vector<BenchConfiguration>& bench_configurations,
                       ModelCache& model_cache);

// Works it off. Interrupts must be watched for.
BenchEnd work_off(const RunDirectory& run, const BenchCliOptions& options, const Dataset& dataset,
                  const std::vector<BenchConfiguration>& bench_configurations,
                  ModelCache& model_cache);

int exit_status(BenchEnd end);

}  // namespace umf
