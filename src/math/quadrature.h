// Tanh-sinh quadrature: where to evaluate an integrand on (-1, 1), and how much each value counts.
#pragma once

#include <vector>

#include "math/complex.h"

namespace umf {

struct QuadratureNode {
  Real x, weight;
};

// Enough nodes for smooth integrands at this precision. Kept for the thread's next integral.
const std::vector<QuadratureNode>& quadrature_nodes(int bits);

}  // namespace umf
