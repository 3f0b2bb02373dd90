// From the options of umf bench to what is measured.
#pragma once

#include <string>
#include <vector>

#include "bench/bench_configuration.h"
#include "bench/dataset.h"
#include "setup/solve_setup.h"

namespace umf {

// 0: none, or its default.
struct PoolCliOptions {
  int budget = 0, quantum = 0, cap = 0;
  void declare(OptionSet& options);
};

struct BenchCliOptions {
  SolveCliOptions search;  // what the configurations have in common
  std::string dataset, out, configs, budgets, seeds, ids_file;
  DatasetOptions data;
  int judge_threads = 2;
  double heartbeat_seconds = 15, drop_rate = 0;
  std::uint64_t drop_seed = 0;
  PoolCliOptions pool;
  bool resume = false, extend = false, wait = false, no_wait = false;

  void declare(OptionSet& options);      // of umf bench
  void declare_run(OptionSet& options);  // which problems, and how they are worked off
};

// The problems that are chosen; throws Error when there are none. Names those that are malformed
// and left out on stderr.
Dataset read_chosen(const BenchCliOptions& options);

// One per entry of --configs, or one from the command line alone.
std::vector<BenchConfiguration> make_bench_configurations(const BenchCliOptions& options,
                                                          ModelCache& model_cache);

// One per entry of `list`, whose keys stand above the options; `source` names it in errors.
std::vector<BenchConfiguration> make_bench_configurations(const BenchCliOptions& options,
                                                          const Json& list,
                                                          const std::string& source,
                                                          ModelCache& model_cache);

// Everything that the results depend on, and where it came from. `history` is that of the run where
// there is one: what it has is described as it describes it, with the same budget and seed.
Json make_manifest(const BenchCliOptions& options, const Dataset& dataset,
                   const std::vector<BenchConfiguration>& bench_configurations,
                   ModelCache& model_cache, const std::vector<Manifest>& history);

}  // namespace umf
