// EvalPlus's rules, one by one, through the real sandbox.
#include <cmath>
#include <cstdlib>

#include "base/files.h"
#include "reward/code_testing.h"
#include "reward/expected_outputs.h"
#include "support/expect_error.h"
#include "support/temporary_directory.h"

namespace umf {
namespace {

using testing::HasSubstr;

// Expected outputs of tests must not end up in the user's cache.
class EvalPlus : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    static const TemporaryDirectory cache;
    ::setenv("XDG_CACHE_HOME", (cache / ".").c_str(), 1);
  }
};

Json spec_of(const std::string& task_id, const std::string& entry_point,
             const std::string& solution, const std::string& base, const Json& more = {}) {
  Json spec = {{"type", "evalplus"},
               {"task_id", task_id},
               {"prompt", ""},
               {"entry_point", entry_point},
               {"canonical_solution", solution},
               {"base", base}};
  if (more.is_object()) spec.update(more);
  return spec;
}

Json identity(const std::string& inputs, const Json& more = {}) {
  return spec_of("HumanEval/0", "f", "def f(x): return x", inputs, more);
}

TEST_F(EvalPlus, EveryInputHasItsOutcome) {
  const Verdict verdict = judged(identity("[[1], [2], [3], [4]]"),
                                 "def f(x):\n    if x == 3: return 1 / 0\n    return x % 4");
  EXPECT_EQ(outcomes(verdict), "pass pass error wrong");
  EXPECT_EQ(verdict.reward, 0.5);
  EXPECT_EQ(verdict.why, "base 3: ZeroDivisionError: division by zero");
  EXPECT_EQ(verdict.tests[3].why, "expected 4, got 0");
}

TEST_F(EvalPlus, BaseAndPlusAreTwoRuns) {
  const Json spec = identity("[[1], [2]]", {{"plus", "[[3]]"}});
  const char* counts = "calls = []\ndef f(x):\n    calls.append(x)\n    return len(calls)";
  EXPECT_EQ(outcomes(judged(spec, counts)), "pass pass wrong") << "the second process counts anew";
  Json plus = spec, base = spec;
  plus["tests"] = "plus";
  base["tests"] = "base";
  EXPECT_EQ(judged(plus, "def f(x): return x").tests.at(0).name, "plus 1");
  EXPECT_EQ(judged(base, "def f(x): return x").tests.size(), 2u);
  EXPECT_ERROR(judged(identity("[[1]]", {{"tests", "plus"}}), ""), "its plus inputs are missing");
}

TEST_F(EvalPlus, AnEmptyListOfInputsIsPassed) {
  EXPECT_EQ(judged(identity("[]"), "def f(x): return 0").reward, 1);
}

TEST_F(EvalPlus, EqualityIsPythons) {
  const Json spec = spec_of("HumanEval/0", "f", "def f(i): return [1, True, [1], 'a', None][i]",
                            "[[0], [1], [2], [3], [4]]");
  EXPECT_EQ(outcomes(judged(spec, "def f(i): return [1.0, 1, (1,), 'a', None][i]")),
            "pass pass wrong pass pass");
}

TEST_F(EvalPlus, NumbersKeepTheirText) {
  const Json spec =
      identity("[[123456789012345678901234567890], [Infinity], [-Infinity], [1e400]]");
  EXPECT_EQ(outcomes(judged(spec, "def f(x): return x")), "pass pass pass pass");
  EXPECT_EQ(outcomes(judged(spec, "def f(x): return float(x)")), "wrong pass pass pass");
}

TEST_F(EvalPlus, FloatsAreCloseEnough) {
  const Json spec = spec_of("HumanEval/0", "f", "def f(x): return x", "[[1.0], [[1.0, 2.0]], [3]]");
  EXPECT_EQ(outcomes(judged(spec, "def f(x):\n  return x + 5e-7 if isinstance(x, float) else x")),
            "pass pass pass");
  EXPECT_EQ(outcomes(judged(spec, "def f(x):\n  return x + 5e-6 if isinstance(x, float) else x")),
            "wrong pass pass");
  EXPECT_EQ(outcomes(judged(spec,
                            "def f(x):\n  return [v + 5e-7 for v in x] if type(x) is list "
                            "else x")),
            "pass pass pass");
  EXPECT_EQ(outcomes(judged(spec, "def f(x):\n  return tuple(x) if type(x) is list else x")),
            "pass wrong pass")
      << "types must be the same";
  EXPECT_EQ(outcomes(judged(spec, "def f(x):\n  return x + [0.0] if type(x) is list else x")),
            "pass wrong pass");
}

