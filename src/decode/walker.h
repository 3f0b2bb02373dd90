// Walks with models: from a window down to the last mask, one token per forward pass.
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
  std::span<const Token> window;  // after it, in the ids of the action's model
  std::span<const Commit> commits;
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

  // One token per forward pass from the trial's state, `from`, to its end, or for `limit` passes:
  // exactly the masks of the start (origin: at most). The path holds the first state at or below
  // each checkpoint and the last state. Infeasible when the window does not fit the action's model.
  // An action that remasks makes one trajectory of its own number of passes: its path is the end.
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
  Commit fill_behind(WindowState& state) const;
  Walk remask_from(WindowState state, const Trial& trial, const Action& action, int limit,
                   const WalkObserver& observer);
  std::vector<Commit> step(WindowState& state, const Action& action, int index) const;

  WalkSetup setup_;
  WalkMemo* memo_;
  std::vector<std::string> keys_;  // by action, for the memo
};

}  // namespace umf
