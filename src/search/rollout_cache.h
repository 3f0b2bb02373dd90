// Finished rollouts, found again from every state they passed: a repeated trial costs nothing.
#pragma once

#include <optional>

#include "search/search.h"

namespace umf {

// Keyed by (state, action). Exact because an action is a pure function of the state: the cached end is the
// end that running it again would reach (spec: search 1.5).
class RolloutCache {
 public:
  // Enters a complete rollout of `trial.action` for the starting state and for every checkpoint on its path but
  // the end. Only trials with draw 0 may be entered.
  void insert(const Trial& trial, const Outcome& outcome);
  bool contains(StateId state, int action) const;
  // The outcome of running `action` from `state`: passes 0, cached.
  std::optional<Outcome> find(StateId state, int action) const;
  void clear();
};

}  // namespace umf
