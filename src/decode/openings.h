// Which cells of a finished text can be masked again, to be filled by another action
// (docs/algorithm.md#re-opening).
#pragma once

#include <span>
#include <vector>

#include "base/verdict.h"
#include "decode/lexicon.h"
#include "decode/walk.h"

namespace umf {

// What failing tests name first: all lines of a test, then the one where the exception was raised.
// Then by line, each with its kinds in the order of Opening::Kind. Their places are the caller's to
// fill. Depends on the arguments alone.
std::vector<Opening> openings_of(std::span<const Token> cells, const Lexicon& lexicon,
                                 const Verdict& verdict = {});

// The state that an opening makes of an end.
WindowState opened(WindowState end, const Opening& opening, Token mask);

}  // namespace umf
