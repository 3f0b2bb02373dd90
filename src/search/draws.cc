#include "search/draws.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "base/elementary.h"

namespace umf {

double Draws::uniform() {
  const std::uint64_t upper = noise_word(key_, drawn_, 0), lower = noise_word(key_, drawn_, 1);
  ++drawn_;
  // 52 bits and a half: exact in double, and neither 0 nor 1.
  return (static_cast<double>((upper << 32 | lower) >> 12) + 0.5) * 0x1p-52;
}

int Draws::below(int count) { return std::min(static_cast<int>(uniform() * count), count - 1); }

// Box and Muller's transformation; the second number of the pair is not kept, so that a draw leaves
// no state.
double Draws::normal() {
  const double radius = std::sqrt(-2 * elementary::log(uniform()));
  return radius * elementary::cos(2 * std::numbers::pi * uniform());
}

// Marsaglia and Tsang (2000): a transformed normal, accepted about 19 times in 20.
double Draws::gamma(double shape) {
  if (shape < 1) {
    const double larger = gamma(shape + 1);
    return larger * elementary::pow(uniform(), 1 / shape);
  }
  const double d = shape - 1.0 / 3, c = 1 / std::sqrt(9 * d);
  while (true) {
    const double x = normal(), root = 1 + c * x, v = root * root * root;
    const double u = uniform();  // drawn in every round: the stream advances alike on either branch
    if (root > 0 && elementary::log(u) < 0.5 * x * x + d - d * v + d * elementary::log(v))
      return d * v;
  }
}

double Draws::beta(double a, double b) {
  const double x = gamma(a), y = gamma(b);
  return x / (x + y);
}

}  // namespace umf
