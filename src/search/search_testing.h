// A world of numbered states for tests of searches: no tokens, no models.
#pragma once

#include <algorithm>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "search/search.h"

namespace umf {

// Eight masks, checkpoints at 6, 4 and 2. Another action or draw leads to another state.
class ToyWorld {
 public:
  std::function<double(StateId)> reward = hashed;
  bool deterministic = false;  // draws make no difference
  std::function<bool(const Trial&)> feasible = [](const Trial&) { return true; };

  Place root() const { return {0, kMasks}; }
  int actions() const { return 2; }
  Outcome walk(const Trial& trial, int limit) {
    if (!feasible(trial)) return Outcome{.complete = false, .feasible = false};
    Outcome outcome;
    Place at{trial.from, masks_.at(trial.from)};
    while (at.masks > 0 && outcome.passes < limit) {
      const int steps = std::min((at.masks - 1) % 2 + 1, limit - outcome.passes);
      outcome.path.push_back(at = next(at, trial, steps));
      outcome.passes_at.push_back(outcome.passes += steps);
    }
    outcome.complete = at.masks == 0;
    return outcome;
  }

  static double hashed(StateId state) {
    return (static_cast<unsigned>(state) * 2654435761u >> 8) % 101 / 100.0;
  }

 private:
  static constexpr int kMasks = 8;

  Place next(Place from, const Trial& trial, int steps) {
    const std::uint64_t draw = deterministic ? 0 : trial.draw;
    const auto [at, is_new] = states_.try_emplace({from.state, trial.action, draw, steps},
                                                  static_cast<StateId>(masks_.size()));
    if (is_new) masks_.push_back(from.masks - steps);
    return {at->second, from.masks - steps};
  }

  std::map<std::tuple<StateId, int, std::uint64_t, int>, StateId> states_;
  std::vector<int> masks_ = {kMasks};  // by state
};

struct ToyRun {
  std::vector<Trial> trials;
  std::vector<double> rewards;
  long passes = 0;
  double best = -1;
  bool operator==(const ToyRun&) const = default;
};

// At most `iterations` trials within `budget` passes; the last is cut where the budget ends.
inline ToyRun run(Search& search, ToyWorld& world, int iterations,
                  long budget = std::numeric_limits<int>::max()) {
  ToyRun run;
  while (static_cast<int>(run.trials.size()) < iterations && run.passes < budget) {
    const std::optional<Trial> trial = search.ask();
    if (!trial) break;
    Outcome outcome =
        world.walk(*trial, static_cast<int>(std::min(budget - run.passes, search.pass_limit())));
    if (outcome.feasible) outcome.reward = world.reward(outcome.path.back().state);
    search.tell(*trial, outcome);
    run.trials.push_back(*trial);
    run.rewards.push_back(outcome.reward);
    run.passes += outcome.passes;
    run.best = std::max(run.best, bounded(outcome.reward));
  }
  return run;
}

}  // namespace umf
