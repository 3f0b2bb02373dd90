// The lines of a program that a failing test names, by every tester, through the real sandbox.
#include "reward/code_testing.h"

namespace umf {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

Json python_tests(const Json& test) { return {{"type", "python-tests"}, {"tests", {test}}}; }

Json livecodebench(const Json& test, const Json& more) {
  Json spec = {{"type", "livecodebench"},
               {"public", Json::array({test}).dump()},
               {"tests", "public"},
               {"extract", "program"}};
  spec.update(more);
  return spec;
}

struct Judge {
  const char* name;
  Json spec;
};

// All that call f(2).
std::vector<Judge> judges_of_values() {
  return {
      {"call", python_tests({{"call", "f(2)"}, {"expect", "4"}})},
      {"assert", python_tests({{"assert", "f(2) == 4"}})},
      {"mbpp", {{"type", "mbpp"}, {"tests", {"assert f(2) == 4"}}}},
      {"humaneval",
       {{"type", "humaneval"},
        {"prompt", "# a task\n"},
        {"entry_point", "f"},
        {"test", "def check(c):\n    assert c(2) == 4\n"}}},
      {"evalplus",
       {{"type", "evalplus"},
        {"task_id", "HumanEval/0"},
        {"prompt", ""},
        {"entry_point", "f"},
        {"canonical_solution", "def f(x): return 4"},
        {"base", "[[2]]"}}},
      {"livecodebench", livecodebench({{"input", "2"}, {"output", "4"}, {"testtype", "functional"}},
                                      {{"func_name", "f"}})}};
}

// All that run the program and look at what it prints.
std::vector<Judge> judges_of_output() {
  const Json test = {{"input", "2"}, {"output", "4"}, {"testtype", "stdin"}};
  return {{"stdin", python_tests({{"stdin", "2"}, {"stdout", "4"}})},
          {"emulation", livecodebench(test, {{"mode", "emulation"}})},
          {"process", livecodebench(test, {{"mode", "process"}})}};
}

TEST(NamedLines, AreThoseThatTheExceptionWentThrough) {
  for (const Judge& judge : judges_of_values()) {
    SCOPED_TRACE(judge.name);
    const Verdict verdict = judged(judge.spec,
                                   "def g(x):\n    y = 'a'\n    return x + y\n\n"
                                   "def f(x):\n    z = 1\n    return g(x)\n");
    ASSERT_THAT(verdict.tests, SizeIs(1));
    EXPECT_EQ(verdict.tests[0].outcome, TestOutcome::kError);
    EXPECT_THAT(verdict.tests[0].lines, ElementsAre("return g(x)", "return x + y"));
  }
}

TEST(NamedLines, OfProgramsThatPrintAreTheirOwnText) {
  for (const Judge& judge : judges_of_output()) {
    SCOPED_TRACE(judge.name);
    const Verdict verdict = judged(judge.spec,
                                   "import sys\ndef half( x ):\n  return  x / \"2\"   # odd space\n"
                                   "if __name__ == '__main__':\n  print( half(int(input())) )\n");
    ASSERT_THAT(verdict.tests, SizeIs(1));
    EXPECT_EQ(verdict.tests[0].outcome, TestOutcome::kError);
    EXPECT_THAT(verdict.tests[0].lines,
                ElementsAre("print( half(int(input())) )", "return  x / \"2\"   # odd space"));
  }
}

TEST(NamedLines, OfATextThatIsNoProgramAreWhereItStopsToBeOne) {
  for (const std::vector<Judge>& judges : {judges_of_values(), judges_of_output()}) {
    for (const Judge& judge : judges) {
      SCOPED_TRACE(judge.name);
      const Verdict verdict = judged(judge.spec, "x = 1\ndef f(x):\n    return x +* 2\n");
      ASSERT_THAT(verdict.tests, SizeIs(1));
      EXPECT_THAT(verdict.tests[0].lines, ElementsAre("return x +* 2"));
    }
  }
}

TEST(NamedLines, OfADeepRecursionAreFew) {
  for (const Judge& judge : judges_of_values()) {
    SCOPED_TRACE(judge.name);
    const Verdict verdict = judged(judge.spec, "def f(x):\n    return f(x + 1)\n");
    if (verdict.tests[0].outcome == TestOutcome::kError) {
      EXPECT_THAT(verdict.tests[0].lines, ElementsAre("return f(x + 1)"));
    }
  }
}

TEST(NamedLines, AreNoneWhereNothingWasRaised) {
  for (const Judge& judge : judges_of_values()) {
    SCOPED_TRACE(judge.name);
    EXPECT_THAT(judged(judge.spec, "def f(x): return 5").tests.at(0).lines, IsEmpty());
    EXPECT_THAT(judged(judge.spec, "def f(x): return 4").tests.at(0).lines, IsEmpty());
  }
}

// Whatever a program makes of its own exception, the verdict is that it failed.
TEST(NamedLines, OfHostileProgramsAreBounded) {
  for (const char* trick :
       {"raise ValueError('a\\0b\\0c' * 1000)",
        "sys.modules['umf.program_lines'].lines_behind = lambda problem: ['x' * 10**6] * 100",
        "sys.modules['umf.program_lines'].lines_behind = lambda problem: [4]",
        "sys.modules['umf.program_lines']._texts.clear()",
        "raise SyntaxError('no', ([], [], [], []))",
        "raise type('E', (SyntaxError,), "
        "{'filename': property(lambda self: 1 / 0)})()",
        "raise ValueError('\\ud800')"}) {
    for (const std::vector<Judge>& judges : {judges_of_values(), judges_of_output()}) {
      for (const Judge& judge : judges) {
        SCOPED_TRACE(std::string(judge.name) + ": " + trick);
        const Verdict verdict = judged(judge.spec, std::string("import sys\ndef f(x):\n    ") +
                                                       trick + "\n    return 1 / 0\nf(2)");
        EXPECT_EQ(verdict.reward, 0);
        ASSERT_THAT(verdict.tests, SizeIs(1));
        std::size_t bytes = 0;
        for (const std::string& line : verdict.tests[0].lines) bytes += line.size();
        EXPECT_LT(bytes, 50'000u);
        EXPECT_LE(verdict.tests[0].lines.size(), 8u);
      }
    }
  }
}

}  // namespace
}  // namespace umf
