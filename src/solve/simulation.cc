#include "solve/simulation.h"

#include <fmt/format.h>

namespace umf {
namespace {

std::string describe(const RolloutEvent& event) {
  const std::vector<int> path = event.lineage.actions(event.trial.from);
  return fmt::format("{}{}>{}", event.outcome.cached ? "" : "*",
                     path.empty() ? "-" : fmt::format("{}", fmt::join(path, "")),
                     event.trial.action);
}

}  // namespace

Simulation simulate(TableWorld& world, const UnMaskForkOptions& options, const SolveOptions& limits,
                    const Observer& observer) {
  Simulation simulation;
  RolloutCache known;
  UnMaskFork search(world.actions(), world.root(), options, known);
  simulation.solution = solve(search, world, known, limits, [&](const RolloutEvent& event) {
    simulation.order.push_back(describe(event));
    return !observer || observer(event);
  });
  simulation.nodes = search.nodes();
  simulation.depth = search.depth();
  return simulation;
}

}  // namespace umf
