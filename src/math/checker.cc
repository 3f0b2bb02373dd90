#include "math/checker.h"

#include <fmt/core.h>

#include "base/error.h"
#include "math/rules_hendrycks.h"
#include "math/rules_opencompass.h"

namespace umf {

MathChecker math_checker(const std::string& name, const std::string& where) {
  if (name == "math-verify") return MathChecker::kMathVerify;
  if (name == "hendrycks") return MathChecker::kHendrycks;
  if (name == "opencompass") return MathChecker::kOpenCompass;
  throw Error(fmt::format("{}: no checker '{}'; there are math-verify, hendrycks and opencompass",
                          where, name));
}

MathComparison compare_math(MathChecker checker, std::string_view gold, std::string_view answer,
                            const MathVerifyConfig& config, ComputerAlgebra* algebra) {
  if (checker == MathChecker::kMathVerify) {
    const MathAnswer expected = find_answer(gold, config), read = find_answer(answer, config);
    const MathVerdict verdict = verify_answer(expected, read, config, algebra);
    return {verdict.equal, expected.reading(), read.reading(), verdict.decided_by};
  }
  const bool equal = checker == MathChecker::kHendrycks ? hendrycks_equal(gold, answer)
                                                        : opencompass_equal(gold, answer);
  return {equal, std::string(gold), std::string(answer), "text"};
}

}  // namespace umf
