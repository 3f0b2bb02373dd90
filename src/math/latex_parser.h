// LaTeX mathematics to a tree: a recursive descent that stops at a bounded depth.
#pragma once

#include <string_view>

#include "math/expr.h"

namespace umf {

// What `text`, already normalised, means. Without its units an equation is doubtful. Throws
// NotUnderstood (latex_lexer.h) for what the grammar does not cover and MathLimit for what is too
// large.
enum class LostUnits { kNo, kYes };
Expr parse_latex(std::string_view text, LostUnits lost_units = LostUnits::kNo);

}  // namespace umf
