#include "reward/code_extraction.h"

#include <gtest/gtest.h>

#include "support/expect_error.h"

namespace umf {
namespace {

std::string extract(const std::string& way, const std::string& answer,
                    const ExtractionContext& context = {}) {
  return extract_program(way, answer, context).program;
}

TEST(CodeExtraction, TheLastCompleteFencedBlockWins) {
  EXPECT_EQ(extract("fenced", "so:\n```python\na = 1\n```\nand\n```\nb = 2\nc\n```\nend"),
            "b = 2\nc");
  EXPECT_EQ(extract("fenced", "```python\na\n```\n```python\nb"), "a");
  EXPECT_EQ(extract("fenced", "text\n```py\na\nb"), "a\nb");
  EXPECT_EQ(extract("fenced", "a = 1\n"), "a = 1\n");
  EXPECT_EQ(extract("fenced", "```\n```"), "");
  EXPECT_EQ(extract("fenced", "x = '```'\n"), "x = '```'\n") << "not at the start of a line";
}

TEST(CodeExtraction, ThePrefillIsPartOfTheTurn) {
  EXPECT_EQ(extract("fenced", "a\n```\nThis is it.", {.prefill = "Here:\n```python\n"}), "a");
  EXPECT_EQ(extract("livecodebench", "a\n```", {.prefill = "```python\n"}), "a");
  EXPECT_EQ(extract("to-fence", "a\n```\nb", {.prefill = "Here:\n```python\n"}), "a\n");
  EXPECT_EQ(extract("to-fence", "So:\n```python\na\n```\nb"), "a\n");
}

TEST(CodeExtraction, LiveCodeBenchTakesTheLinesBetweenTheLastTwoFences) {
  EXPECT_EQ(extract("livecodebench", "```python\na\n```\n```\nb\n```"), "b");
  EXPECT_EQ(extract("livecodebench", "```\na\n```\nbetween\n```python\nc"), "between");
  EXPECT_EQ(extract("livecodebench", "```python\nunclosed"), "");
  EXPECT_EQ(extract("livecodebench", "no fence"), "");
  EXPECT_EQ(extract("livecodebench", "say ``` here\nx\nand ``` there"), "x")
      << "anywhere in a line";
  EXPECT_EQ(extract("stripped", " \n a \n"), "a");
}

TEST(CodeExtraction, EvalPlusCutsAtTheEarliestStop) {
  EXPECT_EQ(extract("evalplus-chat", "a\n```\nb\nprint(1)"), "a");
  EXPECT_EQ(extract("evalplus-chat", "a\nprint(1)\n```\n"), "a");
  EXPECT_EQ(extract("evalplus-chat", "print(1)\nif __name__ == 3"), "print(1)")
      << "the first line is not at a line feed";
  EXPECT_EQ(extract("evalplus-chat", "a\n  print(1)\ndef main():"), "a\n  print(1)");
  EXPECT_EQ(extract("evalplus-chat", "a<|endoftext|>b"), "a");
  EXPECT_EQ(extract("evalplus-chat", "a\n```"), "a\n```") << "a closing fence needs its line feed";
  EXPECT_EQ(extract("evalplus-chat", "\ta\n\t\tb"), "    a\n        b");
  EXPECT_EQ(extract("evalplus-chat", "def f():\nclass A:\nassert 1"),
            "def f():\nclass A:\nassert 1");
  EXPECT_EQ(extract_program("evalplus-chat", "", {}).sanitise, "evalplus");
}

TEST(CodeExtraction, EvalPlusLooksAtTenThousandCharacters) {
  const std::string umlauts = [] {
    std::string text;
    for (int i = 0; i < 10'001; ++i) text += "\xC3\xA4";
    return text;
  }();
  EXPECT_EQ(extract("evalplus-chat", umlauts).size(), 20'000u);
  EXPECT_EQ(extract("evalplus-chat", std::string(9999, 'x')).size(), 9999u);
}

TEST(CodeExtraction, CompletionsOfBaseModelsStopElsewhere) {
  const ExtractionContext human{.prompt = "def f():\n"},
      mbpp{.prompt = "\"\"\"\nx\n\"\"\"\n", .mbpp = true};
  EXPECT_EQ(extract("evalplus-base", "  return 1\ndef g():", human), "def f():\n  return 1");
  EXPECT_EQ(extract("evalplus-base", "  return 1\nassert f", human), "def f():\n  return 1");
  EXPECT_EQ(extract("evalplus-base", "def f(): return 1\ndef g(): return 2\nassert f", mbpp),
            mbpp.prompt + "def f(): return 1\ndef g(): return 2");
  EXPECT_EQ(extract("evalplus-base", "a = 1\n\"\"\"", mbpp), mbpp.prompt + "a = 1");
  EXPECT_EQ(extract("evalplus-base", "a\n```\nb", human), "def f():\na\n```\nb");
}

TEST(CodeExtraction, DreamPutsThePromptBeforeTheBlock) {
  EXPECT_EQ(extract("dream", "  return 1\n```\nmore", {.prompt = "def f():\n"}),
            "def f():\n\n  return 1\n");
  EXPECT_EQ(extract("dream", "Here:\n```python\ndef f(): return 2\n```\n```python\nx\n```",
                    {.prompt = "p\n"}),
            "p\n\ndef f(): return 2\n");
  EXPECT_EQ(extract_program("dream", "", {}).sanitise, "dream");
}

TEST(CodeExtraction, TheCascadeOfMbpp) {
  EXPECT_EQ(extract("mbpp-cascade", "[BEGIN]\ndef f(): pass\n[DONE] tail"), "def f(): pass");
  EXPECT_EQ(extract("mbpp-cascade", "BEGIN 'def f(): pass' DONE"), "def f(): pass");
  EXPECT_EQ(extract("mbpp-cascade", "[BEGIN]\nopen end"), "open end");
  EXPECT_EQ(extract("mbpp-cascade", "x\n```python\ndef f(): pass\n```\ny"), "def f(): pass");
  EXPECT_EQ(extract("mbpp-cascade", "def f(): pass\n```\ny"), "def f(): pass");
  EXPECT_EQ(extract("mbpp-cascade", "def my\\_f(): pass [DONE]"), "def my_f(): pass");
  EXPECT_EQ(extract("mbpp-cascade", ""), "");
}

TEST(CodeExtraction, UnknownWaysAreNamed) {
  EXPECT_ERROR(extract("fence", ""), "Did you mean fenced?");
  EXPECT_ERROR(extract("by-magic-of-some-kind", ""), "There are program, fenced");
}

}  // namespace
}  // namespace umf
