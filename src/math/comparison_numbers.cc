// Comparing numbers, expressions and matrices.
#include "math/compare_numbers.h"
#include "math/comparison.h"
#include "math/computer_algebra.h"
#include "math/exact.h"
#include "math/matrix.h"

namespace umf {
namespace {

// A number as it stands, or one times 1/100.
const Node* atomic_number(const Expr& e) {
  if (is(e, Kind::kNumber) || is(e, Kind::kFloat)) return e.get();
  return is_percentage(e) ? atomic_number(e->args[0]) : nullptr;
}

bool is_float(const Node* atomic) { return atomic != nullptr && atomic->kind == Kind::kFloat; }

bool is_whole(const Expr& e) {
  const auto value = exact_value(e);
  return value && value->get_den() == 1;
}

// What has a closed form that numbers can only suggest. Everything else that has no value is too
// large, and no algebra would help.
bool may_have_closed_form(const Expr& e) {
  return contains_kind(e, Kind::kIntegral) || contains_kind(e, Kind::kLimit) ||
         contains_kind(e, Kind::kDerivative) || contains_kind(e, Kind::kSum) ||
         contains_kind(e, Kind::kProduct);
}

// Numbers that were found by approximation, so that a difference proves nothing.
bool is_approximated(const Expr& e) {
  return contains_kind(e, Kind::kIntegral) || contains_kind(e, Kind::kLimit);
}

}  // namespace

bool Comparison::numbers(const Expr& gold, const Expr& answer) {
  if (has_matrix(gold) || has_matrix(answer)) {
    decided_by_ = "matrices";
    const Expr a = as_matrix(gold), b = as_matrix(answer);
    if (!a || !b || a->columns != b->columns || a->args.size() != b->args.size()) return false;
    for (std::size_t i = 0; i < a->args.size(); ++i) {
      if (!by_number(a->args[i], b->args[i]) && !by_identity(a->args[i], b->args[i])) return false;
    }
    return true;
  }
  return by_number(gold, answer) || by_identity(gold, answer);
}

bool Comparison::by_number(const Expr& gold, const Expr& answer) {
  decided_by_ = "numbers";
  const Node *a = atomic_number(gold), *b = atomic_number(answer);
  if (a == nullptr && b == nullptr) {
    const auto x = exact_value(gold), y = exact_value(answer);
    if (x && y && *x == *y) return true;
    return nearly_equal(gold, answer, config_.numeric_precision, work_) == Truth::kYes;
  }
  if (!is_float(a) && !is_float(b)) {
    const auto x = exact_value(gold), y = exact_value(answer);
    return x && y && *x == *y;
  }
  // A decimal is never a whole number here; only a difference of 0 makes them equal, later.
  if (is_whole(gold) || is_whole(answer)) return false;
  const PrecisionScope precision(256);
  const auto x = constant_value(gold, work_), y = constant_value(answer, work_);
  return x && y && equal_when_rounded(*x, *y, config_.float_rounding);
}

bool Comparison::by_identity(const Expr& gold, const Expr& answer) {
  decided_by_ = "identity";
  const Truth truth = identically_equal(gold, answer, work_);
  if (truth == Truth::kYes) return true;
  const bool open = truth == Truth::kUnknown
                        ? may_have_closed_form(gold) || may_have_closed_form(answer)
                        : is_approximated(gold) || is_approximated(answer);
  if (!open) return false;
  if (algebra_ == nullptr) return decided(false, "open: no computer algebra");
  const auto verdict = algebra_->equal(gold, answer);
  return decided(verdict.value_or(false), verdict ? "computer algebra" : "open");
}

}  // namespace umf
