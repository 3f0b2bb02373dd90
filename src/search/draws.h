// Random draws of a search's decisions: a stream that is a pure function of (seed, counter).
#pragma once

#include <cstdint>

#include "base/random.h"

namespace umf {

// Every decision opens the stream of its own number, so what it draws does not depend on how often
// others were asked. Only double arithmetic and the functions of base/elementary.h: no distribution
// of the standard library, whose results differ between implementations.
class Draws {
 public:
  Draws(std::uint64_t seed, std::uint64_t counter) : key_(noise_key(seed, counter, {})) {}

  double uniform();            // strictly between 0 and 1
  int below(int count);        // one of 0 .. count - 1
  double normal();             // mean 0, variance 1
  double gamma(double shape);  // scale 1; shape > 0
  double beta(double a, double b);

 private:
  NoiseKey key_;
  std::uint32_t drawn_ = 0;
};

}  // namespace umf