TEST_F(EvalPlus, TheToleranceStaysOnceAFloatWasExpected) {
  // The int 3 is off by less than 1e-6 + 1e-7 * 3 only in a list of the same type.
  const char* near = "def f(x): return [x[0] + 2e-7] if type(x) is list else x";
  EXPECT_EQ(outcomes(judged(identity("[[[3]], [1.0], [[3]]]"), near)), "wrong pass pass");
}

TEST_F(EvalPlus, RecordedTolerances) {
  const Json spec = spec_of("HumanEval/2", "f", "def f(x): return x", "[[3]]", {{"atol", "1e-4"}});
  EXPECT_EQ(outcomes(judged(spec, "def f(x): return x")), "pass");
  const Json floats =
      spec_of("HumanEval/2", "f", "def f(x): return x", "[[3.0], [NaN]]", {{"atol", "0.5"}});
  EXPECT_EQ(outcomes(judged(floats, "def f(x): return x + 0.4")), "pass wrong") << "NaN is unequal";
}

TEST_F(EvalPlus, SpecialOracles) {
  const Json zero = spec_of("HumanEval/32", "find_zero", "def find_zero(xs): return -0.5",
                            "[[[1, 2]]]", {{"atol", "0.0001"}});
  EXPECT_EQ(outcomes(judged(zero, "def find_zero(xs): return -xs[0] / xs[1] + 1e-5")), "pass");
  EXPECT_EQ(outcomes(judged(zero, "def find_zero(xs): return 0.5")), "wrong");
  const Json same = spec_of("Mbpp/2", "similar_elements",
                            "def similar_elements(a, b): return (3, 4)", "[[[3, 4], [4, 3]]]");
  EXPECT_EQ(outcomes(judged(same, "def similar_elements(a, b): return [4, 3, 3]")), "pass");
  EXPECT_EQ(outcomes(judged(same, "def similar_elements(a, b): return 7")), "wrong");
  const Json match = spec_of("Mbpp/737", "check_str",
                             "import re\ndef check_str(s): return "
                             "re.search('^a', s)",
                             R"([["abc"], ["xyz"]])");
  EXPECT_EQ(outcomes(judged(match, "def check_str(s): return s[0] == 'a'")), "pass pass");
  EXPECT_EQ(outcomes(judged(match, "def check_str(s): return 'no' if s[0] == 'a' else None")),
            "pass pass");
  EXPECT_EQ(outcomes(judged(match, "def check_str(s): return 'Not matched!'")), "pass wrong");
  const Json surface =
      spec_of("Mbpp/581", "surface_Area", "def surface_Area(b, s): return 33", "[[3, 4]]");
  EXPECT_EQ(outcomes(judged(surface, "def surface_Area(b, s): return 33")), "pass");
  EXPECT_EQ(outcomes(judged(surface, "def surface_Area(b, h): return 35")), "pass");
  EXPECT_EQ(outcomes(judged(surface, "def surface_Area(b, h): return 36")), "wrong");
  const Json digits = spec_of("Mbpp/558", "digit_distance_nums",
                              "def digit_distance_nums(a, b): return 1", "[[123, 45]]");
  EXPECT_EQ(outcomes(judged(digits, "def digit_distance_nums(a, b): return 5")), "pass");
  EXPECT_EQ(outcomes(judged(digits, "def digit_distance_nums(a, b): return 6")), "wrong");
}

TEST_F(EvalPlus, TypesAreGivenBackToMbppInputs) {
  struct Case {
    const char *task, *inputs, *types;
  };
  for (const Case& c : {Case{"Mbpp/2", "[[[1], [2]]]", "[(1,), (2,)]"},
                        {"Mbpp/63", "[[[[1, 2], [3, 4]]]]", "[[(1, 2), (3, 4)]]"},
                        {"Mbpp/75", "[[[[1, 2]], 3]]", "[[(1, 2)], 3]"},
                        {"Mbpp/106", "[[[1], [2]]]", "[[1], (2,)]"},
                        {"Mbpp/250", "[[[1], 2]]", "[(1,), 2]"},
                        {"Mbpp/259", "[[[[1, 2]], [[3, 4]]]]", "[((1, 2),), ((3, 4),)]"},
                        {"Mbpp/278", "[[[1, [2, 3]]]]", "[(1, (2, 3))]"},
                        {"Mbpp/722", R"([[{"a": [1, 2]}, 3]])", "[{'a': (1, 2)}, 3]"},
                        {"Mbpp/580", "[[[1, [2, [3]]]]]", "[(1, (2, (3,)))]"},
                        {"Mbpp/124", R"([["1", "2j"]])", "[1.0, 2j]"},
                        {"Mbpp/252", R"([["1+2j"]])", "[(1+2j)]"},
                        {"Mbpp/3", "[[[1], 2]]", "[[1], 2]"}}) {
    const Json spec = spec_of(c.task, "f", "def f(*args): return repr(list(args))", c.inputs);
    const Verdict verdict = judged(spec, std::string("def f(*args): return \"") + c.types + "\"");
    EXPECT_EQ(outcomes(verdict), "pass") << c.task << ": " << verdict.why;
  }
}

