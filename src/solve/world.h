// What a search explores: states, the walks between them, and what an end is worth.
#pragma once

#include "base/error.h"
#include "base/verdict.h"
#include "search/trial.h"

namespace umf {

// Implemented by the decoder over real models and by a table for simulations and tests.
class World {
 public:
  virtual ~World() = default;
  virtual Place root() const = 0;
  virtual int actions() const = 0;
  // The model that an action runs on, for counting switches.
  virtual int model_of(int action) const = 0;
  // Whether every pass of the action commits one mask, so that a rollout costs its masks. Otherwise
  // what it costs is known when it has been made.
  virtual bool commits_one(int action) const {
    static_cast<void>(action);
    return true;
  }
  // Follows the trial for at most `limit` forward passes. Fills path, passes and complete; not the
  // reward. Depends on the trial alone. A limit that falls inside gives the state reached so far.
  virtual Outcome walk(const Trial& trial, int limit) = 0;
  // Several children of a state from one forward pass (docs/algorithm.md#treasure). Depends on its
  // arguments alone. Worlds of whole walks have none.
  virtual Branching branch(StateId from, int action, int children) {
    static_cast<void>(from), static_cast<void>(action), static_cast<void>(children);
    throw Error("this world can walk only: a search that branches at every pass needs models");
  }
  // Judges the text of a state; masks, where it has any, are left out. The same state may be asked
  // for again and has the same verdict.
  virtual Verdict judge(StateId end) = 0;
  // How a finished text can be opened again (docs/algorithm.md#re-opening): states to walk on from.
  // Depends on the state and its verdict. None where judging the many texts that follow would be
  // dear.
  virtual std::vector<Opening> openings(StateId end, const Verdict& verdict) {
    static_cast<void>(end), static_cast<void>(verdict);
    return {};
  }
  // What the last answer took where it was not made now but in an earlier run.
  virtual double earlier_seconds() const { return 0; }
};

}  // namespace umf
