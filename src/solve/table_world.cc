#include "solve/table_world.h"

#include <algorithm>

#include "search/checkpoints.h"

namespace umf {

std::vector<int> masks_of_levels(int window, std::span<const int> ratios) {
  std::vector<int> masks = checkpoint_targets(window, ratios, /*block_length=*/0);
  masks.insert(masks.begin(), window);
  masks.push_back(0);
  return masks;
}

TableWorld::TableWorld(int actions, int window, std::span<const int> ratios, Rewards rewards,
                       std::vector<PassCosts> costs)
    : actions_(actions),
      masks_(masks_of_levels(window, ratios)),
      rewards_(std::move(rewards)),
      costs_(std::move(costs)) {
  states_.push_back({.masks = window});
}

// As a walk over models: a checkpoint is the first state at or below its target.
Outcome TableWorld::walk(const Trial& trial, int limit) {
  const State from = states_[trial.from];
  Outcome outcome;
  const auto arrive = [&](StateId state, int masks) {
    outcome.path.push_back({state, masks});
    outcome.passes_at.push_back(outcome.passes);
  };
  int masks = from.masks;
  StateId at = from.between ? from.parent : trial.from;  // the last level
  while (masks > 0) {
    const Commits next = commit(trial.action, masks);
    if (next.passes > limit - outcome.passes) break;
    outcome.passes += next.passes;
    masks = next.masks;
    if (masks > masks_[states_[at].level + 1]) continue;
    at = reach(at, trial.action, masks);
    arrive(at, masks);
  }
  outcome.complete = masks == 0;
  if (!outcome.complete) outcome.passes = limit;  // looks that led to nothing are paid, too
  if (outcome.path.empty() || masks < outcome.path.back().masks)
    arrive(masks < from.masks ? reach(at, trial.action, masks) : trial.from, masks);
  return outcome;
}

TableWorld::Commits TableWorld::commit(int action, int masks) const {
  if (costs_.empty()) return {masks - 1, 1};
  const PassCosts& costs = costs_[action];
  const int after = costs.masks_after(masks);
  return {after, costs.passes_from(masks) - costs.passes_from(after)};
}

Verdict TableWorld::judge(StateId end) {
  if (states_[end].masks > 0) return {0, "cut before its end"};
  return {rewards_(sequence(end)), ""};
}

std::vector<int> TableWorld::sequence(StateId state) const {
  std::vector<int> actions;
  for (; state != 0; state = states_[state].parent) actions.push_back(states_[state].action);
  std::reverse(actions.begin(), actions.end());
  return actions;
}

StateId TableWorld::reach(StateId from, int action, int masks) {
  const int level = states_[from].level;
  const bool between = masks > masks_[level + 1];
  const auto [place, is_new] =
      known_.try_emplace({from, action, masks}, static_cast<StateId>(states_.size()));
  const StateId state = place->second;
  if (is_new) states_.push_back({from, action, between ? level : level + 1, masks, between});
  const bool further = !between && level + 1 < levels() && masks <= masks_[level + 2];
  return further ? reach(state, action, masks) : state;
}

}  // namespace umf