TEST_F(EvalPlus, TimeIsLimitedPerInput) {
  const Json spec = identity("[[1], [2], [3]]", {{"minimum_seconds", 0.3}});
  const Verdict verdict = judged(spec, "def f(x):\n    while x == 2: pass\n    return x");
  EXPECT_EQ(outcomes(verdict), "pass timeout pass");
  EXPECT_EQ(verdict.why, "base 2: no result after 0.3 seconds");
}

TEST_F(EvalPlus, WhatCannotBeInterruptedEndsTheRun) {
  const Json spec = identity("[[1], [2], [3]]", {{"minimum_seconds", 0.1}});
  const char* stubborn =
      "import time\ndef f(x):\n    while x == 2:\n        try:\n            time.sleep(9)\n"
      "        except Exception: pass\n    return x";
  EXPECT_EQ(outcomes(judged(spec, stubborn)), "pass timeout timeout");
  const char* ends = "import os\ndef f(x):\n    if x == 2: os._exit(0)\n    return x";
  EXPECT_EQ(outcomes(judged(spec, ends)), "pass crash crash");
}

TEST_F(EvalPlus, ProgramsMeetTheWorldOfTheReference) {
  const Json spec = identity("[[1]]");
  for (const char* body : {"input()", "open('x')", "exit()", "quit()", "import os; os.system('ls')",
                           "import subprocess; subprocess.Popen('ls')", "import psutil",
                           "import sys; sys.stdin.read()"}) {
    const std::string program = std::string("def f(x):\n    ") + body + "\n    return x";
    EXPECT_EQ(outcomes(judged(spec, program)), "error") << body;
  }
  EXPECT_EQ(outcomes(judged(spec, "def f(x):\n    print('x' * 10**6)\n    return x")), "pass");
  EXPECT_EQ(outcomes(judged(spec, "def f(x):\n    raise SystemExit(0)")), "error");
  EXPECT_EQ(outcomes(judged(spec, "def f(x):\n    return bytearray(8 << 30)")), "memory");
}

TEST_F(EvalPlus, AProgramThatDoesNotLoadFailsEverywhere) {
  for (const char* program : {"def f(x) return x", "import nothing_of_that_name", "g = 1"}) {
    const Verdict verdict = judged(identity("[[1], [2]]"), program);
    EXPECT_EQ(outcomes(verdict), "error error");
    EXPECT_THAT(verdict.why, HasSubstr("base 1: while loading: "));
  }
}

TEST_F(EvalPlus, ObjectsThatEqualEverythingEqualNothing) {
  EXPECT_EQ(
      outcomes(judged(identity("[[1]]"),
                      "class Yes:\n    def __eq__(self, other): return True\ndef f(x): return "
                      "Yes()")),
      "wrong");
}

TEST_F(EvalPlus, TheProgramIsFoundInTheAnswer) {
  const Json spec = identity("[[1]]", {{"extract", "evalplus-chat"}});
  EXPECT_EQ(outcomes(judged(spec, "Sure, this is it:\n\ndef f(x):\n    return x\n\nprint(f(1))")),
            "pass");
  EXPECT_EQ(outcomes(judged(spec, "```python\nimport math\ndef f(x):\n    return x\n```\nDone.")),
            "pass");
}

TEST_F(EvalPlus, LargeValuesAreKnownByTheirDigest) {
  const Json texts = spec_of("HumanEval/0", "f", "def f(n): return 'x' * n", "[[10], [20000]]");
  EXPECT_EQ(outcomes(judged(texts, "def f(n): return 'x' * n")), "pass pass");
  const Verdict verdict = judged(texts, "def f(n): return 'x' * (n - 1) + 'y'");
  EXPECT_EQ(outcomes(verdict), "wrong wrong");
  EXPECT_EQ(verdict.tests[1].why,
            "expected <a text of 20000 characters>, got <a text of 20000 characters>");
  const Json lists = spec_of("HumanEval/0", "f", "def f(n): return [(0, 1)] * n", "[[600000]]");
  EXPECT_EQ(outcomes(judged(lists, "def f(n): return [(0, 1) for _ in range(n)]")), "pass");
  EXPECT_EQ(outcomes(judged(lists, "def f(n): return [(0, 1)] * (n - 1) + [(0, 2)]")), "wrong");
  EXPECT_EQ(outcomes(judged(lists, "def f(n): return [[0, 1]] * n")), "wrong");
}

