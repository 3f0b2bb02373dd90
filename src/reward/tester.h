// Running one of our testers (reward/python) and reading its verdict.
#pragma once

#include "reward/reward.h"
#include "reward/verdict.h"
#include "sandbox/sandbox.h"

namespace umf {

// A finished job of a tester that reports {"tests": [names]} and then one {"outcome", "why"} per
// test. What limits ended counts against the tests that were left; what the sandbox could not do is
// tried again, and then no verdict: NaN, with the reason.
Verdict judge_with(Sandbox& sandbox, const PythonJob& job);

// The same from a result, without running anything.
Verdict verdict_of(const PythonResult& result);

// Runs it, again where the sandbox fails. Throws Cancelled where it was stopped.
PythonResult run_patiently(Sandbox& sandbox, const PythonJob& job);

// The limits of a job that tests for up to `seconds`.
SandboxLimits judging_limits(double seconds);

// JSON for a tester; bytes that are not UTF-8 become U+FFFD.
std::string payload_text(const Json& payload);

// Throws Error where there is none.
Sandbox& sandbox_of(const JudgeTools& tools, const std::string& where);

}  // namespace umf
