// Equations between constants that do not hold.
#include <fmt/core.h>

#include <algorithm>

#include "math/compare_numbers.h"
#include "math/comparison.h"

namespace umf {
namespace {

constexpr std::int64_t kWorkSteps = 50'000;
constexpr long kExponentLimit = 4'000;

// One unit in the last place that is written: 0.01 for 3.14 and for 67%.
std::optional<Real> last_place(const Expr& e) {
  if (is_percentage(e)) {
    const auto inside = last_place(e->args[0]);
    return (inside ? *inside : Real(1)) / Real(100);
  }
  if (!is(e, Kind::kFloat)) return std::nullopt;
  const std::string digits = fmt::format("{}", e->real);
  const std::size_t point = digits.find('.');
  if (point == std::string::npos || digits.find('e') != std::string::npos) return Real(1);
  mpz_class places;
  mpz_ui_pow_ui(places.get_mpz_t(), 10, digits.size() - point - 1);
  return Real(mpq_class(1, places));
}

bool is_false(const Expr& equation) {
  const Expr &left = equation->args[0], &right = equation->args[1];
  if (equation->name != "=" || equation->doubtful) return false;
  if (!is_arithmetic(left) || !is_arithmetic(right)) return false;
  try {
    Work work(kWorkSteps);
    const PrecisionScope precision(256);
    const auto x = constant_value(left, work), y = constant_value(right, work);
    if (!x || !y || !x->is_real() || !y->is_real()) return false;
    const Real difference = abs(*x - *y), size = std::max(abs(*x), abs(*y));
    const auto left_unit = last_place(left), right_unit = last_place(right);
    if (left_unit || right_unit) {
      const Real unit = left_unit && right_unit ? std::max(*left_unit, *right_unit)
                        : left_unit             ? *left_unit
                                                : *right_unit;
      return !(difference < unit);
    }
    // Arithmetic with decimals is as exact as they are, which nobody has written down.
    if (contains_kind(left, Kind::kFloat) || contains_kind(right, Kind::kFloat)) {
      return !(difference < size / Real(64));
    }
    return size.exponent() < kExponentLimit &&
           nearly_equal(left, right, /*digits=*/30, work) == Truth::kNo;
  } catch (const MathLimit&) {
    return false;
  }
}

}  // namespace

bool states_a_falsehood(const Expr& e) {
  if (is(e, Kind::kRelation)) return is_false(e);
  return is(e, Kind::kAnd) && std::any_of(e->args.begin(), e->args.end(), states_a_falsehood);
}

}  // namespace umf
