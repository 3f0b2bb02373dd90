// MBPP's asserts and HumanEval's check(), through the real sandbox.
#include <cmath>

#include "reward/code_testing.h"
#include "support/expect_error.h"

namespace umf {
namespace {

using testing::HasSubstr;

Json mbpp(const std::vector<std::string>& tests, const Json& more = {}) {
  Json spec = {{"type", "mbpp"}, {"tests", tests}, {"run", "each"}};
  if (more.is_object()) spec.update(more);
  return spec;
}

TEST(Mbpp, AssertsRunByThemselvesOrTogether) {
  const std::vector<std::string> tests = {"assert f(1) == 1", "assert f(2) == 3",
                                          "assert set(f([3, 3])) == set([3])"};
  const char* program = "def f(x): return x";
  const Verdict each = judged(mbpp(tests), program);
  EXPECT_EQ(outcomes(each), "pass wrong pass");
  EXPECT_EQ(each.why, "assert 2: assert f(2) == 3 does not hold");
  const Verdict together = judged(mbpp(tests, {{"run", "together"}}), program);
  EXPECT_EQ(outcomes(together), "wrong");
  EXPECT_EQ(together.why, "asserts: assert f(2) == 3 does not hold");
  EXPECT_EQ(judged(mbpp({tests[0], tests[2]}, {{"run", "together"}}), program).reward, 1);
}

TEST(Mbpp, ImportsOfTheTestsServeTheProgramToo) {
  EXPECT_EQ(outcomes(judged(mbpp({"assert math.isclose(f(4), 2.0)"}, {{"setup", "import math"}}),
                            "def f(x): return math.sqrt(x)")),
            "pass");
}

TEST(Mbpp, SetupMayUseTheProgramsClasses) {
  EXPECT_EQ(outcomes(judged(mbpp({"assert depth(root) == 2", "assert depth(root.left) == 1"},
                                 {{"setup", "root = Node(1)\nroot.left = Node(2)"}}),
                            "class Node:\n    def __init__(self, v):\n        self.left = "
                            "None\ndef depth(n): return 0 if n is None else 1 + depth(n.left)")),
            "pass pass");
}

TEST(Mbpp, AFunctionMayHaveTheNameOfABuiltin) {
  EXPECT_EQ(outcomes(judged(mbpp({"assert sum(10, 15) == 6"}), "def sum(a, b): return 6")), "pass");
  EXPECT_EQ(outcomes(judged(mbpp({"assert abs(f(1) - 9) < 1"}),
                            "def f(x): return 1\ndef abs(x): return 0")),
            "wrong")
      << "but not to help another function";
}

TEST(Mbpp, TestsAreCheckedBeforeAnyAnswer) {
  const auto check = [](const Json& spec) {
    make_reward(spec, {"id", "?"}, "p.json", test_tools())->check();
  };
  check(mbpp({"assert f(1) == 1"}, {{"setup", "root = Node(1)"}}));
  EXPECT_ERROR(check(mbpp({"assert f(1) == 1", "assert f(1) == "})),
               "assert 2 cannot be run: it is not Python");
  EXPECT_ERROR(check(mbpp({"assert True"}, {{"setup", "import"}})), "setup cannot be run");
  EXPECT_TRUE(std::isnan(judged(mbpp({"assert f(1) == "}), "def f(x): return 1").reward));
}

TEST(Mbpp, WhoeverRanOutOfTimeTwiceIsNotAskedAgain) {
  const std::vector<std::string> tests(6, "assert f(1) == 1");
  const Verdict verdict =
      judged(mbpp(tests, {{"timeout_ms", 300}}), "def f(x):\n    while True: x = x");
  EXPECT_EQ(outcomes(verdict), "timeout timeout timeout timeout timeout timeout");
  EXPECT_THAT(verdict.tests[5].why, HasSubstr("not run"));
}

TEST(Mbpp, AProgramCannotChooseTheModulesOfTests) {
  const Json spec = mbpp({"assert math.isclose(f(4), 2)"}, {{"setup", "import math"}});
  for (const char* trick :
       {"import numpy as math", "class math:\n    def isclose(a, b): return True",
        "import math\nmath.isclose = lambda a, b: True"}) {
    EXPECT_EQ(judged(spec, std::string("def f(x): return 2.00001\n") + trick).reward, 0) << trick;
  }
}

TEST(Mbpp, FailuresSayWhy) {
  EXPECT_THAT(judged(mbpp({"assert f(1) == 1"}), "def f(x): return 1 / 0").why,
              HasSubstr("ZeroDivisionError"));
  EXPECT_THAT(judged(mbpp({"assert g(1) == 1"}), "def f(x): return 1").why, HasSubstr("NameError"));
  EXPECT_THAT(judged(mbpp({"assert f(1) == 1"}), "def f(x) return 1").why,
              HasSubstr("SyntaxError"));
  EXPECT_EQ(outcomes(judged(mbpp({"assert f(1) == 1"}, {{"timeout_ms", 300}}),
                            "def f(x):\n    while True: x = x")),
            "timeout");
}

Json humaneval(const std::string& prompt, const std::string& test, const Json& more = {}) {
  Json spec = {{"type", "humaneval"}, {"prompt", prompt}, {"entry_point", "f"}, {"test", test}};
  if (more.is_object()) spec.update(more);
  return spec;
}

TEST(HumanEval, CompletionsContinueThePrompt) {
  const Json spec = humaneval(
      "import math\n\ndef helper(x):\n    return x + 1\n\ndef f(x):\n    "
      "\"\"\"Doc.\"\"\"\n",
      "METADATA = {}\n\ndef check(candidate):\n    assert candidate(1) == "
      "helper(1)\n    assert candidate(3) == 4, 'three'\n");
  EXPECT_EQ(outcomes(judged(spec, "    return helper(x)\n")), "pass");
  EXPECT_EQ(outcomes(judged(spec, "def f(x):\n    return x + 1\n")), "pass") << "all of it again";
  const Verdict wrong = judged(spec, "    return 2\n");
  EXPECT_EQ(outcomes(wrong), "wrong");
  EXPECT_EQ(wrong.why, "check: assert candidate(3) == 4, 'three' does not hold");
  EXPECT_EQ(outcomes(judged(spec, "    return None\n")), "wrong");
}

TEST(HumanEval, HelpersOfTheTestsAreOurs) {
  const Json spec = humaneval("def poly(x):\n    return x\n\ndef f(x):\n    pass\n",
                              "def check(candidate):\n    assert poly(candidate(1)) == 5\n");
  EXPECT_EQ(outcomes(judged(spec,
                            "def f(x):\n    return 1\ndef poly(x):\n    return 5\ndef "
                            "check(c):\n    pass\n")),
            "wrong");
}

TEST(HumanEval, AnyExceptionAndTimeFail) {
  const Json spec = humaneval("def f():\n", "def check(c):\n    c()\n", {{"timeout_ms", 300}});
  EXPECT_EQ(outcomes(judged(spec, "    raise SystemExit(0)\n")), "error");
  EXPECT_EQ(outcomes(judged(spec, "    input()\n")), "error");
  EXPECT_EQ(outcomes(judged(spec, "    while True: x = 1\n")), "timeout");
  EXPECT_EQ(outcomes(judged(spec, "    import os; os._exit(0)\n")), "crash");
}

}  // namespace
}  // namespace umf
