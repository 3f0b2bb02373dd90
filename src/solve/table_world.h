// A world without models: an end is the sequence of actions that led to it, worth what a table
// says.
#pragma once

#include <functional>
#include <map>
#include <span>
#include <tuple>
#include <vector>

#include "solve/world.h"

namespace umf {

// One token per pass. A state is the actions at the levels passed so far, one digit each; a state
// that was cut between two levels is worth nothing. Walking on from such a state, the level belongs
// to whoever finishes it.
class TableWorld final : public World {
 public:
  // The reward of a full sequence, one action per level.
  using Rewards = std::function<double(std::span<const int> actions)>;

  // Ratios in thousandths, as in {900, 800, 700, 600, 500, 400, 200}.
  TableWorld(int actions, int window, std::span<const int> ratios, Rewards rewards);

  Place root() const override { return {0, masks_.front()}; }
  int actions() const override { return actions_; }
  int model_of(int action) const override { return action; }
  Outcome walk(const Trial& trial, int limit) override;
  Verdict judge(StateId end) override;

  int levels() const { return static_cast<int>(masks_.size()) - 1; }  // actions in a full sequence
  std::vector<int> sequence(StateId state) const;

 private:
  struct State {
    StateId parent = 0;  // at the level above
    int action = 0, level = 0, masks = 0;
  };
  StateId child(StateId state, int action);
  StateId between_levels(StateId state, int action, int masks);

  int actions_;
  std::vector<int> masks_;  // left at each level: the window first, 0 last
  Rewards rewards_;
  std::vector<State> states_;
  std::vector<StateId> children_;  // (state, action); 0 where there is none yet
  std::map<std::tuple<StateId, int, int>, StateId> between_;  // by state above, action and masks
};

}  // namespace umf
