// Runs as those read them who compare or show them.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "bench/comparison.h"
#include "bench/result_log.h"
#include "bench/run_directory.h"

namespace umf {

struct LoadedRun {
  std::string name;  // of its folder
  RunDirectory directory;
  ResultIndex results;

  const Manifest& manifest() const { return directory.manifest(); }
};

// As far as they are. Of folders with equal names each run is called by the whole path.
std::vector<LoadedRun> load_runs(const std::vector<std::string>& folders);

// Runs over one data set, whose configurations can be compared.
struct ComparedRuns {
  std::vector<std::string> runs;  // names
  int problems = 0;               // of all runs together
  std::vector<PairComparison> comparisons;
};

// Configurations and budgets to compare; empty: all.
struct ComparedOnly {
  std::vector<std::string> configurations;
  std::vector<long> budgets;
};

// A ComparedRuns for each data set, in order. With several runs of one, configurations are called
// RUN/NAME. Throws Error for a configuration or budget that no run has.
std::vector<ComparedRuns> compare_runs(const std::vector<LoadedRun>& runs,
                                       const ComparedOnly& only = {});

// {"runs","problems","comparisons"}.
nlohmann::ordered_json compared_json(const ComparedRuns& compared);

}  // namespace umf
