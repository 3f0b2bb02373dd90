// Whatever a wrong answer does, it is judged, and judged wrong; by every tester.
#include <fmt/core.h>

#include <chrono>
#include <cmath>
#include <cstdlib>

#include "reward/code_testing.h"
#include "reward/hostile_answers_testing.h"
#include "sandbox/launch.h"
#include "sandbox/warm_sandbox.h"
#include "support/temporary_directory.h"

namespace umf {
namespace {

struct Judge {
  const char* name;
  Json spec;
};

Json python_tests(const Json& test, const Json& more = Json::object()) {
  Json spec = {{"type", "python-tests"}, {"tests", {test}}};
  spec.update(more);
  return spec;
}

// All that look at what f(2) gives, which is to be 4.
std::vector<Judge> judges_of_values() {
  const Json tests = {{{"input", "2"}, {"output", "4"}, {"testtype", "functional"}}};
  return {
      {"call", python_tests({{"call", "f(2)"}, {"expect", "4"}})},
      {"near", python_tests({{"call", "[f(2)]"}, {"expect", "[4.0]"}}, {{"tolerance", 0.1}})},
      {"assert", python_tests({{"assert", "f(2) == 4"}})},
      {"sum", python_tests({{"assert", "sum([f(2)]) == 4"}})},
      {"setup", python_tests({{"call", "right(f(2))"}, {"expect", "True"}},
                             {{"setup", "def right(x): return abs(x - 4) < 1e-6"}})},
      {"mbpp", {{"type", "mbpp"}, {"tests", {"assert f(2) == 4"}}}},
      {"humaneval",
       {{"type", "humaneval"},
        {"prompt", "def f(x):\n"},
        {"entry_point", "f"},
        {"test", "def check(c):\n    assert abs(c(2) - 4) < 1e-6\n"}}},
      {"evalplus",
       {{"type", "evalplus"},
        {"task_id", "HumanEval/0"},
        {"prompt", ""},
        {"entry_point", "f"},
        {"canonical_solution", "def f(x): return 4"},
        {"base", "[[2]]"}}},
      {"evalplus-floats",
       {{"type", "evalplus"},
        {"task_id", "HumanEval/0"},
        {"prompt", ""},
        {"entry_point", "f"},
        {"canonical_solution", "def f(x): return [4.0]"},
        {"base", "[[2]]"}}},
      {"livecodebench",
       {{"type", "livecodebench"},
        {"public", tests.dump()},
        {"tests", "public"},
        {"func_name", "f"},
        {"extract", "program"}}},
  };
}

std::vector<Judge> judges() {
  std::vector<Judge> all = judges_of_values();
  const Json tests = {{{"input", ""}, {"output", "4"}, {"testtype", "stdin"}}};
  for (const char* mode : {"emulation", "process"}) {
    all.push_back({mode,
                   {{"type", "livecodebench"},
                    {"public", tests.dump()},
                    {"tests", "public"},
                    {"mode", mode},
                    {"extract", "program"}}});
  }
  all.push_back({"stdin", python_tests({{"stdin", ""}, {"stdout", "4"}})});
  return all;
}

class HostileAnswers : public testing::TestWithParam<Walls> {
 protected:
  static void SetUpTestSuite() {
    static const TemporaryDirectory cache;
    ::setenv("XDG_CACHE_HOME", (cache / ".").c_str(), 1);
  }
  void SetUp() override {
    const std::string objection = objection_to(GetParam());
    if (!objection.empty()) GTEST_SKIP() << objection;
    sandbox_ = make_warm_sandbox(GetParam(), 1);
  }
  void expect_wrong(const Json& spec, const std::string& program) const;

 private:
  std::unique_ptr<Sandbox> sandbox_;
};

void HostileAnswers::expect_wrong(const Json& spec, const std::string& program) const {
  const JudgeTools tools{.sandbox = [this]() -> Sandbox& { return *sandbox_; }};
  const auto begin = std::chrono::steady_clock::now();
  const Verdict verdict = make_reward(spec, {"id", "?"}, "p.json", tools)->judge(program);
  const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - begin;
  EXPECT_EQ(verdict.reward, 0) << verdict.why;
  EXPECT_EQ(verdict.tests.size(), 1u);
  EXPECT_LT(spent.count(), 40);
}

TEST_P(HostileAnswers, ValuesAreWrongAndNothingElse) {
  for (const Judge& judge : judges_of_values()) {
    for (const char* value : kHostileValues) {
      SCOPED_TRACE(fmt::format("{}: {}", judge.name, value));
      expect_wrong(judge.spec, fmt::format("{}\ndef f(x): return {}", kHostilePrelude, value));
    }
  }
}

TEST_P(HostileAnswers, WhoeverTakesOverItsGuestIsWrongAndNothingElse) {
  for (const Judge& judge : judges()) {
    for (const char* reply : kHostileReplies) {
      SCOPED_TRACE(fmt::format("{}: {}", judge.name, reply));
      expect_wrong(judge.spec, fmt::format(R"({}
import sys
for name in ('names_guest', 'process_guest', 'evalplus_guest', 'livecodebench_guest'):
    sys.modules['umf.' + name].Guest.ask = lambda self, request: {}
def f(x): return 3
print(3))",
                                           kHostilePrelude, reply));
    }
  }
}

TEST_P(HostileAnswers, OutputThatCannotBePrintedIsWrong) {
  for (const char* mode : {"emulation", "process"}) {
    const Json tests = {{{"input", ""}, {"output", "4"}, {"testtype", "stdin"}}};
    const Json spec = {{"type", "livecodebench"},
                       {"public", tests.dump()},
                       {"tests", "public"},
                       {"mode", mode},
                       {"extract", "program"}};
    for (const char* text : {"'\\ud800'", "'4' * 5000000", "'sNaN'", "'4\\n' * 100000",
                             "'\\x00\\ud800\\n' * 3", "'1' * 100000 + '\\n4'", "'1e999999999'"}) {
      SCOPED_TRACE(fmt::format("{}: {}", mode, text));
      expect_wrong(spec, fmt::format("print({})", text));
      expect_wrong(python_tests({{"stdin", ""}, {"stdout", "4"}}), fmt::format("print({})", text));
    }
  }
}

// The values are small; what the tests do with them is not, in Python and in C.
TEST_P(HostileAnswers, ATesterIsNotKeptBusy) {
  struct Case {
    const char *expression, *value;
  };
  for (const Case& c : {Case{"sum(f(2)) == 4", "range(10**15)"},
                        {"all(x >= 0 for x in f(2))", "range(10**15)"},
                        {"sorted(f(2)) == [4]", "range(10**15)"},
                        {"10 ** f(2) == 3", "10**9"},
                        {"'4' * f(2) == '4'", "10**10"}}) {
    SCOPED_TRACE(c.expression);
    expect_wrong(python_tests({{"assert", c.expression}}, {{"timeout_ms", 200}}),
                 fmt::format("def f(x): return {}", c.value));
  }
}

INSTANTIATE_TEST_SUITE_P(Walls, HostileAnswers,
                         testing::Values(Walls::kNamespaces, Walls::kLandlock),
                         [](const testing::TestParamInfo<Walls>& info) {
                           return info.param == Walls::kNamespaces ? "Namespaces" : "Landlock";
                         });

}  // namespace
}  // namespace umf
