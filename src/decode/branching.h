// Several children of a window from one forward pass (docs/algorithm.md#treasure).
#pragma once

#include <span>
#include <vector>

#include "decode/action.h"
#include "decode/denoise.h"

namespace umf {

struct Drafts {
  std::vector<std::vector<Commit>> children;  // what each draw commits
  std::vector<Commit> completion;             // every mask with its most probable token
};

// Each child commits one mask, drawn uniformly from those in [begin, end), with a token drawn as
// the action says, and beside it those that the action's commit rule is sure of. Noise is keyed by
// the seed, the action's `index`, the window and the child's number.
Drafts draft_children(Model& model, std::span<const Token> prompt, std::span<const Token> window,
                      const Action& action, int index, int begin, int end, int children);

}  // namespace umf
