// python-tests: a problem file's own tests, through the real sandbox.
#include <cmath>

#include "fakes/expect_error.h"
#include "reward/code_testing.h"

namespace umf {
namespace {

using testing::HasSubstr;

Json spec_of(const Json& tests, const Json& more = Json::object()) {
  Json spec = {{"type", "python-tests"}, {"tests", tests}};
  spec.update(more);
  return spec;
}

Json call(const std::string& call, const std::string& expect) {
  return {{"call", call}, {"expect", expect}};
}

TEST(PythonTests, EveryTestHasItsOutcome) {
  const Json tests = {
      call("f(2)", "4"), call("f(3)", "7"), call("f(0)", "0"), {{"assert", "f(5) == 25"}}};
  const Verdict verdict = judged(spec_of(tests),
                                 "Here:\n```python\ndef f(x):\n    if x == 0: raise "
                                 "ValueError('no')\n    return x * x\n```\n");
  EXPECT_EQ(outcomes(verdict), "pass wrong error pass");
  EXPECT_EQ(verdict.reward, 0.5);
  EXPECT_EQ(verdict.why, "test 2: expected 7, got 9");
  EXPECT_EQ(verdict.tests[2].why, "ValueError: no");
  EXPECT_EQ(verdict.tests[1].name, "f(3) == 7");
  EXPECT_EQ(verdict.tests[3].name, "f(5) == 25");
}

TEST(PythonTests, RewardsAreSharesOfAsManyPartsAsThereAreTests) {
  const Json spec = spec_of({call("f(2)", "4"), call("f(3)", "9"), call("f(0)", "0")});
  EXPECT_EQ(make_reward(spec, {"id", "prompt"}, "p.json", test_tools())->parts(), 3);
}

TEST(PythonTests, ValuesCompareAsInPython) {
  const Json tests = {call("f(1)", "1.0"), call("f([1, 2])", "(1, 2)"), call("f('7')", "7"),
                      call("f({1: {2, 3}})", "{1: {3, 2}}"), call("f(10**30)", "10**30")};
  const Verdict verdict = judged(spec_of(tests), "def f(x): return x");
  EXPECT_EQ(outcomes(verdict), "pass wrong wrong pass pass");
  EXPECT_EQ(verdict.tests[2].why, "expected 7, got '7'");
}

TEST(PythonTests, FloatsAreExactUnlessAToleranceIsGiven) {
  const Json tests = {call("f()", "0.3"), call("[f()]", "[0.3]"), call("{'a': f()}", "{'a': 0.3}"),
                      call("int(f())", "0.3")};
  const char* program = "def f(): return 0.1 + 0.2";
  EXPECT_EQ(outcomes(judged(spec_of(tests), program)), "wrong wrong wrong wrong");
  EXPECT_EQ(outcomes(judged(spec_of(tests, {{"tolerance", 1e-9}}), program)),
            "pass pass pass wrong");
}

TEST(PythonTests, ATestThatHangsFailsAlone) {
  const Json tests = {call("f(1)", "1"), call("f(0)", "1"), call("f(2)", "2")};
  const Verdict verdict = judged(spec_of(tests, {{"timeout_ms", 300}}),
                                 "def f(x):\n    while x == 0: pass\n    return x");
  EXPECT_EQ(outcomes(verdict), "pass timeout pass");
}

TEST(PythonTests, AProgramThatDoesNotLoadFailsAll) {
  const Json tests = {call("f()", "1"), {{"assert", "f() == 1"}}};
  const Verdict verdict = judged(spec_of(tests), "def f(: return 1");
  EXPECT_EQ(outcomes(verdict), "error error");
  EXPECT_EQ(verdict.reward, 0);
  EXPECT_THAT(verdict.why, HasSubstr("while loading: SyntaxError"));
  EXPECT_EQ(outcomes(judged(spec_of(tests), "import os\nos._exit(0)")), "crash crash");
  EXPECT_EQ(outcomes(judged(spec_of(tests), "def g(): return 1")), "error wrong");
}

TEST(PythonTests, AssertsUseWhatTheProgramDefines) {
  const Json tests = {{{"assert", "Stack([1, 2]).push(3).items == [1, 2, 3]"}},
                      {{"assert", "len(Stack([1, 2])) == 2"}},
                      {{"assert", "list(count(3)) == [0, 1, 2]"}},
                      {{"assert", "LIMIT == 7 and isinstance(LIMIT, int)"}},
                      {{"assert", "math.isclose(half(1), 0.5)"}},
                      {{"assert", "(lambda xs: (clear(xs), xs)[1])([1]) == []"}},
                      {{"assert", "Stack([1])[0] == 2"}},
                      {{"assert", "missing() == 2"}}};
  const Verdict verdict = judged(spec_of(tests, {{"setup", "import math"}}), R"(
class Stack:
    def __init__(self, items): self.items = items
    def push(self, item): return Stack(self.items + [item])
    def __len__(self): return len(self.items)
    def __getitem__(self, i): return self.items[i]
def count(n): yield from range(n)
def half(x): return x / 2
def clear(xs): xs.clear()
LIMIT = 7
)");
  EXPECT_EQ(outcomes(verdict), "pass pass pass pass pass pass wrong wrong") << verdict.why;
  EXPECT_THAT(verdict.tests[6].why, HasSubstr("does not hold"));
  EXPECT_THAT(verdict.tests[7].why, HasSubstr("NameError"));
}

TEST(PythonTests, AProgramCannotTalkAnAssertIntoHolding) {
  const Json tests = {{{"assert", "abs(f() - 5) < 1"}},
                      {{"assert", "f() == 5"}},
                      {{"assert", "sorted(f()) == [5]"}}};
  const Verdict verdict = judged(spec_of(tests), R"(
class Yes:
    def __eq__(self, other): return True
    def __sub__(self, other): return 0
    def __lt__(self, other): return True
def f(): return Yes()
def abs(x): return 0
def sorted(x): return [5]
)");
  EXPECT_EQ(outcomes(verdict), "wrong wrong error");
}

TEST(PythonTests, AProgramThatTakesOverItsGuestIsWrongAndNothingElse) {
  const Json tests = {call("f()", "5"), {{"assert", "f() == 5"}}, {{"stdin", ""}, {"stdout", "5"}}};
  for (const char* answer :
       {"[]", "None", "['value']", "['held', [], {}]", "{'a': 1}", "7", "[[], [1, 2]]", "'pass'"}) {
    const Verdict verdict = judged(spec_of(tests), std::string(R"(
import sys
for name in ('names_guest', 'process_guest'):
    sys.modules['umf.' + name].Guest.ask = lambda self, request: )") +
                                                       answer + "\ndef f(): return 4");
    EXPECT_EQ(verdict.reward, 0) << answer << ": " << verdict.why;
    EXPECT_EQ(verdict.tests.size(), 3u);
  }
}

TEST(PythonTests, ProgramsWithStdin) {
  const Json tests = {{{"stdin", "3 4\n"}, {"stdout", "7\n"}},
                      {{"stdin", "1 1\n"}, {"stdout", "2.0"}},
                      {{"stdin", "1 1\n"}, {"stdout", "3"}},
                      {{"stdin", "x\n"}, {"stdout", "3"}}};
  const Verdict verdict = judged(spec_of(tests),
                                 "import sys\nif __name__ == '__main__':\n    print(sum(map(int, "
                                 "sys.stdin.readline().split())))");
  EXPECT_EQ(outcomes(verdict), "pass pass wrong error");
  EXPECT_THAT(verdict.tests[3].why, HasSubstr("status 1: ValueError"));
}

TEST(PythonTests, ADriverFeedsFunctions) {
  Json spec = spec_of({{{"stdin", "3 4\n"}, {"stdout", "7"}}, {{"stdin", "1"}, {"stdout", "2"}}});
  spec["driver"] = "import sys\nprint(f([int(word) for word in sys.stdin.read().split()]))";
  EXPECT_EQ(outcomes(judged(spec, "def f(xs):\n    return sum(xs)")), "pass wrong");
  EXPECT_EQ(outcomes(judged(spec, "def g(xs):\n    return 1")), "error error");
}

TEST(PythonTests, EachRunOfAProgramIsAFreshProcess) {
  const Json test = {{"stdin", ""}, {"stdout", "1"}};
  EXPECT_EQ(outcomes(judged(spec_of({test, test}),
                            "import os, sys\nsys.seen = getattr(sys, 'seen', 0) + 1\nos.write(1, "
                            "str(sys.seen).encode())\nraise SystemExit")),
            "pass pass");
}

TEST(PythonTests, ABrokenTestIsNobodysFailure) {
  for (const Json& test : {call("f()", "1 +"), call("f()", "1 / 0"), Json{{"assert", "x ="}}}) {
    const Verdict verdict = judged(spec_of(Json::array({test})), "def f(): return 1");
    EXPECT_TRUE(std::isnan(verdict.reward)) << test;
    EXPECT_THAT(verdict.why, HasSubstr("test 1 cannot be run"));
  }
}

TEST(PythonTests, SpecsAreChecked) {
  EXPECT_ERROR(judged(spec_of(Json::array()), ""), "needs at least one test");
  EXPECT_ERROR(judged(spec_of(Json::array({{{"call", "f()"}}})), ""),
               "test 1 must have 'call' and 'expect'");
  EXPECT_ERROR(judged(spec_of(Json::array({call("f", "1")}), {{"timeout", 3}}), ""),
               "'timeout' is not");
  EXPECT_ERROR(judged(spec_of(Json::array({call("f", "1")}), {{"timeout_ms", -3}}), ""),
               "must be a number from");
  EXPECT_ERROR(make_reward(spec_of(Json::array({call("f", "1")})), {}, "p.json"),
               "there is no sandbox");
}

}  // namespace
}  // namespace umf
