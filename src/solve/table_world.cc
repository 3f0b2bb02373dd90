#include "solve/table_world.h"

#include <algorithm>

#include "search/checkpoints.h"

namespace umf {
namespace {

// The window, the checkpoints and the end.
std::vector<int> masks_of_levels(int window, std::span<const int> ratios) {
  std::vector<int> masks = checkpoint_targets(window, ratios, /*block_length=*/0);
  masks.insert(masks.begin(), window);
  masks.push_back(0);
  return masks;
}

}  // namespace

TableWorld::TableWorld(int actions, int window, std::span<const int> ratios, Rewards rewards)
    : actions_(actions), masks_(masks_of_levels(window, ratios)), rewards_(std::move(rewards)) {
  states_.push_back({.masks = window});
  children_.resize(actions);
}

Outcome TableWorld::walk(const Trial& trial, int limit) {
  const State from = states_[trial.from];
  const bool between = from.masks < masks_[from.level];
  Outcome outcome;
  outcome.passes = std::min(limit, from.masks);
  const int masks_after = from.masks - outcome.passes;
  StateId state = between ? from.parent : trial.from;
  int level = from.level;
  while (level < levels() && masks_[level + 1] >= masks_after) {
    state = child(state, trial.action);
    outcome.path.push_back({state, masks_[++level]});
    outcome.passes_at.push_back(from.masks - masks_[level]);
  }
  outcome.complete = masks_after == 0;
  if (masks_after < masks_[level]) {
    outcome.path.push_back({between_levels(state, trial.action, masks_after), masks_after});
    outcome.passes_at.push_back(outcome.passes);
  }
  return outcome;
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

StateId TableWorld::child(StateId state, int action) {
  StateId& known = children_[static_cast<std::size_t>(state) * actions_ + action];
  if (known != 0) return known;
  const auto made = known = static_cast<StateId>(states_.size());
  const int level = states_[state].level + 1;
  states_.push_back({state, action, level, masks_[level]});
  children_.resize(children_.size() + actions_);
  return made;
}

StateId TableWorld::between_levels(StateId state, int action, int masks) {
  const auto [place, is_new] =
      between_.try_emplace({state, action, masks}, static_cast<StateId>(states_.size()));
  if (is_new) {
    states_.push_back({state, action, states_[state].level, masks});
    children_.resize(children_.size() + actions_);
  }
  return place->second;
}

}  // namespace umf
