// The world of real models: walks are decodings, ends are judged by their text.
#pragma once

#include "decode/states.h"
#include "decode/walker.h"
#include "reward/remembering_reward.h"
#include "session/journal.h"
#include "solve/world.h"

namespace umf {

class DecodingWorld final : public World {
 public:
  // All must outlive the world. `observer` sees every pass and may end a walk.
  DecodingWorld(States& states, Reward& reward, WalkObserver observer, WalkMemo* memo = nullptr)
      : states_(states),
        walker_(states.setup(), memo),
        reward_(reward),
        observer_(std::move(observer)) {}

  Place root() const override { return setup().root(); }
  int actions() const override { return static_cast<int>(setup().actions().size()); }
  int model_of(int action) const override { return setup().model_of(action); }
  bool commits_one(int action) const override { return setup().costs_masks(action); }
  Outcome walk(const Trial& trial, int limit) override {
    return states_.number(walker_.walk(trial, states_.at(trial.from), limit, observer_));
  }
  Branching branch(StateId from, int action, int children) override {
    return states_.number(walker_.branch({from, action}, states_.at(from), children, observer_));
  }
  Verdict judge(StateId end) override { return reward_.judge(states_.text(end)); }
  std::vector<Opening> openings(StateId end, const Verdict& verdict) override {
    return reward_.cheap() ? states_.openings(end, verdict) : std::vector<Opening>{};
  }

 private:
  const WalkSetup& setup() const { return states_.setup(); }
  States& states_;
  Walker walker_;
  Reward& reward_;
  WalkObserver observer_;
};

// How a journal writes and reads states, and where it puts verdicts that it read. Both must outlive
// it.
Journal::States journal_states(States& states, RememberingReward& verdicts);

}  // namespace umf
