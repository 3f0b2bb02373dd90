// The checkers by name: is this answer the same as the gold answer?
#pragma once

#include <string>
#include <string_view>

#include "base/json.h"

namespace umf {

class ComputerAlgebra;

enum class MathChecker { kMathVerify, kHendrycks, kOpenCompass };

// "math-verify", "hendrycks" or "opencompass". Throws Error, which begins with `where`, for
// another.
MathChecker math_checker(const std::string& name, const std::string& where);

struct MathComparison {
  bool equal = false;
  std::string gold_reading, answer_reading;  // what was compared, for people
  std::string decided_by;
};

// `config` is for math-verify alone (math_verify.h); null: the defaults. With the rule-based
// checkers both texts are bare answers. Throws Error, which begins with `where`, for a wrong
// config.
MathComparison compare_math(MathChecker checker, std::string_view gold, std::string_view answer,
                            const Json& config, const std::string& where,
                            ComputerAlgebra* algebra = nullptr);

}  // namespace umf
