#include "reward/tester.h"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/cancelled.h"
#include "base/error.h"

namespace umf {
namespace {

constexpr int kAttempts = 3;
constexpr double kCrowded = 6;        // as in sandbox/python/patience.py
constexpr double kOwnSeconds = 30;    // of the tester, for all tests
constexpr double kTesterSeconds = 3;  // of the tester, for one test

Verdict no_verdict(const std::string& why) {
  return {std::numeric_limits<double>::quiet_NaN(), why};
}

std::optional<TestOutcome> outcome_named(const std::string& name) {
  for (const TestOutcome outcome :
       {TestOutcome::kPass, TestOutcome::kWrong, TestOutcome::kError, TestOutcome::kTimeout,
        TestOutcome::kMemory, TestOutcome::kCrash}) {
    if (name == name_of(outcome)) return outcome;
  }
  return std::nullopt;
}

// What a limit that ended the whole job says about the tests that were left; nothing where it says
// nothing about the program.
std::optional<TestOutcome> outcome_of(Ending ending) {
  if (ending == Ending::kTimeout) return TestOutcome::kTimeout;
  if (ending == Ending::kMemory) return TestOutcome::kMemory;
  if (ending == Ending::kOutput) return TestOutcome::kError;
  return std::nullopt;
}

// The reports of a tester, read line by line.
struct Reports {
  std::vector<std::string> names;
  std::vector<TestVerdict> tests;
  std::string failure;    // "" or why there is no verdict
  std::string preparing;  // what the tester does before it begins, which is no program's doing
  bool begun = false;

  void read(std::string_view text) {
    while (!text.empty() && failure.empty()) {
      const std::size_t end = std::min(text.find('\n'), text.size());
      read_line(Json::parse(text.substr(0, end)));
      text.remove_prefix(std::min(end + 1, text.size()));
    }
  }

 private:
  void read_line(const Json& line) {
    if (line.contains("failed")) {
      failure = line["failed"];
    } else if (line.contains("preparing")) {
      preparing = line["preparing"];
    } else if (line.contains("tests")) {
      names = line["tests"].get<std::vector<std::string>>();
      begun = true;
    } else {
      const auto outcome = outcome_named(line.at("outcome"));
      if (!outcome || tests.size() == names.size()) throw Error("a report that nobody asked for");
      tests.push_back({names[tests.size()], *outcome, line.value("why", ""),
                       line.value("lines", std::vector<std::string>{})});
    }
  }
};

void summarise(Verdict& verdict) {
  int passed = 0;
  for (const TestVerdict& test : verdict.tests) {
    if (test.outcome == TestOutcome::kPass)
      ++passed;
    else if (verdict.why.empty())
      verdict.why =
          fmt::format("{}: {}", test.name, test.why.empty() ? name_of(test.outcome) : test.why);
  }
  verdict.reward = verdict.tests.empty() ? 1.0 : static_cast<double>(passed) / verdict.tests.size();
}

}  // namespace

Verdict verdict_of(const PythonResult& result) {
  const auto limit = outcome_of(result.ending);
  if (result.ending != Ending::kExited && !limit)
    return no_verdict(fmt::format("the sandbox failed: {}", result.reason));
  Reports reports;
  try {
    reports.read(result.reports);
  } catch (const std::exception& problem) {
    return no_verdict(fmt::format("the tester's report cannot be read: {}", problem.what()));
  }
  if (!reports.failure.empty()) return no_verdict(reports.failure);
  Verdict verdict;
  if (!reports.begun) {
    if (!limit) return no_verdict("the tester ended without a report");
    if (!reports.preparing.empty())
      return no_verdict(fmt::format("{}: {}", reports.preparing, result.reason));
    // Before the tests began only the text of the answer was worked on, and that was too much.
    verdict.why = fmt::format("{}: {}", name_of(*limit), result.reason);
    return verdict;
  }
  verdict.tests = std::move(reports.tests);
  if (verdict.tests.size() < reports.names.size() && !limit)
    return no_verdict("the tester ended before its last test");
  for (std::size_t i = verdict.tests.size(); i < reports.names.size(); ++i)
    verdict.tests.push_back({reports.names[i], *limit, "not reached: " + result.reason});
  summarise(verdict);
  return verdict;
}

PythonResult run_patiently(Sandbox& sandbox, const PythonJob& job) {
  PythonResult result;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    result = sandbox.run(job);
    if (result.ending == Ending::kStopped) throw Cancelled();
    const bool ours = result.ending == Ending::kSandboxError || result.ending == Ending::kCrash;
    if (!ours) break;
  }
  return result;
}

Verdict judge_with(Sandbox& sandbox, const PythonJob& job) {
  return verdict_of(run_patiently(sandbox, job));
}

SandboxLimits judging_limits(const JudgingTime& time, const JudgeTools& tools) {
  // As EvalPlus has it: 4 GiB, or what the machine has where that is less.
  const auto machine = static_cast<std::size_t>(::sysconf(_SC_PHYS_PAGES)) *
                       static_cast<std::size_t>(::sysconf(_SC_PAGE_SIZE));
  const int most_ms =
      tools.most_judging_ms > 0 ? tools.most_judging_ms : std::numeric_limits<int>::max();
  const auto ms = [&](double seconds) {
    return static_cast<int>(std::min<double>(most_ms, 1000 * seconds));
  };
  SandboxLimits limits;
  // Programs are held to CPU time, which takes longer where the machine is busy.
  limits.wall_ms = ms(kCrowded * time.all_seconds + kOwnSeconds);
  limits.cpu_ms = ms(2 * time.all_seconds + kOwnSeconds);
  if (time.test_seconds > 0) limits.tester_cpu_ms = ms(time.test_seconds + kTesterSeconds);
  limits.memory_bytes = std::min(std::size_t{4} << 30, machine);
  limits.output_bytes = std::size_t{256} << 20;
  return limits;
}

void check_tests(Sandbox& sandbox, const std::string& tester, Json payload,
                 const SandboxLimits& limits, const std::string& where) {
  payload["check"] = true;
  const Verdict verdict = judge_with(sandbox, {tester, payload_text(payload), limits});
  if (!verdict.passed()) throw Error(fmt::format("{}: {}", where, verdict.why));
}

std::string payload_text(const Json& payload) {
  return payload.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Sandbox& sandbox_of(const JudgeTools& tools, const std::string& where) {
  if (!tools.sandbox) throw Error(where + " runs programs, and there is no sandbox to do so");
  return tools.sandbox();
}

}  // namespace umf
