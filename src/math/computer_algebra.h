// The seam to a computer algebra system, for what our own mathematics leaves open.
#pragma once

#include <optional>

#include "math/expr.h"

namespace umf {

class ComputerAlgebra {
 public:
  virtual ~ComputerAlgebra() = default;

  // Does a - b simplify to 0? Nothing where it cannot tell in its time. Threads may share it.
  // Throws Error where the machine could not ask, which says nothing about either.
  virtual std::optional<bool> equal(const Expr& a, const Expr& b) = 0;
};

}  // namespace umf
