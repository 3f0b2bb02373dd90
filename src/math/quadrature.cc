#include "math/quadrature.h"

#include <cmath>
#include <map>

namespace umf {
namespace {

std::vector<QuadratureNode> make_nodes(int bits) {
  const PrecisionScope precision(bits);
  // A step that is a power of two keeps the nodes where they belong, to the last digit.
  const double step = std::exp2(-std::ceil(std::log2(bits / 8.0)));
  const double reach = std::asinh(bits * 0.25);
  std::vector<QuadratureNode> nodes;
  for (int k = -static_cast<int>(reach / step); k <= static_cast<int>(reach / step); ++k) {
    const Real t(k * step), quarter = pi() / Real(2);
    const Real s = quarter * apply(mpfr_sinh, t), c = apply(mpfr_cosh, s);
    const Real x = apply(mpfr_tanh, s);
    // Where the ends are out of reach of the precision, the weight is, too.
    if (mpfr_cmp_d(abs(x).get(), 1.0) >= 0) continue;
    nodes.push_back({x, Real(step) * quarter * apply(mpfr_cosh, t) / (c * c)});
  }
  return nodes;
}

}  // namespace

const std::vector<QuadratureNode>& quadrature_nodes(int bits) {
  thread_local std::map<int, std::vector<QuadratureNode>> cache;
  if (cache.size() > 8) cache.clear();
  const auto [place, fresh] = cache.try_emplace(bits);
  if (fresh) place->second = make_nodes(bits);
  return place->second;
}

}  // namespace umf
