#include "bench/samples.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "base/files.h"
#include "bench/pass_at_k.h"
#include "support/expect_error.h"
#include "support/temporary_directory.h"

namespace umf {
namespace {

std::vector<Sample> read(const std::string& text) {
  const TemporaryDirectory directory;
  write_file(directory / "samples", text);
  return read_samples(directory / "samples");
}

TEST(Samples, EveryFormIsRead) {
  const auto samples = read(R"({"task_id":"HumanEval/0","solution":"a"}
{"task_id":"HumanEval/0","completion":"b"}

{"id":"x","answer":"c"}
{"task_id":7,"solution":"d"}
)");
  ASSERT_EQ(samples.size(), 4u);
  EXPECT_EQ(samples[0].form, Sample::Form::kProgram);
  EXPECT_EQ(samples[1].form, Sample::Form::kCompletion);
  EXPECT_EQ(samples[2].form, Sample::Form::kAnswer);
  EXPECT_EQ(samples[3].id, "7");
}

TEST(Samples, LiveCodeBenchListsHoldSeveralPrograms) {
  const auto samples = read(R"([{"question_id": "q1", "code_list": ["a", "b"]},
 {"question_id": "q2", "code_list": ["c"]}])");
  ASSERT_EQ(samples.size(), 3u);
  EXPECT_EQ(samples[1].id, "q1");
  EXPECT_EQ(samples[1].text, "b");
  EXPECT_EQ(samples[2].id, "q2");
}

TEST(Samples, MalformedOnesAreNamed) {
  EXPECT_ERROR(read("{\"id\":\"a\",\"answer\":\"b\"}\n{\"id\":\"a\"}"), "line 2: a sample is");
  EXPECT_ERROR(read("{"), "line 1");
  EXPECT_ERROR(read(R"([{"question_id":"q","code_list":[1]}])"), "entry 1: 'code_list' must hold");
  EXPECT_ERROR(read(R"({"task_id":"a","solution":3.5})"), "'solution' must be a string");
  EXPECT_ERROR(read("\n"), "there is no sample");
}

TEST(Samples, WhatIsWrittenIsReadAgain) {
  const std::vector<Submission> submissions = {{"b", "one"}, {"a", "two"}, {"b", "three"}};
  EXPECT_EQ(evalplus_samples({{"HumanEval/0", "x = \"1\"\n"}}),
            "{\"task_id\":\"HumanEval/0\",\"solution\":\"x = \\\"1\\\"\\n\"}\n");
  EXPECT_EQ(read(evalplus_samples(submissions)).size(), 3u);
  EXPECT_EQ(livecodebench_outputs(submissions),
            "[{\"question_id\":\"a\",\"code_list\":[\"two\"]},"
            "{\"question_id\":\"b\",\"code_list\":[\"one\",\"three\"]}]\n");
  EXPECT_EQ(read(livecodebench_outputs(submissions)).size(), 3u);
}

Task task_of(const Json& reward, const Json& hidden) {
  return {{.id = "t", .prompt = "?", .reward = reward}, hidden};
}

TEST(Samples, TestsAreChosenByKind) {
  using Form = Sample::Form;
  const auto chosen = [](const Task& task, TestChoice tests) {
    return grading_spec(task, tests, Form::kAnswer);
  };
  const Task evalplus = task_of({{"type", "evalplus"}, {"base", "[]"}},
                                {{"type", "evalplus"}, {"base", "[]"}, {"plus", "[]"}});
  EXPECT_EQ(chosen(evalplus, TestChoice::kVisible), evalplus.problem.reward);
  EXPECT_EQ(chosen(evalplus, TestChoice::kHidden)["tests"], "plus");
  EXPECT_EQ(chosen(evalplus, TestChoice::kAll)["tests"], "all");
  const Task lcb = task_of({{"type", "livecodebench"}}, {{"type", "livecodebench"}});
  EXPECT_EQ(chosen(lcb, TestChoice::kHidden)["tests"], "private");
  EXPECT_EQ(chosen(lcb, TestChoice::kAll)["tests"], "all");
  const Task mbpp = task_of({{"type", "mbpp"}, {"run", "each"}}, {{"type", "mbpp"}});
  EXPECT_EQ(chosen(mbpp, TestChoice::kAll), mbpp.hidden);
  const Json own = {{"type", "python-tests"}}, other = {{"type", "math-answer"}};
  EXPECT_EQ(chosen(task_of(own, other), TestChoice::kAll),
            (Json{{"type", "all"}, {"of", {own, other}}}));
  EXPECT_EQ(chosen(task_of(own, nullptr), TestChoice::kAll), own);
  EXPECT_ERROR(chosen(task_of(own, nullptr), TestChoice::kHidden), "'t' has no hidden tests");
  EXPECT_ERROR(chosen(task_of(nullptr, own), TestChoice::kVisible), "'t' has no visible tests");
}

TEST(Samples, ProgramsAreTakenAsTheyAre) {
  const Task task = task_of({{"type", "evalplus"}, {"extract", "evalplus-chat"}},
                            {{"type", "evalplus"}, {"extract", "dream"}, {"prompt", "def f():\n"}});
  EXPECT_EQ(grading_spec(task, TestChoice::kAll, Sample::Form::kProgram)["extract"], "program");
  EXPECT_EQ(grading_spec(task, TestChoice::kAll, Sample::Form::kAnswer)["extract"], "dream");
  EXPECT_EQ(grading_text(task, {"t", "  pass", Sample::Form::kCompletion}), "def f():\n  pass");
  EXPECT_EQ(grading_text(task, {"t", "x", Sample::Form::kProgram}), "x");
}

TEST(PassAtK, IsTheChanceOfARightOneAmongK) {
  EXPECT_DOUBLE_EQ(pass_at_k({{10, 3}}, 1), 0.3);
  EXPECT_DOUBLE_EQ(pass_at_k({{5, 2}}, 2), 0.7);  // 1 - 3/5 * 2/4
  EXPECT_DOUBLE_EQ(pass_at_k({{5, 2}}, 4), 1);
  EXPECT_DOUBLE_EQ(pass_at_k({{5, 0}}, 5), 0);
  EXPECT_DOUBLE_EQ(pass_at_k({{2, 1}, {2, 2}}, 1), 0.75);
  EXPECT_THAT(pass_at_k_choices({{12, 1}, {5, 0}}), testing::ElementsAre(1, 2, 5));
  EXPECT_THAT(pass_at_k_choices({}), testing::IsEmpty());
}

}  // namespace
}  // namespace umf
