// From one problem and one configuration to results that only lack the hidden tests' verdict.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "bench/dataset.h"
#include "bench/result.h"
#include "configuration.h"
#include "reward/reward.h"

namespace umf {

// A configuration of a run: one search that gives all budgets, or one for each where a smaller
// budget is not the beginning of a larger one.
struct Contender {
  std::string name;
  std::vector<long> budgets;  // ascending
  std::vector<Configuration> runs;
};

struct SearchTask {
  const Problem& problem;
  const Configuration& configuration;
  std::string name;                  // of the contender
  std::filesystem::path checkpoint;  // written and continued; empty: none is kept
  std::filesystem::path trace;       // empty: none
  std::function<bool()> stop;
  std::function<void(long passes)> progress;  // on another thread while this one waits
  std::function<void(const std::string&)> warn;
};

struct Searched {
  std::vector<Result> results;  // of every budget of the configuration, ascending
  bool stopped = false;         // by the user: nothing to record, the checkpoint goes on
};

// `memo` is shared by the searches for this problem.
Searched search_task(const SearchTask& task, Shelf& shelf, Reward& reward, WalkMemo& memo);

}  // namespace umf
