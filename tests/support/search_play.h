// One random search, played to its end, with everything it did.
#pragma once

#include <algorithm>
#include <cstdint>

#include "search/checkpoints.h"
#include "search/unmaskfork.h"
#include "solve/solve.h"
#include "support/search_worlds.h"

namespace umf {

struct Scenario {
  int actions = 2, window = 768;
  std::vector<int> ratios{std::begin(kPaperRatios), std::end(kPaperRatios)};
  TableWorld::Rewards rewards = zero_rewards();
  UnMaskForkOptions search;
  SolveOptions limits;
  std::size_t most_steps = SIZE_MAX;
};

struct Step {
  std::vector<int> from;  // the actions that lead to the expanded node
  int action = 0, masks = 0;
  bool hit = false, complete = true;
  int passes = 0;
  double reward = 0;
  long nfe = 0;  // after it
  std::vector<Place> path;
  std::optional<Candidate> best;  // after it

  std::vector<int> child() const {
    std::vector<int> sequence = from;
    sequence.push_back(action);
    return sequence;
  }
};

// The same expansion with the same result? NaN is the same as NaN.
inline bool same_expansion(const Step& a, const Step& b) {
  return a.from == b.from && a.action == b.action && a.path == b.path &&
         std::bit_cast<std::uint64_t>(a.reward) == std::bit_cast<std::uint64_t>(b.reward);
}

struct Play {
  explicit Play(const Scenario& made)
      : scenario(made),
        table(made.actions, made.window, made.ratios, made.rewards),
        world(table),
        search(made.actions, table.root(), made.search, known) {
    solution = solve(search, world, known, made.limits, [&](const RolloutEvent& event) {
      record(event);
      return steps.size() < scenario.most_steps;
    });
  }
  Play(const Play&) = delete;

  // The level of the leaves.
  int leaf_level() const {
    return scenario.search.expand_last_level ? table.levels() : std::max(1, table.levels() - 1);
  }
  std::size_t complete_steps() const {
    return steps.size() - (!steps.empty() && !steps.back().complete);
  }

  const Scenario scenario;
  TableWorld table;
  CountingWorld world;
  RolloutCache known;
  UnMaskFork search;
  Solution solution;
  std::vector<Step> steps;

 private:
  void record(const RolloutEvent& event) {
    steps.push_back({event.lineage.actions(event.trial.from), event.trial.action,
                     event.lineage.masks(event.trial.from), event.outcome.cached,
                     event.outcome.complete, event.outcome.passes, event.outcome.reward,
                     event.ledger.nfe, event.outcome.path, event.best});
  }
};

// Windows 1 to 200, 1 to 4 actions, up to 7 ratios, every family of rewards, budgets up to 30
// rollouts.
inline Scenario random_scenario(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const auto below = [&](int end) { return static_cast<int>(random() % end); };
  Scenario scenario;
  scenario.actions = 1 + below(4);
  scenario.window = 1 + below(200);
  scenario.ratios.clear();
  for (int i = below(8); i > 0; --i) scenario.ratios.push_back(1 + below(999));
  std::sort(scenario.ratios.rbegin(), scenario.ratios.rend());
  const TableWorld::Rewards families[] = {uniform_rewards(seed), coarse_rewards(seed),
                                          zero_rewards(), wild_rewards(seed)};
  scenario.rewards = families[below(4)];
  scenario.search.expand_last_level = below(4) == 0;
  scenario.limits.budget = 1 + below(30 * scenario.window);
  return scenario;
}

}  // namespace umf
