// A step that may mask committed cells again and still is a function of the window: P2
// (docs/algorithm.md#p2).
#pragma once

#include <span>
#include <vector>

#include "decode/action.h"
#include "decode/denoise.h"

namespace umf {

// What changes so that `masks_left` masks are left: the cells that the action's strategy ranks
// lowest, committed ones included, are masks then; masks among the others take their candidates,
// and committed cells among them stay. Cells that are masked again come first, as commits of the
// mask, then the others, each in ascending order. One forward pass; of equals the lower cell is
// kept. Noise is keyed as that of denoise().
std::vector<Commit> replan(Model& model, std::span<const Token> prompt,
                           std::span<const Token> window, const Action& action, int index,
                           int masks_left, double time);

}  // namespace umf
