// LaTeX mathematics to a tree: a recursive descent that stops at a bounded depth.
#pragma once

#include <string_view>

#include "math/expr.h"

namespace umf {

// What `text`, already normalised, means. Throws NotUnderstood (latex_lexer.h) for what the grammar
// does not cover and MathLimit for what is too large.
Expr parse_latex(std::string_view text);

}  // namespace umf
