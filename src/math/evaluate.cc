#include "math/evaluate.h"

#include "math/evaluate_functions.h"
#include "math/quadrature.h"

namespace umf {
namespace {

using Value = std::optional<Complex>;

constexpr long kSumLimit = 20'000;
constexpr long kExponentLimit = 1 << 20;  // beyond 2^(2^20) nothing is compared

class Evaluator {
 public:
  Evaluator(const Bindings& bindings, Work& work) : bindings_(bindings), work_(work) {}

  Value value(const Expr& e) {
    work_.spend(1);
    Value result = raw_value(e);
    if (!result || !result->is_finite()) return std::nullopt;
    if (result->re.exponent() > kExponentLimit || result->im.exponent() > kExponentLimit) {
      return std::nullopt;
    }
    return result;
  }

 private:
  Value raw_value(const Expr& e) {
    switch (e->kind) {
      case Kind::kNumber:
        return real(Real(e->value));
      case Kind::kFloat:
        return real(Real(e->real));
      case Kind::kConstant:
        return constant_value(e->name);
      case Kind::kSymbol:
      case Kind::kApplied:
        return bound(e);
      case Kind::kAdd:
        return folded(e, Real(0), [](auto& a, auto& b) { return a + b; });
      case Kind::kMul:
        return folded(e, Real(1), [](auto& a, auto& b) { return a * b; });
      case Kind::kPow:
        return power_value(e);
      case Kind::kFunction:
        return function_value(e);
      case Kind::kSum:
        return repeated(e, Real(0), [](auto& a, auto& b) { return a + b; });
      case Kind::kProduct:
        return repeated(e, Real(1), [](auto& a, auto& b) { return a * b; });
      case Kind::kDerivative:
        return derivative(e);
      case Kind::kIntegral:
        return integral(e);
      case Kind::kLimit:
        return with(e->args[1], e->args[2], e->args[0]);
      default:
        return std::nullopt;
    }
  }

  Value constant_value(const std::string& name) {
    if (name == "pi") return real(pi());
    if (name == "E") return exp(real(1));
    if (name == "I") return Complex{Real(), Real(1)};
    return std::nullopt;
  }

  Value bound(const Expr& e) {
    const auto found = bindings_.find(canonical_text(e));
    return found == bindings_.end() ? std::nullopt : Value(found->second);
  }

  template <class Fold>
  Value folded(const Expr& e, const Real& start, const Fold& fold) {
    Complex total = real(start);
    for (const Expr& arg : e->args) {
      const Value term = value(arg);
      if (!term) return std::nullopt;
      total = fold(total, *term);
    }
    return total;
  }

  Value power_value(const Expr& e) {
    // A root whose degree is exact takes the exact exponent: 1/3 is no binary fraction.
    const Value base = value(e->args[0]), exponent = value(e->args[1]);
    if (!base || !exponent) return std::nullopt;
    if (base->is_zero() && exponent->re.sign() <= 0) {
      return exponent->is_zero() ? Value(real(1)) : std::nullopt;
    }
    return pow(*base, *exponent);
  }

  Value function_value(const Expr& e) {
    std::vector<Complex> args;
    for (const Expr& arg : e->args) {
      const Value v = value(arg);
      if (!v) return std::nullopt;
      args.push_back(*v);
    }
    work_.spend(10);
    return evaluate_function(e->name, args);
  }

  // The body with the variable set to the value of `at`.
  Value with(const Expr& variable, const Expr& at, const Expr& body) {
    const Value v = value(at);
    return v ? with(variable, *v, body) : std::nullopt;
  }

  Value with(const Expr& variable, const Complex& at, const Expr& body) {
    Bindings inner = bindings_;
    inner[canonical_text(variable)] = at;
    return Evaluator(inner, work_).value(body);
  }

  template <class Fold>
  Value repeated(const Expr& e, const Real& start, const Fold& fold) {
    const Value from = value(e->args[2]), to = value(e->args[3]);
    if (!from || !to || !from->is_real() || !to->is_real()) return std::nullopt;
    const Real first = snapped(from->re), last = snapped(to->re);
    if (!first.is_integer() || !last.is_integer()) return std::nullopt;
    if (Real(kSumLimit) < last - first) return std::nullopt;
    Complex total = real(start);
    for (Real k = first; !(last < k); k = k + Real(1)) {
      const Value term = with(e->args[1], real(k), e->args[0]);
      if (!term) return std::nullopt;
      total = fold(total, *term);
    }
    return total;
  }

  // A symmetric difference whose error falls with the precision, as comparisons at two precisions
  // want it.
  Value derivative(const Expr& e) {
    const Value at = value(e->args[1]);
    if (!at) return std::nullopt;
    Real step(1);
    mpfr_div_2ui(step.get(), step.get(), PrecisionScope::bits() / 4, MPFR_RNDN);
    const Value above = with(e->args[1], *at + real(step), e->args[0]);
    const Value below = with(e->args[1], *at - real(step), e->args[0]);
    if (!above || !below) return std::nullopt;
    return (*above - *below) / real(step + step);
  }

  // Tanh-sinh quadrature between finite ends.
  Value integral(const Expr& e) {
    if (e->args.size() < 4) return std::nullopt;
    const Value from = value(e->args[2]), to = value(e->args[3]);
    if (!from || !to) return std::nullopt;
    const Complex middle = (*from + *to) / real(2), half = (*to - *from) / real(2);
    Complex total = real(0);
    for (const QuadratureNode& node : quadrature_nodes(PrecisionScope::bits())) {
      const Value y = with(e->args[1], middle + half * real(node.x), e->args[0]);
      if (!y) return std::nullopt;
      total = total + *y * real(node.weight);
    }
    return total * half;
  }

  const Bindings& bindings_;
  Work& work_;
};

}  // namespace

std::optional<Complex> evaluate(const Expr& e, const Bindings& bindings, Work& work) {
  return Evaluator(bindings, work).value(e);
}

}  // namespace umf
