// Trajectories that mask committed cells again (ReMDM, docs/algorithm.md#remdm).
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "decode/action.h"
#include "decode/denoise.h"

namespace umf {

struct Remasked {
  int passes = 0;
  bool finished = true;  // false: ended by the limit or the observer
};

// After every pass: the window so far, and what was committed. Returning false ends the trajectory.
using TrajectoryObserver =
    std::function<bool(std::span<const Token> window, std::span<const Commit> commits)>;

// Fills the masks of `window` in one trajectory of the action's passes at most. Only cells that
// were masked at its start are ever masked again. A forward pass is made for steps that commit
// cells; others need no prediction and cost nothing. Noise is keyed by the seed, the action's
// `index`, the window and the number of the step.
Remasked remask(Model& model, std::span<const Token> prompt, std::vector<Token>& window,
                const Action& action, int index, int limit, const TrajectoryObserver& observer);

}  // namespace umf
