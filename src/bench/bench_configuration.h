// A configuration of a run, and the searches that it takes.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "bench/manifest.h"
#include "bench/pool.h"
#include "session/configuration.h"

namespace umf {

// For each seed one search that gives all budgets, or one for each where
// a smaller budget is not the beginning of a larger one.
struct BenchConfiguration {
  std::string name;
  std::vector<long> budgets;  // that are reported, ascending
  std::vector<Configuration> runs;
  std::optional<Pool> pool;                // its steps are budgets of the one run, too
  std::vector<std::uint64_t> seeds = {0};  // ascending
  // The search with a budget and a seed, of which it says nothing else.
  std::function<Configuration(long budget, std::uint64_t seed)> plan = {};
};

// Makes `runs` for the budgets, the pool and the seeds. Throws Error.
void plan_runs(BenchConfiguration& bench_configuration);

// With all budgets and seeds that the run has of a configuration of that name. Throws Error where
// these would be other searches than those of whoever added them.
BenchConfiguration widened(BenchConfiguration bench_configuration, const Manifest::Entry& entry);

}  // namespace umf
