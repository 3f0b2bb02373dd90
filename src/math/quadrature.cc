#include "math/quadrature.h"

#include <cmath>
#include <map>

#include "base/elementary.h"

namespace umf {
namespace {

std::vector<QuadratureNode> make_nodes(int bits) {
  const PrecisionScope precision(bits);
  // A step that is a power of two keeps the nodes where they belong, to the last digit.
  double step = 1;
  while (step * bits > 8) step /= 2;
  const double end = bits * 0.25, reach = elementary::log(end + std::sqrt(end * end + 1));
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
