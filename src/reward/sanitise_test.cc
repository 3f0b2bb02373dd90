// EvalPlus's and Dream's sanitisers.
#include "reward/code_testing.h"
#include "reward/program_of.h"

namespace umf {
namespace {

std::string sanitised(const std::string& answer, const char* way = "evalplus-chat") {
  const Json spec = {{"type", "evalplus"}, {"entry_point", "f"}, {"extract", way}, {"prompt", ""}};
  return program_of(spec, answer, "here", test_tools());
}

TEST(Sanitise, KeepsWhatTheEntryPointNeeds) {
  EXPECT_EQ(sanitised("import re\nfrom math import *\nA = 1\nB = 2\ndef g(x):\n    return A\ndef "
                      "f(x):\n    return g(x)\nclass C:\n    pass\nassert f(1)\nf(2)\nfor i in "
                      "[1]:\n    A = i\n"),
            "import re\nfrom math import *\nA = 1\ndef g(x):\n    return A\ndef f(x):\n    return "
            "g(x)");
}

TEST(Sanitise, TextAroundTheCodeDoesNoHarm) {
  EXPECT_EQ(sanitised("Here is the code, isn't it?\n\ndef f(x):\n    return x\n\nIt is (good."),
            "def f(x):\n    return x");
  EXPECT_EQ(sanitised("\x1b[31mdef f(x):\n    return x\x1b[0m"), "def f(x):\n    return x");
}

TEST(Sanitise, WhatTheReferenceLoses) {
  EXPECT_EQ(sanitised("def g(x):\n    print(x)\ndef f(x):\n    return g(x)"),
            "def f(x):\n    return g(x)")
      << "a function without return";
  EXPECT_EQ(sanitised("import functools\n@functools.cache\ndef f(x):\n    return x\n"),
            "import functools")
      << "an entry point under a decorator";
  EXPECT_EQ(sanitised("from __future__ import annotations\nT = 1\nT += 1\ndef f(x):\n    return T"),
            "T = 1\ndef f(x):\n    return T");
  EXPECT_EQ(sanitised("try:\n    import re\nexcept E: pass\ndef f(x):\n    return re"),
            "def f(x):\n    return re");
}

TEST(Sanitise, TheFirstDefinitionOfANameStays) {
  EXPECT_EQ(sanitised("def f(x):\n    return 1\ndef f(x):\n    return 2"),
            "def f(x):\n    return 1");
}

TEST(Sanitise, WithoutDefinitionsTheTextStays) {
  EXPECT_EQ(sanitised("f\ng"), "f\ng");
  EXPECT_EQ(sanitised("not code at all"), "not code at all");
  EXPECT_EQ(sanitised("it is (\nnot { code"), "it is (") << "nothing parses: the first line";
  EXPECT_EQ(sanitised(""), "");
}

TEST(Sanitise, OneLineIsNoCandidateOfTheReference) {
  EXPECT_EQ(sanitised("(\ndef f(x): return x"), "(") << "pairs of different lines only";
}

TEST(Sanitise, DreamKeepsTheLastAndPrintsAnew) {
  EXPECT_EQ(sanitised("def f(x):\n    return 1\ndef f( x ):\n  return  2\nf(1)", "dream"),
            "def f(x):\n    return 2");
  EXPECT_EQ(sanitised("(\n```python\ndef f(x): return x\n```", "dream"), "def f(x):\n    return x")
      << "one line may be all";
}

TEST(Sanitise, ManyLinesThatDoNotParseEndInTime) {
  std::string text;
  for (int i = 0; i < 60; ++i) text += "a sentence without code\n";
  EXPECT_EQ(sanitised(text + "def f(x):\n    return x\n" + text), "def f(x):\n    return x");
}

}  // namespace
}  // namespace umf
