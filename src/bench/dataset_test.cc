#include "bench/dataset.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "base/files.h"
#include "support/expect_error.h"
#include "support/temporary_directory.h"

namespace umf {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const std::string kEvalPlus =
    R"({"task_id":"HumanEval/1","prompt":"def f(x):\n","entry_point":"f","canonical_solution":"    return x\n","base_input":[[1],[Infinity]],"plus_input":[[123456789012345678901234567890]],"atol":1e-06,"contract":""})";

Dataset read(const std::string& text, const DatasetOptions& options = {}) {
  const TemporaryDirectory directory;
  write_file(directory / "set.jsonl", text);
  return read_dataset(directory / "set.jsonl", options);
}

std::vector<std::string> ids_of(const Dataset& dataset) {
  std::vector<std::string> ids;
  for (const Task& task : dataset.tasks) ids.push_back(task.problem.id);
  return ids;
}

std::string problem_line(int number) {
  return R"({"id":"p)" + std::to_string(number) +
         R"(","prompt":"?","reward":{"type":"text","checks":[{"contains":"a"}]}})" + "\n";
}

std::string problem_lines(int count) {
  std::string text;
  for (int i = 0; i < count; ++i) text += problem_line(i);
  return text;
}

TEST(Dataset, EvalPlusKeepsTheTextOfNumbers) {
  const Dataset set = read(kEvalPlus + "\n\n");
  EXPECT_EQ(set.kind, "evalplus");
  const Task& task = set.tasks.at(0);
  EXPECT_EQ(task.problem.id, "HumanEval/1");
  EXPECT_EQ(task.hidden["base"], "[[1],[Infinity]]");
  EXPECT_EQ(task.hidden["plus"], "[[123456789012345678901234567890]]");
  EXPECT_EQ(task.hidden["atol"], "1e-06");
}

TEST(Dataset, WhatTheSearchSeesHoldsNoHiddenTest) {
  const Task task = read(kEvalPlus).tasks.at(0);
  EXPECT_FALSE(task.problem.reward.contains("plus"));
  EXPECT_EQ(task.problem.reward["base"], task.hidden["base"]);
}

TEST(Dataset, StylesWordThePrompt) {
  const auto asked = [](const char* style) {
    return read(kEvalPlus, {.prompt_style = style}).tasks.at(0);
  };
  const Task generic = asked("");
  EXPECT_THAT(generic.problem.prompt, HasSubstr("```\ndef f(x):\n```\n"));
  EXPECT_THAT(generic.problem.prefill, testing::EndsWith("```python\n"));
  EXPECT_EQ(generic.hidden["extract"], "evalplus-chat");
  EXPECT_EQ(generic.hidden["prefill"], generic.problem.prefill);
  EXPECT_THAT(asked("dream-coder").problem.prompt, HasSubstr("```python\ndef f(x):\n```\n"));
  EXPECT_THAT(asked("dream").problem.prefill, testing::EndsWith("```python\ndef f(x):\n"));
  EXPECT_EQ(asked("llada").problem.prefill, "");
  const Task base = asked("base");
  EXPECT_TRUE(base.problem.raw);
  EXPECT_EQ(base.problem.prompt, "def f(x):\n");
  EXPECT_ERROR(asked("llama"), "unknown prompt style 'llama'");
}

TEST(Dataset, AFileOfPromptsReplacesTheBuiltInOnes) {
  const TemporaryDirectory directory;
  const auto with = [&](const std::string& json) {
    write_file(directory / "prompts.json", json);
    return read(kEvalPlus, {.prompts = directory / "prompts.json"}).tasks.at(0);
  };
  const std::string head = R"({"kind":"evalplus","default":"mine","styles":{"mine":)";
  EXPECT_EQ(with(head + R"({"user":"{{{prompt}}}"}}})").problem.prompt, "{def f(x):}");
  EXPECT_ERROR(with(head + R"({"user":"{promt}"}}})"), "'{promt}' is no field of this benchmark");
  EXPECT_ERROR(with(head + R"({"user":"x}"}}})"), "is no field");
  EXPECT_ERROR(with(head + R"({"user":"x","raw":"y"}}})"), "either 'user' or 'raw'");
  EXPECT_ERROR(with(head + R"({"user":"x","colour":"y"}}})"), "'colour' is not understood");
  EXPECT_ERROR(with(R"({"kind":"math","default":"x","styles":{}})"), "prompts for this data set");
  // A wrong wording is not a malformed record.
  EXPECT_ERROR(read(kEvalPlus, {.prompts = "absent.json", .skip_bad = true}), "absent.json");
}

