#include "math/evaluate_functions.h"

#include <functional>
#include <map>

namespace umf {
namespace {

using Value = std::optional<Complex>;
using Args = std::vector<Complex>;

constexpr long kAngleExponent = 512;  // larger angles cost as many digits of pi
constexpr double kFactorialLimit = 1e5;

Complex real(const Real& x) { return {x, Real()}; }
Complex number(double x) { return real(Real(x)); }

Value quotient(const Complex& a, const Complex& b) {
  return b.is_zero() ? std::nullopt : Value(a / b);
}

bool is_moderate(const Complex& z) {
  return z.re.exponent() < kAngleExponent && z.im.exponent() < 40;
}

Complex imaginary_unit() { return {Real(), Real(1)}; }

Complex arc_tangent(const Complex& z) {
  if (z.is_real()) return real(apply(mpfr_atan, z.re));
  const Complex i = imaginary_unit(), one = number(1);
  return (log(one - i * z) - log(one + i * z)) * i / number(2);
}

Complex arc_sine(const Complex& z) {
  if (z.is_real() && !(Real(1) < abs(z.re))) return real(apply(mpfr_asin, z.re));
  const Complex i = imaginary_unit();
  return Complex{Real(), Real(-1)} * log(i * z + sqrt(number(1) - z * z));
}

Complex arc_cosine(const Complex& z) { return real(pi() / Real(2)) - arc_sine(z); }

Value gamma_value(const Complex& z) {
  if (!z.is_real() || Real(kFactorialLimit) < abs(z.re)) return std::nullopt;
  const Real x = snapped(z.re);
  if (x.is_integer() && x.sign() <= 0) return std::nullopt;
  return real(apply(mpfr_gamma, x));
}

Value factorial(const Complex& z) { return gamma_value(z + number(1)); }

Value binomial(const Complex& n, const Complex& k) {
  if (k.is_real() && snapped(k.re).is_integer() && abs(k.re) < Real(200)) {
    if (k.re.sign() < 0) return number(0);
    Complex result = number(1);
    const long count = mpfr_get_si(snapped(k.re).get(), MPFR_RNDN);
    for (long i = 0; i < count; ++i) {
      result = result * (n - number(static_cast<double>(i))) / number(static_cast<double>(i + 1));
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

Value extreme(const Args& args, bool largest) {
  Complex best = args[0];
  for (const Complex& z : args) {
    if (!z.is_real()) return std::nullopt;
    if (largest ? best.re < z.re : z.re < best.re) best = z;
  }
  return best;
}

using Function = std::function<Value(const Args&)>;

Complex hyperbolic_sine(const Complex& z) { return (exp(z) - exp(number(0) - z)) / number(2); }
Complex hyperbolic_cosine(const Complex& z) { return (exp(z) + exp(number(0) - z)) / number(2); }

const std::map<std::string, Function>& functions() {
  static const std::map<std::string, Function> table = {
      {"sin", [](const Args& a) { return Value(sin(a[0])); }},
      {"cos", [](const Args& a) { return Value(cos(a[0])); }},
      {"tan", [](const Args& a) { return quotient(sin(a[0]), cos(a[0])); }},
      {"cot", [](const Args& a) { return quotient(cos(a[0]), sin(a[0])); }},
      {"sec", [](const Args& a) { return quotient(number(1), cos(a[0])); }},
      {"csc", [](const Args& a) { return quotient(number(1), sin(a[0])); }},
      {"asin", [](const Args& a) { return Value(arc_sine(a[0])); }},
      {"acos", [](const Args& a) { return Value(arc_cosine(a[0])); }},
      {"atan", [](const Args& a) { return Value(arc_tangent(a[0])); }},
      {"acot",
       [](const Args& a) -> Value {
         if (a[0].is_zero()) return real(pi() / Real(2));
         return arc_tangent(number(1) / a[0]);
       }},
      {"asec",
       [](const Args& a) -> Value {
         if (a[0].is_zero()) return std::nullopt;
         return arc_cosine(number(1) / a[0]);
       }},
      {"acsc",
       [](const Args& a) -> Value {
         if (a[0].is_zero()) return std::nullopt;
         return arc_sine(number(1) / a[0]);
       }},
      {"sinh", [](const Args& a) { return Value(hyperbolic_sine(a[0])); }},
      {"cosh", [](const Args& a) { return Value(hyperbolic_cosine(a[0])); }},
      {"tanh",
       [](const Args& a) { return quotient(hyperbolic_sine(a[0]), hyperbolic_cosine(a[0])); }},
      {"coth",
       [](const Args& a) { return quotient(hyperbolic_cosine(a[0]), hyperbolic_sine(a[0])); }},
      {"asinh", [](const Args& a) { return Value(log(a[0] + sqrt(a[0] * a[0] + number(1)))); }},
      {"acosh",
       [](const Args& a) {
         return Value(log(a[0] + sqrt(a[0] + number(1)) * sqrt(a[0] - number(1))));
       }},
      {"atanh",
       [](const Args& a) -> Value {
         const Value ratio = quotient(number(1) + a[0], number(1) - a[0]);
         if (!ratio || ratio->is_zero()) return std::nullopt;
         return (log(number(1) + a[0]) - log(number(1) - a[0])) / number(2);
       }},
      {"exp", [](const Args& a) { return Value(exp(a[0])); }},
      {"log", [](const Args& a) { return logarithm(a[0], a.size() > 1 ? a[1] : exp(number(1))); }},
      {"Abs", [](const Args& a) { return Value(real(abs(a[0]))); }},
      {"floor",
       [](const Args& a) -> Value {
         if (!a[0].is_real()) return std::nullopt;
         return real(floor(a[0].re));
       }},
      {"ceiling",
       [](const Args& a) -> Value {
         if (!a[0].is_real()) return std::nullopt;
         return real(-floor(-a[0].re));
       }},
      {"factorial", [](const Args& a) { return factorial(a[0]); }},
      {"binomial", [](const Args& a) { return binomial(a[0], a[1]); }},
      {"Mod", [](const Args& a) { return modulo(a[0], a[1]); }},
      {"Max", [](const Args& a) { return extreme(a, true); }},
      {"Min", [](const Args& a) { return extreme(a, false); }},
      {"conjugate",
       [](const Args& a) {
         return Value(Complex{a[0].re, -a[0].im});
       }},
  };
  return table;
}

}  // namespace

std::optional<Complex> evaluate_function(const std::string& name,
                                         const std::vector<Complex>& args) {
  const auto found = functions().find(name);
  if (found == functions().end() || args.empty()) return std::nullopt;
  for (const Complex& z : args) {
    if (!is_moderate(z)) return std::nullopt;
  }
  return found->second(args);
}

}  // namespace umf
