#include "math/compare_numbers.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "math/exact.h"

namespace umf {
namespace {

constexpr int kLowBits = 256, kHighBits = 512;
constexpr int kPoints = 8, kPointsNeeded = 3;
constexpr long kExponentLimit = 20'000;  // of values that are compared digit by digit

std::optional<int> infinite_sign(const Expr& e) {
  if (is_constant(e, "oo")) return 1;
  if (is_constant(e, "-oo")) return -1;
  return std::nullopt;
}

// A value between 0.3 and 3.3 that depends on the name and the number of the point alone, with many
// binary places so that no identity holds by accident.
mpq_class sample(const std::string& name, int point, int part) {
  std::uint64_t hash = 0xcbf29ce484222325u + static_cast<std::uint64_t>(point * 4 + part);
  for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  hash ^= hash >> 29;
  hash *= 0xbf58476d1ce4e5b9u;
  hash ^= hash >> 32;
  mpq_class value(static_cast<unsigned long>(hash % 3'000'017), 1'000'003);
  value.canonicalize();
  value += mpq_class(3, 10);
  // Signs: all positive, all negative, then mixed.
  const bool negative = point == 1 || (point > 1 && ((hash >> 40) & 1) != 0);
  return negative ? mpq_class(-value) : value;
}

Unknowns unknowns_of_both(const Expr& a, const Expr& b) {
  Unknowns unknowns = unknowns_of(a);
  unknowns.merge(unknowns_of(b));
  return unknowns;
}

Bindings bindings_at(const Unknowns& unknowns, int point) {
  Bindings bindings;
  for (const auto& [name, unknown] : unknowns) {
    bindings[name] = {Real(sample(name, point, 0)),
                      unknown->is_real ? Real() : Real(sample(name, point, 1))};
  }
  return bindings;
}

// A difference at two precisions: what is zero shrinks with the precision, what is not stays.
struct Difference {
  Complex low, high;
  Real size;  // of the larger operand

