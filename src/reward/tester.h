// Running one of our testers (reward/python) and reading its verdict.
#pragma once

#include "base/verdict.h"
#include "reward/reward.h"
#include "sandbox/sandbox.h"

namespace umf {

// A finished job of a tester that reports {"tests": [names]} and then one {"outcome", "why",
// "lines"} per test. What limits ended counts against the tests that were left; what the sandbox
// could not do is tried again, and then no verdict: NaN, with the reason.
Verdict judge_with(Sandbox& sandbox, const PythonJob& job);

// The same from a result, without running anything.
Verdict verdict_of(const PythonResult& result);

// Runs it, again where the sandbox fails. Throws Cancelled where it was stopped.
PythonResult run_patiently(Sandbox& sandbox, const PythonJob& job);

// Of a job that judges.
struct JudgingTime {
  double all_seconds;       // of the program, for all tests
  double test_seconds = 0;  // for one of them; bounds the tester's own work on it, too
};
SandboxLimits judging_limits(const JudgingTime& time, const JudgeTools& tools = {});

// Throws Error, naming `where`, with what a tester says about the tests of `payload` alone.
void check_tests(Sandbox& sandbox, const std::string& tester, Json payload,
                 const SandboxLimits& limits, const std::string& where);

// JSON for a tester; bytes that are not UTF-8 become U+FFFD.
std::string payload_text(const Json& payload);

// Throws Error where there is none.
Sandbox& sandbox_of(const JudgeTools& tools, const std::string& where);

}  // namespace umf
