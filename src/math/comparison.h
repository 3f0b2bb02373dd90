// One comparison of two readings, by the rules of the reference.
#pragma once

#include <string>

#include "math/evaluate.h"
#include "math/expr.h"
#include "math/math_verify.h"

namespace umf {

class Comparison {
 public:
  Comparison(const MathVerifyConfig& config, ComputerAlgebra* algebra);

  // May throw MathLimit.
  bool equal(Expr gold, Expr answer);
  const std::string& decided_by() const { return decided_by_; }

 private:
  bool relations(const Expr& gold, const Expr& answer);
  bool same_solutions(const Expr& gold, const Expr& answer);
  bool sets(const Expr& gold, const Expr& answer);
  bool elements(const Expr& gold, const Expr& answer);
  bool symbols(const Expr& gold, const Expr& answer);
  bool numbers(const Expr& gold, const Expr& answer);
  bool by_number(const Expr& gold, const Expr& answer);
  bool by_identity(const Expr& gold, const Expr& answer);
  bool decided(bool verdict, const char* by);

  const MathVerifyConfig& config_;
  ComputerAlgebra* algebra_;
  Work work_;
  int depth_ = 0;
  std::string decided_by_;
};

// An equation, or a chain of them, whose first left side has no numbers in it: x, x+y, |z|, sin A.
bool is_assignment(const Expr& e);

// Does an equation in `e` set two real constants equal that are not? Decimals and percentages stand
// for all that they round or cut off. What may have been meant otherwise states nothing.
bool states_a_falsehood(const Expr& e);

// The right side of the last equation.
Expr last_right_side(const Expr& equation);

}  // namespace umf
