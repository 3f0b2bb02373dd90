// Plain arithmetic as people type it: 3/4, 2*(5+1), 10^3.
#pragma once

#include <string_view>

#include "math/expr.h"

namespace umf {

// Throws NotUnderstood (latex_lexer.h) or MathLimit.
Expr parse_plain(std::string_view text);

}  // namespace umf
