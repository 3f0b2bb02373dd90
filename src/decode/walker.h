// Walks with models: from a window down to the last mask.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "decode/denoise.h"
#include "decode/walk.h"
#include "decode/walk_memo.h"
#include "decode/walk_setup.h"

namespace umf {

// A forward pass, as those who watch walks see it.
struct Pass {
  const Trial& trial;             // of its walk, as it was asked for
  int model;                      // the participant that was asked
  const Lexicon& lexicon;         // of the window
  std::span<const Token> window;  // after it
  std::span<const Commit> commits;
  // By cell, of an ensemble: the participant that wrote it in this walk, or ~i for what cell i held
  // when the walk began. Otherwise empty: all that is new is the model's.
  std::span<const int> writers = {};
};
// Returning false ends the walk as its limit would.
using WalkObserver = std::function<bool(const Pass& pass)>;

// A walk depends on the window it starts from, the action and the draw alone: not on earlier walks,
// their order, or the limit beyond its own length. One thread at a time, as the models; walkers
// that share a model take turns, too.
class Walker {
 public:
  // Complete walks are taken from `memo` and put there. It may be shared with any other walker and
  // must outlive the walks.
  explicit Walker(WalkSetup setup, WalkMemo* memo = nullptr)
      : setup_(std::move(setup)), memo_(memo) {
    if (memo_ != nullptr) keys_ = walk_keys(setup_);
  }

  const WalkSetup& setup() const { return setup_; }

  // From the trial's state, `from`, to its end, or for `limit` passes: exactly the masks of the
  // start where each pass commits one, otherwise at most (more of several models: every look is a
  // pass). The path holds the first state at or below
  // each checkpoint and the last state. Infeasible when the window does not fit the action's model.
  // A trajectory that remasks has its own number of passes, and its path is the end.
  Walk walk(const Trial& trial, const WindowState& from, int limit,
            const WalkObserver& observer = {});

  // One forward pass from a state with masks, and `children` draws from it: each commits one mask,
  // uniformly drawn, with a token of the action. A completion fills all other masks with the most
  // probable tokens of the same pass. Takes no model that has blocks: it cannot tell what stands in
  // later ones.
  WindowBranching branch(const Trial& trial, const WindowState& from, int children,
                         const WalkObserver& observer = {});

 private:
  Walk walk_anew(const Trial& trial, WindowState state, int limit, const WalkObserver& observer);
  std::string memo_key(const Trial& trial, const WindowState& start) const;
  // How a walk went on: one of these is each step of it.
  enum class Progress { kOn, kStopped, kCut };  // kCut: nothing was written
  struct Way {
    const Trial& trial;
    const Action& action;
    const WalkObserver& observer;
    int limit;
    WalkPasses passes;
    Walk walk = {};
    std::vector<int> writers = {};  // as in Pass
    bool editing = false;           // the last block is full, but its edits have not ended
  };
  Progress fill_behind(WindowState& state, Way& way) const;
  Progress step(WindowState& state, Way& way) const;
  // One forward pass; `masks` are those that it is asked for.
  struct Passed {
    Progress progress;
    bool changed;
  };
  Progress edit_block(WindowState& state, Way& way, StepRule rule) const;
  Passed pass(WindowState& state, Way& way, const StepRule& rule, int masks) const;
  Progress step_together(WindowState& state, Way& way) const;
  Walk remask_from(WindowState state, const Trial& trial, const Action& action, int limit,
                   const WalkObserver& observer);

  WalkSetup setup_;
  WalkMemo* memo_;
  std::vector<std::string> keys_;  // by action, for the memo
};

}  // namespace umf
