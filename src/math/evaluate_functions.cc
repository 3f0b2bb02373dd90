#include "math/evaluate_functions.h"

#include <algorithm>
#include <map>

namespace umf {
namespace {

using Value = std::optional<Complex>;

constexpr long kAngleExponent = 512;  // larger angles cost as many digits of pi
constexpr double kFactorialLimit = 1e5;

Value quotient(const Complex& a, const Complex& b) {
  return b.is_zero() ? std::nullopt : Value(a / b);
}

bool is_moderate(const Complex& z) {
  return z.re.exponent() < kAngleExponent && z.im.exponent() < 40;
}

Complex imaginary_unit() { return {Real(), Real(1)}; }

Complex arc_tangent(const Complex& z) {
  if (z.is_real()) return real(apply(mpfr_atan, z.re));
  const Complex i = imaginary_unit(), one = real(1);
  return (log(one - i * z) - log(one + i * z)) * i / real(2);
}

Complex arc_sine(const Complex& z) {
  if (z.is_real() && !(Real(1) < abs(z.re))) return real(apply(mpfr_asin, z.re));
  const Complex i = imaginary_unit();
  return Complex{Real(), Real(-1)} * log(i * z + sqrt(real(1) - z * z));
}

Complex arc_cosine(const Complex& z) { return real(pi() / Real(2)) - arc_sine(z); }

Value gamma_value(const Complex& z) {
  if (!z.is_real() || Real(kFactorialLimit) < abs(z.re)) return std::nullopt;
  const Real x = snapped(z.re);
  if (x.is_integer() && x.sign() <= 0) return std::nullopt;
  return real(apply(mpfr_gamma, x));
}

Value factorial(const Complex& z) { return gamma_value(z + real(1)); }

Value binomial(const Complex& n, const Complex& k) {
  if (k.is_real() && snapped(k.re).is_integer() && abs(k.re) < Real(200)) {
    if (k.re.sign() < 0) return real(0);
    Complex result = real(1);
    const long count = mpfr_get_si(snapped(k.re).get(), MPFR_RNDN);
    for (long i = 0; i < count; ++i) {
      result = result * (n - real(static_cast<double>(i))) / real(static_cast<double>(i + 1));
    }
    return result;
  }
  const Value a = factorial(n), b = factorial(k), c = factorial(n - k);
  return a && b && c ? quotient(*a, *b * *c) : std::nullopt;
}

Value logarithm(const Complex& z, const Complex& base) {
  if (z.is_zero() || base.is_zero()) return std::nullopt;
  return quotient(log(z), log(base));
}

Value modulo(const Complex& a, const Complex& b) {
  if (!a.is_real() || !b.is_real() || b.is_zero()) return std::nullopt;
  return real(a.re - b.re * floor(a.re / b.re));
}

Value extreme(const std::vector<Complex>& args, bool largest) {
  Complex best = args[0];
  for (const Complex& z : args) {
    if (!z.is_real()) return std::nullopt;
    if (largest ? best.re < z.re : z.re < best.re) best = z;
  }
  return best;
}

Complex hyperbolic_sine(const Complex& z) { return (exp(z) - exp(real(0) - z)) / real(2); }
Complex hyperbolic_cosine(const Complex& z) { return (exp(z) + exp(real(0) - z)) / real(2); }

Value area_tangent(const Complex& z) {
  const Value ratio = quotient(real(1) + z, real(1) - z);
  if (!ratio || ratio->is_zero()) return std::nullopt;
  return (log(real(1) + z) - log(real(1) - z)) / real(2);
}

using FunctionOfOne = Value (*)(const Complex&);

// `function` of 1/z; nothing for 0.
template <Complex function(const Complex&)>
Value of_reciprocal(const Complex& z) {
  return z.is_zero() ? std::nullopt : Value(function(real(1) / z));
}

const std::map<std::string, FunctionOfOne>& functions_of_one() {
  using Z = const Complex&;
  static const std::map<std::string, FunctionOfOne> table = {
      {"sin", [](Z z) -> Value { return sin(z); }},
      {"cos", [](Z z) -> Value { return cos(z); }},
      {"tan", [](Z z) { return quotient(sin(z), cos(z)); }},
      {"cot", [](Z z) { return quotient(cos(z), sin(z)); }},
      {"sec", [](Z z) { return quotient(real(1), cos(z)); }},
      {"csc", [](Z z) { return quotient(real(1), sin(z)); }},
      {"asin", [](Z z) -> Value { return arc_sine(z); }},
      {"acos", [](Z z) -> Value { return arc_cosine(z); }},
      {"atan", [](Z z) -> Value { return arc_tangent(z); }},
      {"acot", [](Z z) { return z.is_zero() ? real(pi() / 2) : of_reciprocal<arc_tangent>(z); }},
      {"asec", of_reciprocal<arc_cosine>},
      {"acsc", of_reciprocal<arc_sine>},
      {"sinh", [](Z z) -> Value { return hyperbolic_sine(z); }},
      {"cosh", [](Z z) -> Value { return hyperbolic_cosine(z); }},
      {"tanh", [](Z z) { return quotient(hyperbolic_sine(z), hyperbolic_cosine(z)); }},
      {"coth", [](Z z) { return quotient(hyperbolic_cosine(z), hyperbolic_sine(z)); }},
      {"asinh", [](Z z) -> Value { return log(z + sqrt(z * z + real(1))); }},
      {"acosh", [](Z z) -> Value { return log(z + sqrt(z + real(1)) * sqrt(z - real(1))); }},
      {"atanh", area_tangent},
      {"exp", [](Z z) -> Value { return exp(z); }},
      {"log", [](Z z) { return logarithm(z, exp(real(1))); }},
      {"Abs", [](Z z) -> Value { return real(abs(z)); }},
      {"floor", [](Z z) { return z.is_real() ? Value(real(floor(z.re))) : std::nullopt; }},
      {"ceiling", [](Z z) { return z.is_real() ? Value(real(-floor(-z.re))) : std::nullopt; }},
      {"factorial", factorial},
      {"conjugate",
       [](Z z) -> Value {
         return Complex{z.re, -z.im};
       }},
  };
  return table;
}

}  // namespace

std::optional<Complex> evaluate_function(const std::string& name,
                                         const std::vector<Complex>& args) {
  if (args.empty() || !std::ranges::all_of(args, is_moderate)) return std::nullopt;
  if (name == "log" && args.size() > 1) return logarithm(args[0], args[1]);
  if (name == "binomial") return binomial(args[0], args[1]);
  if (name == "Mod") return modulo(args[0], args[1]);
  if (name == "Max" || name == "Min") return extreme(args, name == "Max");
  const auto found = functions_of_one().find(name);
  return found == functions_of_one().end() ? std::nullopt : found->second(args[0]);
}

}  // namespace umf
