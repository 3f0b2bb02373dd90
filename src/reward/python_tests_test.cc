// python-tests: a problem file's own tests, through the real sandbox.
#include <cmath>

#include "reward/code_testing.h"
#include "support/expect_error.h"

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

// A wrong answer that defines what the tests use.
TEST(PythonTests, NamesOfTheSetupAreTheSetups) {
  const Json tests = {{{"assert", "check(f(2))"}},           call("check(f(2))", "True"),
                      {{"assert", "math.isclose(f(2), 4)"}}, call("math.isclose(f(2), 4)", "True"),
                      {{"assert", "f(2) == RIGHT"}},         call("[f(2), RIGHT][0] == 4", "True")};
  const Json setup = {{"setup", R"(
import math
RIGHT = 4
def near(a, b): return abs(a - b) < 1e-9
def check(x): return near(x, RIGHT)
)"}};
  EXPECT_EQ(outcomes(judged(spec_of(tests, setup), "def f(x): return x * x")),
            "pass pass pass pass pass pass");
  for (const char* trick : {
           "def check(x): return True",
           "def near(a, b): return True",
           "RIGHT = 5",
           "def abs(x): return 0",
           "class math:\n    isclose = staticmethod(lambda a, b: True)",
           "import numpy as math",
           "import types\nmath = types.ModuleType('numpy')",
           "import math\nmath.isclose = lambda a, b: True",
           "check.__code__ = (lambda x: True).__code__",
           "near.__code__ = (lambda a, b: True).__code__",
           "import builtins\nbuiltins.abs = lambda x: 0",
           "import sys\nsys.modules['umf.names_guest'].Guest.ask_evaluate = lambda self, e: "
           "['value', True]",
           "class Yes:\n    def __eq__(self, other): return True\n    def __sub__(self, o): return "
           "0\ndef f(x): return Yes()",
       }) {
    const Verdict verdict =
        judged(spec_of(tests, setup), std::string("def f(x): return 5\n") + trick);
    EXPECT_EQ(verdict.reward, 0) << trick << ": " << outcomes(verdict);
  }
}

TEST(PythonTests, ProgramsMayHaveNamesOfTheSetupForThemselves) {
  const Json tests = {call("total(build([1, 2, 3]))", "6"), {{"assert", "twice(2) == 4"}}};
  const Json setup = {{"setup", R"(
class Node:
    def __init__(self, value, rest=None): self.value, self.rest = value, rest
def build(values):
    node = None
    for value in reversed(values): node = Node(value, node)
    return node
)"}};
  const char* program = R"(
class Node:
    pass
def build(x): return x + x
def twice(x): return build(x)
def total(node): return 0 if node is None else node.value + total(node.rest)
)";
  EXPECT_EQ(outcomes(judged(spec_of(tests, setup), program)), "pass pass");
}

TEST(PythonTests, AnInfinityIsNearToNothing) {
  const Json tests = {call("f()", "float('inf')"), call("[f()]", "[float('-inf')]"),
                      call("f()", "float('nan')"), call("f()", "1e308")};
  const Json tolerance = {{"tolerance", 0.5}};
  EXPECT_EQ(outcomes(judged(spec_of(tests, tolerance), "def f(): return 1.0")),
            "wrong wrong wrong wrong");
  EXPECT_EQ(outcomes(judged(spec_of(tests, tolerance), "def f(): return float('inf')")),
            "pass wrong wrong wrong");
}

TEST(PythonTests, ModulesInTestsAreOurs) {
  const Json tests = {{{"assert", "math.isclose(f(2), 4)"}}};
  EXPECT_EQ(outcomes(judged(spec_of(tests), "import math\ndef f(x): return 4.0")), "pass");
  for (const char* trick :
       {"import numpy as math", "class math:\n    def isclose(a, b): return True",
        "import math\nmath.isclose = lambda a, b: True"}) {
    EXPECT_EQ(judged(spec_of(tests), std::string(trick) + "\ndef f(x): return 4.00001").reward, 0)
        << trick;
  }
  EXPECT_EQ(outcomes(judged(spec_of(Json::array({{{"assert", "copy(3) == 3"}}})),
                            "def copy(x): return x")),
            "pass")
      << "a function may have a module's name";
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

void check(const Json& spec) { make_reward(spec, {"id", "?"}, "p.json", test_tools())->check(); }

TEST(PythonTests, TestsAreCheckedBeforeAnyAnswer) {
  check(spec_of({call("f(1)", "two"), {{"assert", " f(2)"}}, {{"stdin", ""}, {"stdout", ""}}},
                {{"setup", "two = 2"}}));
  struct Case {
    Json test;
    const char *setup, *why;
  };
  for (const Case& c :
       {Case{call("f(", "1"), "", "test 1 cannot be run: f( is not a Python expression"},
        {call("f()", "1 +"), "", "test 1 cannot be run: 1 + is not"},
        {call("f()", "g()"), "", "g() raises NameError"},
        {Json{{"assert", "x ="}}, "", "x = is not"},
        {call("f()", "1"), "import nothing",
         "the setup cannot be run: it raises ModuleNotFoundError"},
        {call("f()", "1"), "exit(", "the setup cannot be run: it raises SyntaxError"},
        {call("f()", "1"), "raise SystemExit", "the setup cannot be run: it raises SystemExit"},
        {call("f()", "1"), "while True: pass", "the setup cannot be run: it takes longer than 2"},
        {call("f()", "sum(range(10**15))"), "", "test 1: "},
        {call("f()", "1"), "import time\ntime.sleep(1000)", "it takes longer than 2 seconds"},
        {call("f()", "bytes(10**13)"), "", "it takes too much memory"}}) {
    const Json spec = spec_of(Json::array({c.test}), {{"setup", c.setup}, {"timeout_ms", 500}});
    EXPECT_ERROR(check(spec), c.why);
    EXPECT_TRUE(std::isnan(judged(spec, "def f(): return 1").reward)) << c.why;
  }
}

TEST(PythonTests, NoJudgementTakesLongerThanItsToolsAllow) {
  JudgeTools tools = test_tools();
  tools.most_judging_ms = 1000;
  const Json tests(20, call("f(1)", "1"));
  const Json spec = spec_of(tests, {{"timeout_ms", 600'000}});
  const Verdict verdict =
      make_reward(spec, {"id", "?"}, "p.json", tools)->judge("def f(x):\n    while True: pass");
  EXPECT_EQ(verdict.reward, 0) << verdict.why;
  EXPECT_THAT(verdict.why, HasSubstr("not done after 1000 ms"));
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
