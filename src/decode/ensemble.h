// Several models that write one text: a relay or a poll (docs/algorithm.md#several-models).
#pragma once

#include <functional>
#include <vector>

#include "decode/denoise.h"
#include "decode/walk_setup.h"

namespace umf {

// A commit, and whose it is.
struct SignedCommit {
  Commit commit;
  int model = 0;
};

// From one commit to the next; every look is a forward pass.
struct Turn {
  std::vector<SignedCommit> commits;  // in ascending order of cells; none: cut before anyone wrote
  bool stopped = false;               // by the observer
};

// After every look: who looked, at which window, and what was written. Returning false ends the
// turn.
using LookObserver = std::function<bool(int model, const WindowState& window,
                                        const std::vector<SignedCommit>& commits)>;

// The turn of the action numbered `index` in a state with masks that fits one of its models at
// least. Writes into the state, in the ids of whoever wrote. Spends up to `limit` of the
// walk; a turn that needs more commits nothing. Depends on the state and the action, and with an
// anchor on the turns since the last checkpoint.
Turn take_turn(const WalkSetup& setup, WindowState& state, const Action& action, int index,
               int limit, const LookObserver& observer, WalkPasses& passes);

}  // namespace umf
