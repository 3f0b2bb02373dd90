#include "backend/rotation.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "base/elementary.h"

namespace umf {
namespace {

// At which pair the numbers turn so many times within the length (a fraction of a pair).
double pair_that_turns(double times, const RotationShape& shape) {
  const double length = shape.stretch->length;
  return shape.width() * elementary::log(length / (2 * std::numbers::pi * times)) /
         (2 * elementary::log(shape.theta));
}

// The share of the stretched frequency in that of every pair: 0 before the ramp, 1 behind it.
struct Ramp {
  explicit Ramp(const RotationShape& shape) {
    begin = pair_that_turns(shape.stretch->fast, shape);
    end = pair_that_turns(shape.stretch->slow, shape);
    if (shape.stretch->whole_pairs) begin = std::floor(begin), end = std::ceil(end);
    begin = std::max(begin, 0.0);
    end = std::min(end, shape.width() - 1.0);
    if (begin == end) end += 0.001;
  }
  double operator()(int pair) const { return std::clamp((pair - begin) / (end - begin), 0.0, 1.0); }

  double begin, end;
};

}  // namespace

std::vector<float> rotation_frequencies(const RotationShape& shape) {
  std::vector<float> frequencies;
  for (int j = 0; j < shape.width() / 2; ++j) {
    double frequency = elementary::pow(shape.theta, -2.0 * j / shape.width());
    if (shape.stretch) {
      const double stretched = Ramp(shape)(j);
      frequency *= 1 - stretched + stretched / shape.stretch->factor;
    }
    frequencies.push_back(static_cast<float>(frequency));
  }
  return frequencies;
}

double rotation_size(const RotationShape& shape, int position) {
  if (!shape.growth) return 1;
  return 1 + shape.growth->share * elementary::log(1 + position / shape.growth->length);
}

}  // namespace umf
