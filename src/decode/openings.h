// Which cells of a finished text can be masked again, to be filled by another action
// (docs/algorithm.md#re-opening).
#pragma once

#include <span>
#include <vector>

#include "decode/lexicon.h"
#include "decode/walk.h"

namespace umf {

// By line, each with its kinds in the order of Opening::Kind; their places are the caller's to
// fill. Depends on the cells alone.
std::vector<Opening> openings_of(std::span<const Token> cells, const Lexicon& lexicon);

// The state that an opening makes of an end.
WindowState opened(WindowState end, const Opening& opening, Token mask);

}  // namespace umf
