// Sets of real numbers: which are the same, and which a relation describes.
#pragma once

#include <optional>

#include "math/evaluate.h"
#include "math/expr.h"

namespace umf {

// Do two sets built from intervals, finite sets and the reals have the same elements? Nothing where
// a boundary is no real constant.
std::optional<bool> same_real_set(const Expr& a, const Expr& b);

// The real solutions of a relation, or of a conjunction of relations, in one unknown; null where it
// is not linear or quadratic.
Expr solution_set(const Expr& relation, Work& work);

}  // namespace umf