  bool is_zero() const {
    if (high.is_zero()) return true;
    if (low.is_zero()) return abs(high).exponent() < size.exponent() - kLowBits / 2;
    return abs(high).exponent() < abs(low).exponent() - 96;
  }
  // As close as doubles would be.
  bool is_rounding() const { return high.is_zero() || abs(high).exponent() < size.exponent() - 47; }
};

Real larger(const Complex& a, const Complex& b) {
  const Real x = abs(a), y = abs(b);
  return x < y ? y : x;
}

std::optional<std::pair<Complex, Complex>> values_at(const Expr& a, const Expr& b,
                                                     const Unknowns& unknowns, int point,
                                                     Work& work) {
  const Bindings bindings = bindings_at(unknowns, point);
  const auto x = evaluate(a, bindings, work), y = evaluate(b, bindings, work);
  if (!x || !y) return std::nullopt;
  return std::pair(*x, *y);
}

std::optional<Difference> difference_at(const Expr& a, const Expr& b, const Unknowns& unknowns,
                                        int point, Work& work) {
  int extra = 0;
  {
    // Large values need as many bits more: 2^1000 and 2^1000 + 1 differ in the thousandth.
    const PrecisionScope precision(64);
    const auto rough = values_at(a, b, unknowns, point, work);
    if (!rough) return std::nullopt;
    const long exponent = larger(rough->first, rough->second).exponent();
    if (exponent > kExponentLimit) return std::nullopt;
    if (exponent > 64) extra = static_cast<int>(exponent);
    work.spend(extra);
  }
  Difference difference;
  for (const int bits : {kLowBits, kHighBits}) {
    const PrecisionScope precision(bits + extra);
    const auto values = values_at(a, b, unknowns, point, work);
    if (!values) return std::nullopt;
    (bits == kLowBits ? difference.low : difference.high) = values->first - values->second;
    difference.size = larger(values->first, values->second);
  }
  return difference;
}

bool has_decimals(const Expr& a, const Expr& b) {
  return contains_kind(a, Kind::kFloat) || contains_kind(b, Kind::kFloat);
}

// Does `holds(point)` at every point where it has a value, and has it one at enough of them?
template <class Holds>
Truth at_points(int points, const Holds& holds) {
  int defined = 0;
  for (int point = 0; point < points; ++point) {
    const std::optional<bool> here = holds(point);
    if (!here) continue;
    if (!*here) return Truth::kNo;
    ++defined;
  }
  return defined >= std::min(points, kPointsNeeded) ? Truth::kYes : Truth::kUnknown;
}

// f = c0 + c1 x by its values at 0 and 1; nothing where others are not on that line. They have both
// signs and are no whole numbers, so that |x| and floor(x) are not taken for x.
std::optional<Complex> linear_root(const Expr& f, const std::string& name, Bindings bindings,
                                   Work& work) {
  const auto value_at = [&](const mpq_class& x) {
    bindings[name] = real(Real(x));
    return evaluate(f, bindings, work);
  };
  const auto start = value_at(0), one = value_at(1);
  if (!start || !one) return std::nullopt;
  const Complex slope = *one - *start;
  for (const mpq_class& x : {mpq_class(9, 4), mpq_class(-7, 4)}) {
    const auto value = value_at(x);
    if (!value) return std::nullopt;
    const Complex bend = *value - *start - slope * real(Real(x));
    const long scale = larger(*value, *start).exponent();
    if (abs(bend).exponent() > scale - 100 || abs(slope).exponent() < scale - 100) {
      return std::nullopt;
    }
  }
  return (Complex{} - *start) / slope;
}

}  // namespace

Unknowns unknowns_of(const Expr& e) {
  if (is(e, Kind::kSymbol) || is(e, Kind::kApplied)) return {{canonical_text(e), e}};
  Unknowns unknowns;
  for (const Expr& arg : e->args) unknowns.merge(unknowns_of(arg));
  return unknowns;
}

std::optional<Complex> constant_value(const Expr& e, Work& work) { return evaluate(e, {}, work); }

Truth nearly_equal(const Expr& a, const Expr& b, int digits, Work& work) {
  const auto difference = difference_at(a, b, {}, 0, work);
  if (!difference) return Truth::kUnknown;
  const long bits = std::lround((digits + 1) * 3.3219280948873626);
  const Complex& d = difference->high;
  return d.re.exponent() < -bits && d.im.exponent() < -bits ? Truth::kYes : Truth::kNo;
}

bool equal_when_rounded(const Complex& a, const Complex& b, int decimals) {
  Real scale(10);
  mpfr_pow_ui(scale.get(), scale.get(), static_cast<unsigned long>(decimals), MPFR_RNDN);
  const auto same = [&](const Real& x, const Real& y) {
    return (round_to_integer(x * scale) - round_to_integer(y * scale)).is_zero();
  };
  return same(a.re, b.re) && same(a.im, b.im);
}

std::optional<int> compare_values(const Expr& a, const Expr& b) {
  const auto left = infinite_sign(a), right = infinite_sign(b);
  if (left && right) return *left < *right ? -1 : *left > *right ? 1 : 0;
  const auto exact_a = exact_value(a), exact_b = exact_value(b);
  if (exact_a && exact_b) return cmp(*exact_a, *exact_b) < 0 ? -1 : *exact_a == *exact_b ? 0 : 1;
  try {
    Work work(100'000);
    if (left || right) {
      const auto finite = constant_value(left ? b : a, work);
      if (!finite || !finite->is_real()) return std::nullopt;
      return left ? *left : -*right;
    }
    const auto difference = difference_at(a, b, {}, 0, work);
    if (!difference) return std::nullopt;
    if (difference->is_zero()) return 0;
    if (!difference->high.is_real()) return std::nullopt;
    return difference->high.re.sign();
  } catch (const MathLimit&) {
    return std::nullopt;
  }
}

Truth identically_equal(const Expr& a, const Expr& b, Work& work) {
  const Unknowns unknowns = unknowns_of_both(a, b);
  const bool decimals = has_decimals(a, b);
  return at_points(unknowns.empty() ? 1 : kPoints, [&](int point) -> std::optional<bool> {
    const auto difference = difference_at(a, b, unknowns, point, work);
    if (!difference) return std::nullopt;
    return decimals ? difference->is_rounding() : difference->is_zero();
  });
}

Truth proportional(const Expr& a, const Expr& b, Work& work) {
  const Unknowns unknowns = unknowns_of_both(a, b);
  const PrecisionScope precision(kLowBits);
  const long tolerance = has_decimals(a, b) ? 44 : 128;
  std::optional<Complex> ratio;
  return at_points(kPoints, [&](int point) -> std::optional<bool> {
    const auto values = values_at(a, b, unknowns, point, work);
    if (!values || values->first.is_zero() || values->second.is_zero()) return std::nullopt;
    const Complex here = values->first / values->second;
    if (!ratio) ratio = here;
    return abs(here - *ratio).exponent() <= abs(*ratio).exponent() - tolerance;
  });
}

Truth same_linear_root(const Expr& f, const Expr& g, const std::string& name, Work& work) {
  const Unknowns unknowns = unknowns_of_both(f, g);
  const PrecisionScope precision(kLowBits);
  return at_points(kPoints, [&](int point) -> std::optional<bool> {
    const Bindings bindings = bindings_at(unknowns, point);
    const auto x = linear_root(f, name, bindings, work), y = linear_root(g, name, bindings, work);
    if (!x || !y) return std::nullopt;
    const bool zero = x->is_zero() && y->is_zero();
    // a x = 0 and b x = 0 have more in common with each other than x = 0 says.
    if (zero && unknowns.size() > 1) return std::nullopt;
    return zero || abs(*x - *y).exponent() < larger(*x, *y).exponent() - 100;
  });
}

}  // namespace umf
