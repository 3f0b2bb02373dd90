// Matrix arithmetic on trees.
#pragma once

#include "math/expr.h"

namespace umf {

// The determinant as a tree, a number where it can be. Throws MathLimit for large ones,
// NotUnderstood for one that is not square.
Expr determinant(const Expr& matrix);

// `e` as one matrix, where it is built from matrices by sums, products, powers and transposition;
// null where it is not or the shapes do not fit.
Expr as_matrix(const Expr& e);

bool has_matrix(const Expr& e);

}  // namespace umf
