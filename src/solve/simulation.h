// UnMaskFork on a table of rewards: what a budget buys, without a model.
#pragma once

#include <string>
#include <vector>

#include "search/unmaskfork.h"
#include "solve/solve.h"
#include "solve/table_world.h"

namespace umf {

struct Simulation {
  Solution solution;
  int nodes = 0, depth = 0;
  // One entry per rollout: "00>1" expands the node that actions 0, 0 lead to with action 1, "-" is
  // the root,
  // "*" marks a miss.
  std::vector<std::string> order;
};

Simulation simulate(TableWorld& world, const UnMaskForkOptions& options, const SolveOptions& limits,
                    const Observer& observer = {});

}  // namespace umf
