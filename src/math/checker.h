// The checkers by name: is this answer the same as the gold answer?
#pragma once

#include <string>
#include <string_view>

#include "math/math_verify.h"

namespace umf {

enum class MathChecker { kMathVerify, kHendrycks, kOpenCompass };

// "math-verify", "hendrycks" or "opencompass". Throws Error, which begins with `where`, for
// another.
MathChecker math_checker(const std::string& name, const std::string& where);

struct MathComparison {
  bool equal = false;
  std::string gold_reading, answer_reading;  // what was compared, for people
  std::string decided_by;
};

// `config` and `algebra` are for math-verify alone. With the rule-based checkers both texts are
// bare answers.
MathComparison compare_math(MathChecker checker, std::string_view gold, std::string_view answer,
                            const MathVerifyConfig& config = {},
                            ComputerAlgebra* algebra = nullptr);

}  // namespace umf
