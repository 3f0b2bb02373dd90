// Numeric values of trees, to any precision, with the symbols set to given numbers.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "math/complex.h"
#include "math/expr.h"

namespace umf {

// How much may be computed before an expression is given up. Counted, not timed, so that the same
// input has the same end on every machine.
class Work {
 public:
  explicit Work(std::int64_t steps) : left_(steps) {}
  void spend(std::int64_t steps) {
    left_ -= steps;
    if (left_ < 0) throw MathLimit("takes too much work");
  }

 private:
  std::int64_t left_;
};

// Values of symbols, by canonical text; unknown functions of atoms count as symbols of their own.
using Bindings = std::map<std::string, Complex>;

// The value of `e` at the precision of the thread's PrecisionScope. Nothing where it is undefined
// there (a pole, infinity) or where numbers cannot tell (an infinite sum, an unbound symbol).
// Throws MathLimit when the work is used up.
std::optional<Complex> evaluate(const Expr& e, const Bindings& bindings, Work& work);

}  // namespace umf
