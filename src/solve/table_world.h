// A world without models: an end is the sequence of actions that led to it, worth what a table
// says.
#pragma once

#include <functional>
#include <map>
#include <span>
#include <tuple>
#include <vector>

#include "solve/pass_costs.h"
#include "solve/world.h"

namespace umf {

// The window, the checkpoints and the end. Ratios in thousandths, as in {900, 800, 700, 600, 500,
// 400, 200}.
std::vector<int> masks_of_levels(int window, std::span<const int> ratios);

// A state is the actions at the levels passed so far, one digit each; a state that was cut between
// two levels is worth nothing. Walking on from such a state, the level belongs to whoever finishes
// it. A pass of several masks may pass several levels at once, and end below the last of them.
class TableWorld final : public World {
 public:
  // The reward of a full sequence, one action per level.
  using Rewards = std::function<double(std::span<const int> actions)>;

  // `costs`: one for each action; none: every pass commits one mask.
  TableWorld(int actions, int window, std::span<const int> ratios, Rewards rewards,
             std::vector<PassCosts> costs = {});

  Place root() const override { return {0, masks_.front()}; }
  int actions() const override { return actions_; }
  int model_of(int action) const override { return action; }
  bool commits_one(int action) const override {
    return costs_.empty() || costs_[action].commits_one();
  }
  Outcome walk(const Trial& trial, int limit) override;
  Verdict judge(StateId end) override;

  int levels() const { return static_cast<int>(masks_.size()) - 1; }  // actions in a full sequence
  std::vector<int> sequence(StateId state) const;

 private:
  struct State {
    StateId parent = 0;  // at the level above
    int action = 0, level = 0, masks = 0;
    bool between = false;  // two levels: it is not at `level`, but on the way from there
  };
  struct Commits {
    int masks, passes;  // left after them; that they took
  };
  Commits commit(int action, int masks) const;
  // What `action` makes of a state at a level, once `masks` are left: at the level that these have,
  // or on the way to the next.
  StateId reach(StateId from, int action, int masks);

  int actions_;
  std::vector<int> masks_;  // left at each level: the window first, 0 last
  Rewards rewards_;
  std::vector<PassCosts> costs_;
  std::vector<State> states_;
  std::map<std::tuple<StateId, int, int>, StateId> known_;  // by parent, action and masks
};

}  // namespace umf
