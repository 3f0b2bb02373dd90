// The world of real models: walks are decodings, ends are judged by their text.
#pragma once

#include <string>
#include <unordered_map>

#include "decode/walker.h"
#include "reward/reward.h"
#include "session/journal.h"
#include "solve/world.h"

namespace umf {

class DecodingWorld final : public ModelWorld {
 public:
  // All three must outlive the world. `observer` sees every pass and may end a walk.
  DecodingWorld(Walker& walker, Reward& reward, WalkObserver observer)
      : walker_(walker), reward_(reward), observer_(std::move(observer)) {}

  Place root() const override { return walker_.root(); }
  int actions() const override { return walker_.actions(); }
  int model_of(int action) const override { return walker_.model_of(action); }
  Outcome walk(const Trial& trial, int limit) override {
    asked_ = trial;
    return walker_.walk(trial, limit, observer_);
  }
  Branching branch(StateId from, int action, int children) override {
    asked_ = {from, action};
    return walker_.branch(from, action, children, observer_);
  }
  // A judge is a function of the text, so that the same text is judged once.
  Verdict judge(StateId end) override;

 private:
  Walker& walker_;
  Reward& reward_;
  WalkObserver observer_;
  std::unordered_map<std::string, Verdict> judged_;
};

// How a journal writes and reads the walker's states. The walker must outlive it.
Journal::States journal_states(Walker& walker);

}  // namespace umf