TEST(Dataset, HumanEvalHasHiddenTestsOnly) {
  const Task task =
      read(
          R"({"task_id":"HumanEval/0","prompt":"def f():\n","entry_point":"f","canonical_solution":" return 1\n","test":"def check(c): assert c() == 1"})")
          .tasks.at(0);
  EXPECT_TRUE(task.problem.reward.is_null());
  EXPECT_EQ(task.hidden["type"], "humaneval");
}

TEST(Dataset, MbppInBothForms) {
  const Dataset full = read(
      R"x({"task_id":3,"text":"Write f.","code":"","test_list":["assert f(1)"],"test_setup_code":"y = 1","challenge_test_list":[]})x");
  EXPECT_EQ(full.kind, "mbpp");
  EXPECT_EQ(full.tasks[0].problem.id, "Mbpp/3");
  EXPECT_EQ(full.tasks[0].hidden["setup"], "y = 1");
  EXPECT_EQ(full.tasks[0].hidden["run"], "together");
  EXPECT_EQ(full.tasks[0].problem.reward["run"], "each");
  EXPECT_THAT(full.tasks[0].problem.prompt, HasSubstr("Write f."));
  const Dataset sanitized = read(
      R"x({"source_file":"x","task_id":3,"prompt":"Write f.","code":"","test_imports":["import math","import re"],"test_list":["assert f(1)"]})x");
  EXPECT_EQ(sanitized.tasks[0].hidden["setup"], "import math\nimport re");
}

const std::string kLiveCodeBench =
    R"({"question_title":"t","question_content":"Q?","platform":"leetcode","question_id":"q1","starter_code":"class Solution:","public_test_cases":"[]","private_test_cases":"eJxrYJnKxgABPUzRsVP0ABkLAyg=","metadata":"{\"func_name\": \"g\"}"})";

TEST(Dataset, LiveCodeBenchKeepsPrivateTestsFromTheSearch) {
  const Task task = read(kLiveCodeBench).tasks.at(0);
  EXPECT_FALSE(task.problem.reward.contains("private"));
  EXPECT_EQ(task.problem.reward["tests"], "public");
  EXPECT_EQ(task.hidden["tests"], "private");
  EXPECT_EQ(task.hidden["func_name"], "g");
  EXPECT_THAT(task.problem.prompt, HasSubstr("```python\nclass Solution:\n```"));
  EXPECT_THAT(task.problem.system, HasSubstr("Python"));
  const Task fenced = read(kLiveCodeBench, {.prompt_style = "dream-coder-fence"}).tasks.at(0);
  EXPECT_EQ(fenced.problem.system, "");
  EXPECT_EQ(fenced.hidden["prefill"], "```python\n");
}

TEST(Dataset, MathWithAndWithoutItsAnswer) {
  const Dataset set = read(
      R"({"problem":"1+1?","solution":"It is $\\boxed{2}$.","level":"Level 1","type":"Algebra"}
{"problem":"2+2?","solution":"So $\\boxed{4}$","answer":"4","subject":"Algebra","unique_id":"test/a/1.json"})");
  EXPECT_EQ(set.kind, "math");
  EXPECT_THAT(ids_of(set), ElementsAre("math/1", "test/a/1.json"));
  EXPECT_EQ(set.tasks[0].hidden, (Json{{"type", "math-answer"}, {"answer", "2"}}));
  EXPECT_EQ(set.tasks[1].hidden, (Json{{"type", "math-answer"}, {"answer", "4"}}));
  EXPECT_THAT(set.tasks[0].problem.prompt, HasSubstr("\\boxed{}"));
  EXPECT_ERROR(read(R"({"problem":"?","solution":"Nobody knows."})"), "has no \\boxed answer");
}