TEST_F(EvalPlus, LargeValuesAreEqualWhereNumbersAre) {
  const Json tri = spec_of("HumanEval/130", "f",
                           "def f(n): return [1, 3] + [i / 2 for i in range(n)]", "[[1000000]]");
  EXPECT_EQ(outcomes(judged(tri,
                            "def f(n): return [1, 3] + [i / 2 if i % 2 else i // 2 for i in "
                            "range(n)]")),
            "pass");
  EXPECT_EQ(outcomes(judged(tri, "def f(n): return [True, 3.0] + [i / 2 for i in range(n)]")),
            "pass");
  EXPECT_EQ(outcomes(judged(tri, "def f(n): return [1, 3] + [i / 2 for i in range(n - 1)] + [0]")),
            "wrong");
  const Json floats =
      spec_of("HumanEval/0", "f", "def f(n): return [i / 3 for i in range(n)]", "[[1000001]]");
  EXPECT_EQ(outcomes(judged(floats, "def f(n): return [i / 3 + 1e-8 for i in range(n)]")), "pass");
  EXPECT_EQ(outcomes(judged(floats, "def f(n): return [i / 3 + 1e-5 for i in range(n)]")), "wrong");
}

TEST_F(EvalPlus, WhoeverRanOutOfTimeTwiceIsNotAskedAgain) {
  const Json spec =
      identity("[[1], [2], [3], [4]]", {{"plus", "[[5], [6], [7]]"}, {"minimum_seconds", 0.2}});
  const char* loops = "def f(x):\n    while x > 1: pass\n    return x";
  const Verdict verdict = judged(spec, loops);
  EXPECT_EQ(outcomes(verdict), "pass timeout timeout timeout timeout timeout timeout");
  EXPECT_THAT(verdict.tests[6].why, HasSubstr("not run"));
  JudgeTools tools = test_tools();
  tools.every_test = true;
  const Verdict all = make_reward(spec, {"id", "?"}, "p.json", tools)->judge(loops);
  EXPECT_EQ(all.tests[6].why, "no result after 0.2 seconds");
}

TEST_F(EvalPlus, ACanonicalSolutionThatFailsGivesNoVerdict) {
  const Verdict verdict =
      judged(spec_of("HumanEval/0", "f", "def f(x): return 1 / x", "[[0]]"), "");
  EXPECT_TRUE(std::isnan(verdict.reward));
  EXPECT_THAT(verdict.why, HasSubstr("HumanEval/0: the canonical solution fails on input 1"));
  const auto check = [](const Json& spec) {
    make_reward(spec, {"id", "?"}, "p.json", test_tools())->check();
  };
  EXPECT_ERROR(check(spec_of("HumanEval/0", "f", "def f(x): return 1 / x", "[[0]]")),
               "the canonical solution fails on input 1");
  check(identity("[[0]]"));
}

TEST_F(EvalPlus, ExpectedOutputsAreKeptOnDisk) {
  const TemporaryDirectory folder;
  const ExpectedOutputsCache cache(folder / "expected");
  const ReferenceRun run{"HumanEval/0", "f", "def f(x): return (x, 1.5)", "[[1], [2]]"};
  Sandbox& sandbox = test_tools().sandbox();
  const ExpectedOutputs first = cache.get(run, sandbox);
  EXPECT_EQ(first.values.size(), 2u);
  const std::string bytes = read_file(cache.path_of(run));
  EXPECT_EQ(cache.get(run, sandbox).seconds, first.seconds) << "read, not computed";
  for (const std::string& damaged :
       {bytes.substr(0, bytes.size() / 2), std::string(), "x" + bytes, bytes + "x"}) {
    write_file(cache.path_of(run), damaged);
    EXPECT_EQ(cache.get(run, sandbox).values, first.values);
    EXPECT_EQ(read_file(cache.path_of(run)).substr(0, 14), "umf-expected-3") << "written anew";
  }
  ReferenceRun other = run;
  other.source += " ";
  EXPECT_NE(cache.path_of(other), cache.path_of(run));
}

}  // namespace
}  // namespace umf
