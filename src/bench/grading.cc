#include "bench/grading.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/cancelled.h"
#include "base/stopwatch.h"

namespace umf {
namespace {

bool judge_failed(const Verdict& verdict) {
  return std::isnan(verdict.reward) ||
         std::ranges::count(verdict.tests, TestOutcome::kSandboxError, &TestVerdict::outcome) > 0;
}

}  // namespace

void Grading::grade(Result& result) {
  if (result.status == ResultStatus::kFailed) return;
  const auto [verdict, program, seconds] =
      grades_.get(result.answer, [&] { return grade_of(result.answer); });
  result.grade_seconds = seconds;
  if (program != result.answer) result.program = program;
  result.why = verdict.why;
  const bool failed = judge_failed(verdict);
  result.status = failed ? ResultStatus::kUnjudged : ResultStatus::kDone;
  result.passed = failed || hidden_ == nullptr ? std::nullopt : std::optional(verdict.passed());
}

Grading::Grade Grading::grade_of(const std::string& answer) const {
  Grade grade;
  try {
    const Stopwatch stopwatch(grade.seconds);
    if (hidden_ != nullptr) grade.verdict = hidden_->judge(answer);
    grade.program = program_(answer);
  } catch (const Cancelled&) {
    throw;
  } catch (const std::exception& failure) {
    grade.verdict = {std::numeric_limits<double>::quiet_NaN(), failure.what()};
  }
  return grade;
}

}  // namespace umf
