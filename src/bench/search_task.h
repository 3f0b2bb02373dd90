// From one problem and one configuration to results that only lack the hidden tests' verdict.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "bench/dataset.h"
#include "bench/result.h"
#include "reward/reward.h"
#include "session/configuration.h"

namespace umf {

struct SearchTask {
  const Problem& problem;
  const Configuration& configuration;
  std::string name;                  // of the configuration
  std::filesystem::path checkpoint;  // written and continued; empty: none is kept
  std::filesystem::path trace;       // empty: none
  std::function<void()> check;  // before the first pass: throws Error where no answer can be judged
  std::function<bool()> stop;
  std::function<void(long passes)> progress;  // on another thread while this one waits
  std::function<void(const std::string&)> warn;
};

struct Searched {
  std::vector<Result> results;  // of every budget of the configuration, ascending
  long passes = 0;       // forward passes that were made for all of them, in earlier runs too
  bool stopped = false;  // by the user: nothing to record, the checkpoint goes on
};

// A problem that cannot be searched, as with a prompt that leaves no room for an answer, has
// results that failed and say why. `memo` is shared by the searches for this problem.
Searched search_task(const SearchTask& task, ModelCache& model_cache, Reward& reward,
                     WalkMemo& memo);

}  // namespace umf