TEST(Dataset, ProblemFilesKeepTheirTurns) {
  const Dataset set = read(
      R"({"id":"a","prompt":"?","system":"s","prefill":"```python\n","reward":{"type":"python-tests","tests":[]},"hidden":{"type":"mbpp","tests":[]}})");
  EXPECT_EQ(set.kind, "problems");
  EXPECT_EQ(set.tasks[0].problem.system, "s");
  EXPECT_EQ(set.tasks[0].problem.reward.value("prefill", ""), "```python\n");
  EXPECT_EQ(set.tasks[0].hidden.value("prefill", ""), "```python\n");
  EXPECT_TRUE(read(problem_line(1)).tasks[0].hidden.is_null());
}

TEST(Dataset, MalformedLinesAreNamedOrLeftOut) {
  const std::string text = problem_line(0) + "{\"id\": \n" + problem_line(1) + problem_line(0);
  EXPECT_ERROR(read(text), "set.jsonl, line 2");
  EXPECT_ERROR(read(problem_line(0) + problem_line(0)), "line 2: id 'p0' is given twice");
  EXPECT_ERROR(read(problem_line(0) + "{\"id\":\"\xff\"}"), "line 2: not UTF-8");
  EXPECT_ERROR(read(R"({"a":1})"), "no kind of data set has these fields");
  EXPECT_ERROR(read(""), "there is no problem in it");
  const Dataset set = read(text, {.skip_bad = true});
  EXPECT_THAT(ids_of(set), ElementsAre("p0", "p1"));
  EXPECT_THAT(set.skipped, ElementsAre(HasSubstr("line 2"), HasSubstr("line 4")));
}

TEST(Dataset, AKindThatIsNamedIsTakenAtItsWord) {
  EXPECT_ERROR(read(problem_line(0), {.kind = "evalplus"}), "field 'task_id'");
  EXPECT_ERROR(read(kEvalPlus, {.kind = "evalpuls"}), "Did you mean evalplus?");
  EXPECT_EQ(read(kEvalPlus.substr(0, kEvalPlus.size() - 1) + R"(,"test":"def check(c): pass"})",
                 {.kind = "humaneval"})
                .tasks[0]
                .hidden["type"],
            "humaneval");
}

TEST(Dataset, ChoosingIsDeterministic) {
  const std::string text = problem_lines(40);
  EXPECT_THAT(ids_of(read(text, {.limit = 2})), ElementsAre("p0", "p1"));
  EXPECT_THAT(ids_of(read(text, {.ids = {"p7", "p3"}})), ElementsAre("p3", "p7"));
  EXPECT_ERROR(read(text, {.ids = {"p77"}}), "there is no problem 'p77'. Did you mean p");
  EXPECT_ERROR(read(text, {.sample = 41}), "more problems than there are (40)");
  const auto first = ids_of(read(text, {.sample = 10, .sample_seed = 1}));
  EXPECT_EQ(first.size(), 10);
  EXPECT_EQ(ids_of(read(text, {.sample = 10, .sample_seed = 1})), first);
  EXPECT_NE(ids_of(read(text, {.sample = 10, .sample_seed = 2})), first);
  const auto more = ids_of(read(text, {.sample = 20, .sample_seed = 1}));
  EXPECT_TRUE(std::includes(
      more.begin(), more.end(), first.begin(), first.end(),
      [](const auto& a, const auto& b) { return std::stoi(a.substr(1)) < std::stoi(b.substr(1)); }))
      << "a larger draw holds the smaller one";
}

TEST(Dataset, TheFingerprintSeesBytesAndChoices) {
  const std::string text = problem_lines(4);
  const std::string all = read(text).fingerprint;
  EXPECT_EQ(read(text).fingerprint, all);
  EXPECT_NE(read(text, {.limit = 2}).fingerprint, all);
  EXPECT_NE(read(text + problem_line(9)).fingerprint, all);
  EXPECT_NE(read(kEvalPlus, {.prompt_style = "dream"}).fingerprint, read(kEvalPlus).fingerprint);
}

TEST(Dataset, PublishedFilesAreRead) {
  const std::filesystem::path data = UMF_SOURCE_DIR "/../shared/data";
  if (!std::filesystem::exists(data)) GTEST_SKIP() << "no data beside the checkout";
  struct Expected {
    const char *path, *kind;
    std::size_t tasks;
  };
  for (const Expected& file : {Expected{"evalplus/HumanEvalPlus-v0.1.10.jsonl.gz", "evalplus", 164},
                               {"evalplus/MbppPlus-v0.2.0.jsonl.gz", "evalplus", 378},
                               {"samples/humaneval_10.jsonl", "humaneval", 10},
                               {"samples/mbpp_10.jsonl", "mbpp", 10},
                               {"samples/mbpp_sanitized_10.jsonl", "mbpp", 10},
                               {"samples/lcb_format_original_4.jsonl", "livecodebench", 4},
                               {"samples/math_10.jsonl", "math", 10},
                               {"math500/test.jsonl.gz", "math", 500}}) {
    const Dataset set = read_dataset(data / file.path, {});
    EXPECT_EQ(set.kind, file.kind) << file.path;
    EXPECT_EQ(set.tasks.size(), file.tasks) << file.path;
  }
}

}  // namespace
}  // namespace umf
