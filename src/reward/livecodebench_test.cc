// LiveCodeBench's rules, one by one, through the real sandbox.
#include <cmath>

#include "reward/code_testing.h"
#include "sandbox/overload_testing.h"
#include "support/expect_error.h"

namespace umf {
namespace {

using testing::HasSubstr;

Json stdin_test(const std::string& input, const std::string& output) {
  return {{"input", input}, {"output", output}, {"testtype", "stdin"}};
}

Json spec_of(const Json& tests, const Json& more = {}) {
  Json spec = {{"type", "livecodebench"},
               {"public", tests.dump()},
               {"tests", "public"},
               {"extract", "program"}};
  if (more.is_object()) spec.update(more);
  return spec;
}

// The outcome of a program on one input, for which it should print `output`.
std::string stdin_outcome(const std::string& program, const std::string& input,
                          const std::string& output, const std::string& mode = "emulation") {
  return outcomes(
      judged(spec_of(Json::array({stdin_test(input, output)}), {{"mode", mode}}), program));
}

std::string both(const std::string& program, const std::string& input, const std::string& output) {
  return stdin_outcome(program, input, output) + " " +
         stdin_outcome(program, input, output, "process");
}

TEST(LiveCodeBench, EveryTestRunsAndCounts) {
  const Json tests = {stdin_test("1\n", "2\n"), stdin_test("2\n", "5\n"), stdin_test("x\n", "0"),
                      stdin_test("4\n", "8")};
  const Verdict verdict = judged(spec_of(tests), "n = int(input())\nprint(2 * n)");
  EXPECT_EQ(outcomes(verdict), "pass wrong error pass");
  EXPECT_EQ(verdict.reward, 0.5);
  EXPECT_EQ(verdict.why, "public 2: line 1: expected 5, got 4");
  EXPECT_THAT(verdict.tests[2].why, HasSubstr("ValueError"));
}

TEST(LiveCodeBench, OutputsCompareLineByLineAndNumbersByValue) {
  struct Case {
    const char *printed, *expected, *outcome;
  };
  for (const Case& c :
       {Case{"5", "5.0", "pass"},
        {"05 +5 5e0", "5 5 5", "pass"},
        {"-0", "0", "pass"},
        {".5", "0.5", "pass"},
        {"1_0", "10", "pass"},
        {"inf", "Infinity", "pass"},
        {"nan", "NaN", "wrong"},
        {"nan", "nan", "pass"},
        {"snan", "1", "error"},
        {"0.30000000000000004", "0.3", "wrong"},
        {"100000000000000000000000000000000001", "100000000000000000000000000000000001.0", "pass"},
        {"Yes", "YES", "wrong"},
        {"a\\r\\nb  \\n\\n", "a\nb", "pass"},
        {"a\\rb", "a\nb", "wrong"},
        {"a\\u2028b", "a\nb", "wrong"},
        {"a\\n\\nb", "a\nb", "wrong"},
        {"1 2", "1  2", "pass"},
        {"a b", "a  b", "wrong"},
        {"1 2", "1 2 3", "wrong"},
        {"\\u0661", "1", "pass"},
        {"", "\n", "pass"}}) {
    const std::string program = std::string("print('") + c.printed + "', end='')";
    EXPECT_EQ(stdin_outcome(program, "", c.expected), c.outcome)
        << c.printed << " for " << c.expected;
  }
}

TEST(LiveCodeBench, TheFakeStdinIsTheReferences) {
  // What passes in the emulation, and as a plain process.
  EXPECT_EQ(both("print(input() + input())", "a\nb\n", "ab"), "pass pass");
  EXPECT_EQ(both("import sys\nprint(sys.stdin.read())", "a\nb", "a\nb"), "pass pass");
  EXPECT_EQ(both("import sys\nprint(sys.stdin.buffer.read().decode())", "ab", "ab"), "pass pass");
  EXPECT_EQ(both("import sys\nfor line in sys.stdin: print(line)", "ab", "ab"), "error pass");
  EXPECT_EQ(
      both("import sys\nr = sys.stdin.buffer.readline\nr()\nprint(r().decode())", "a\nb\n", "b"),
      "wrong pass");
  EXPECT_EQ(both("import sys\ninput()\nprint(sys.stdin.read())", "a\nb", "b"), "wrong pass");
  EXPECT_EQ(both("import sys\nsys.stdin.read()\nprint(repr(sys.stdin.read()))", "a", "''"),
            "wrong pass");
  EXPECT_EQ(both("import sys\nprint(sum(int(l) for l in sys.stdin.readlines()))", "1\n2\n", "3"),
            "error pass");
  EXPECT_EQ(both("print(open(0).read())", "a", "a"), "wrong pass");
  EXPECT_EQ(both("input()\ninput()", "a\n", ""), "error error") << "the end of the input";
}

TEST(LiveCodeBench, OutputThatOnlyOneWaySees) {
  EXPECT_EQ(both("import sys\nsys.stdout.buffer.write(b'a')", "", "a"), "error pass");
  EXPECT_EQ(both("import os\nos.write(1, b'a')", "", "a"), "wrong pass");
  EXPECT_EQ(both("import sys\nprint('a')\nprint('b', file=sys.stderr)", "", "a"), "pass pass");
}

TEST(LiveCodeBench, EndsThatCount) {
  EXPECT_EQ(both("print('a')\nexit()", "", "a"), "pass pass");
  EXPECT_EQ(both("import sys\nprint('a')\nsys.exit(0)\nprint('b')", "", "a"), "pass pass");
  EXPECT_EQ(both("print('a')\nquit()", "", "a"), "error pass");
  EXPECT_EQ(both("print('a')\n1 / 0", "", "a"), "error error");
}

TEST(LiveCodeBench, TheProgramBecomesAFunction) {
  EXPECT_EQ(
      both("def main():\n    print('a')\nif __name__ == \"__main__\":\n    main()\n", "", "a"),
      "pass pass");
  EXPECT_EQ(both("if '__main__' == __name__:\n    print('a')", "", "a"), "wrong pass");
  EXPECT_EQ(both("if __name__ == '__main__':\n    print('a')\nx = 1", "", "a"), "wrong pass");
  EXPECT_EQ(both("if __name__ == '__main__':\n    print('a')\nelse:\n    print('b')", "", "a"),
            "pass pass");
  EXPECT_EQ(both("n = 1\ndef f():\n    global n\n    n += 1\nf()\nprint(n)", "", "2"),
            "error pass");
  EXPECT_EQ(both("n = 1\ndef f():\n    return n\nprint(f())", "", "1"), "pass pass");
  EXPECT_EQ(both("print('a')\nreturn", "", "a"), "pass error");
  EXPECT_EQ(both("from __future__ import annotations\nprint('a')", "", "a"), "error pass");
  EXPECT_EQ(both("print(gcd(4, 6), sqrt(4), Counter('a')['a'])", "", "2 2.0 1"), "pass pass");
  EXPECT_EQ(both("class Solution:\n    pass\nprint('a')", "", "a"), "error pass");
  EXPECT_EQ(stdin_outcome("# nothing", "", ""), "error");
  EXPECT_EQ(stdin_outcome("", "", ""), "error");
  EXPECT_EQ(stdin_outcome("print('a'", "", "a"), "error");
}

TEST(LiveCodeBench, BothWaysHaveThePrelude) {
  EXPECT_EQ(
      both("xs: List[int] = list(deque([1, 2]))\nprint(len(xs), bisect_left(xs, 2))", "", "2 1"),
      "pass pass");
  EXPECT_EQ(both("@lru_cache(None)\ndef f(n):\n    return n and 1 + f(n - 1)\nprint(f(4000))", "",
                 "4000"),
            "pass pass");
  EXPECT_EQ(both("print(len(str(10 ** 20000)), sys.getrecursionlimit())", "", "20001 50000"),
            "pass pass");
  EXPECT_EQ(both("from math import pi as open\nprint(pow(2, 3), round(open))", "", "8 3"),
            "pass pass");
}

// Half of the processor is as good as all of it; sleeping is not.
TEST(LiveCodeBench, TimeIsWhatTheProgramUses) {
  const Json tests = Json::array({stdin_test("", "done")});
  const std::string shares =
      "import time\nfor _ in range(6):\n    end = time.process_time() + 0.1\n"
      "    while time.process_time() < end: pass\n    time.sleep(0.2)\nprint('done')";
  const std::string sleeps = "import time\ntime.sleep(1.5)\nprint('done')";
  for (const char* mode : {"emulation", "process"}) {
    const Json spec = spec_of(tests, {{"mode", mode}, {"timeout_ms", 1000}});
    EXPECT_EQ(outcomes(judged(spec, shares)), "pass") << mode;
    EXPECT_EQ(outcomes(judged(spec, sleeps)), "timeout") << mode;
  }
}

// The alarm inside the program must not ring before it had its time: it would be taken for an error
// of the program's own, and many programs print something then.
TEST(LiveCodeBench, ABusyMachineChangesNoOutput) {
  std::unique_ptr<Sandbox> sandbox;
  {
    const OneProcessor for_its_interpreter;
    sandbox = make_sandbox({.workers = 1, .unsafe = true});
    sandbox->run(PythonJob{"self_test", R"({"programs": []})"});
  }
  const JudgeTools tools{.sandbox = [&]() -> Sandbox& { return *sandbox; }};
  const Json tests = Json::array({stdin_test("", "done")});
  const char* catches =
      "import time\ntry:\n    end = time.process_time() + 0.2\n"
      "    while time.process_time() < end: pass\n    print('done')\n"
      "except BaseException: print('none')";
  const Neighbours neighbours(8);
  for (const char* mode : {"emulation", "process"}) {
    const Json spec = spec_of(tests, {{"mode", mode}, {"timeout_ms", 300}});
    const Verdict verdict = make_reward(spec, {"id", "?"}, "p.json", tools)->judge(catches);
    if (std::isnan(verdict.reward))  // with still more neighbours than these
      EXPECT_THAT(verdict.why, HasSubstr("the sandbox failed: ")) << mode;
    else
      EXPECT_EQ(outcomes(verdict), "pass") << mode << ": " << verdict.why;
  }
}

TEST(LiveCodeBench, WhoeverRanOutOfTimeTwiceIsNotAskedAgain) {
  const Json tests(8, stdin_test("", "1"));
  const Json spec = spec_of(tests, {{"timeout_ms", 300}});
  const char* loops = "while True: pass";
  const Verdict verdict = judged(spec, loops);
  EXPECT_EQ(outcomes(verdict), "timeout timeout timeout timeout timeout timeout timeout timeout");
  EXPECT_THAT(verdict.tests[2].why, HasSubstr("not run: 2 tests ran out of time"));
  JudgeTools tools = test_tools();
  tools.every_test = true;
  const Verdict all = make_reward(spec, {"id", "?"}, "p.json", tools)->judge(loops);
  EXPECT_THAT(all.tests[7].why, HasSubstr("no result after 0.3 seconds"));
}

TEST(LiveCodeBench, ModulesKeepTheirStateFromTestToTest) {
  const Json tests = {stdin_test("", "1"), stdin_test("", "2")};
  const char* counts = "import math\nmath.n = getattr(math, 'n', 0) + 1\nprint(math.n)";
  EXPECT_EQ(outcomes(judged(spec_of(tests), counts)), "pass pass");
  EXPECT_EQ(outcomes(judged(spec_of(tests, {{"mode", "process"}}), counts)), "pass wrong");
}

TEST(LiveCodeBench, TimeIsLimitedPerTest) {
  const Json tests = {stdin_test("1", "1"), stdin_test("0", "0"), stdin_test("2", "2")};
  const char* hangs = "n = int(input())\nwhile n == 0:\n    n = n\nprint(n)";
  for (const char* mode : {"emulation", "process"}) {
    const Verdict verdict = judged(spec_of(tests, {{"mode", mode}, {"timeout_ms", 300}}), hangs);
    EXPECT_EQ(outcomes(verdict), "pass timeout pass") << mode;
  }
  // Whoever catches the alarm goes on, with its line in the output.
  const char* survives =
      "n = int(input())\ntry:\n    while n == 0:\n        n = n\nexcept Exception:\n    "
      "pass\nprint(n)";
  const Verdict verdict = judged(spec_of(tests, {{"timeout_ms", 300}}), survives);
  EXPECT_EQ(outcomes(verdict), "pass wrong pass");
}

Json call_test(const std::string& input, const std::string& output) {
  return {{"input", input}, {"output", output}, {"testtype", "functional"}};
}

std::string call_outcome(const std::string& program, const std::string& input,
                         const std::string& output) {
  return outcomes(
      judged(spec_of(Json::array({call_test(input, output)}), {{"func_name", "f"}}), program));
}

std::string returning(const std::string& value) {
  return "class Solution:\n    def f(self, x):\n        return " + value;
}

TEST(LiveCodeBench, FunctionsAreCalled) {
  EXPECT_EQ(call_outcome("class Solution:\n    def f(self, a: List[int], b: int) -> int:\n        "
                         "return sum(a) * b",
                         "[1, 2]\n3", "9"),
            "pass");
  EXPECT_EQ(call_outcome("def f(x): return x", "\"a\"", "\"a\""), "pass");
  EXPECT_EQ(call_outcome("class Solution:\n    def g(self): pass", "1", "1"), "error");
  EXPECT_EQ(call_outcome("def g(x): return x", "1", "1"), "error");
  EXPECT_EQ(call_outcome("# class Solution\ndef f(x): return x", "1", "1"), "error");
}

TEST(LiveCodeBench, ValuesCompareAsInPython) {
  struct Case {
    const char *value, *expected, *outcome;
  };
  for (const Case& c : {Case{"1", "true", "pass"},
                        {"[1.0]", "[1]", "pass"},
                        {"(1, 2)", "[1, 2]", "pass"},
                        {"[(1, 2)]", "[[1, 2]]", "wrong"},
                        {"{1}", "[1]", "wrong"},
                        {"range(2)", "[0, 1]", "wrong"},
                        {"deque([1])", "[1]", "wrong"},
                        {"nan", "NaN", "wrong"},
                        {"None", "null", "pass"},
                        {"0.1 + 0.2", "0.3", "wrong"},
                        {"map(int, '1')", "[1]", "wrong"}}) {
    EXPECT_EQ(call_outcome(returning(c.value), "0", c.expected), c.outcome) << c.value;
  }
}

TEST(LiveCodeBench, OneInstanceServesAllTests) {
  const Json tests = {call_test("0", "1"), call_test("0", "2")};
  EXPECT_EQ(outcomes(judged(spec_of(tests, {{"func_name", "f"}}),
                            "class Solution:\n    n = 0\n    def f(self, x):\n        self.n += "
                            "1\n        return self.n")),
            "pass pass");
}

TEST(LiveCodeBench, PublicAndPrivateTestsAreChosen) {
  Json spec = spec_of(Json::array({stdin_test("", "a")}),
                      {{"private", Json::array({stdin_test("", "b")}).dump()}});
  const auto names = [&](const char* tests) {
    spec["tests"] = tests;
    std::string text;
    for (const TestVerdict& test : judged(spec, "print('b')").tests)
      text += test.name + " " + name_of(test.outcome) + ", ";
    return text;
  };
  EXPECT_EQ(names("public"), "public 1 wrong, ");
  EXPECT_EQ(names("private"), "private 1 pass, ");
  EXPECT_EQ(names("all"), "public 1 wrong, private 1 pass, ");
  EXPECT_EQ(judged(spec_of(Json::array()), "").reward, 0) << "nothing to be right about";
}

TEST(LiveCodeBench, AProgramThatTakesOverItsGuestIsWrongAndNothingElse) {
  for (const char* answer : {"[]", "None", "['output']", "['output', 7]", "{'a': 1}", "7"}) {
    const std::string program =
        std::string(
            "import sys\nsys.modules['umf.livecodebench_guest'].Guest.ask = lambda self, "
            "request: ") +
        answer + "\nprint(4)";
    const Verdict verdict = judged(spec_of({stdin_test("", "5"), stdin_test("", "6")}), program);
    EXPECT_EQ(verdict.reward, 0) << answer << ": " << verdict.why;
    EXPECT_EQ(verdict.tests.size(), 2u);
  }
}

TEST(LiveCodeBench, TestsAreCheckedBeforeAnyAnswer) {
  const auto check = [](const Json& spec) {
    make_reward(spec, {"id", "?"}, "p.json", test_tools())->check();
  };
  check(spec_of(Json::array({call_test("1\n[2]", "3")}), {{"func_name", "f"}}));
  check(spec_of(Json::array({stdin_test("x", "y")})));
  EXPECT_ERROR(
      check(spec_of(Json::array({call_test("1", "3"), call_test("x", "3")}), {{"func_name", "f"}})),
      "public 2 cannot be run: its values are no JSON");
}

TEST(LiveCodeBench, SpecsAreChecked) {
  EXPECT_ERROR(judged(spec_of(Json::array(), {{"tests", "private"}}), ""),
               "private tests are missing");
  EXPECT_ERROR(judged(spec_of(Json::array(), {{"mode", "fast"}}), ""), "'mode' is one of");
  EXPECT_ERROR(judged(spec_of({{{"input", 1}}}), ""), "must have 'input' and 'output'");
  EXPECT_ERROR(judged(spec_of(Json::array(), {{"public", "@@@@"}}), ""), "base64");
}

}  // namespace
}  // namespace umf
