// umf grade as its users see it.
#include <chrono>
#include <nlohmann/json.hpp>
#include <thread>

#include "base/json.h"
#include "support/cli_fixture.h"

namespace umf {
namespace {

using testing::HasSubstr;

const std::string kProblems =
    R"x({"id":"twice","prompt":"?","reward":{"type":"python-tests","tests":[{"call":"f(1)","expect":"2"}]},"hidden":{"type":"python-tests","tests":[{"call":"f(3)","expect":"6"},{"call":"f(0)","expect":"0"}]}}
{"id":"word","prompt":"?","reward":{"type":"text","checks":[{"contains":"yes"}]}}
)x";

struct Files {
  TemporaryDirectory directory;
  std::string dataset, samples;

  Files(const std::string& data, const std::string& answers)
      : dataset(directory / "set.jsonl"), samples(directory / "samples.jsonl") {
    write_file(dataset, data);
    write_file(samples, answers);
  }
  Finished grade(std::vector<std::string> more = {}) const {
    std::vector<std::string> words = {"grade", dataset, samples, "--quiet", "--unsafe-no-sandbox"};
    words.insert(words.end(), more.begin(), more.end());
    return umf(words, "", "XDG_CACHE_HOME=" + directory.path().string());
  }
};

std::vector<Json> lines_of(const std::string& text) {
  std::vector<Json> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(Json::parse(line));
  return lines;
}

const std::string kAnswers = R"({"id":"twice","answer":"```python\ndef f(x): return 2 * x\n```"}
{"id":"word","answer":"yes"}
{"id":"twice","answer":"def f(x): return 2"}
{"id":"word","answer":"no"}
)";

TEST(Grade, PrintsALinePerSampleInOrderAndASummary) {
  const Finished run = Files(kProblems, kAnswers).grade({"--workers", "4"});
  EXPECT_EQ(run.status, 0) << run.err;
  const auto lines = lines_of(run.out);
  ASSERT_EQ(lines.size(), 5u) << run.out;
  EXPECT_EQ(lines[0], Json::parse(R"({"id":"twice","passed":true,"reward":1.0,"why":""})"));
  EXPECT_EQ(lines[1]["passed"], true);
  EXPECT_EQ(lines[2]["passed"], false);
  EXPECT_EQ(lines[2]["why"], "test 1: expected 6, got 2");
  EXPECT_EQ(lines[3]["id"], "word");
  const Json& summary = lines[4]["summary"];
  EXPECT_EQ(summary["problems"], 2);
  EXPECT_EQ(summary["samples"], 4);
  EXPECT_EQ(summary["pass@1"], 0.5);
  EXPECT_EQ(summary["pass@2"], 1.0);
}

TEST(Grade, TestsAreChosen) {
  const Files files(kProblems, R"({"id":"twice","answer":"def f(x): return 2"})");
  EXPECT_EQ(lines_of(files.grade({"--tests", "visible"}).out)[0]["passed"], true);
  EXPECT_EQ(lines_of(files.grade({"--tests", "hidden"}).out)[0]["reward"], 0.0);
  for (const char* name : {"base", "public"})
    EXPECT_EQ(lines_of(files.grade({"--tests", name}).out)[0]["passed"], true) << name;
  for (const char* name : {"plus", "private", "both"})
    EXPECT_EQ(lines_of(files.grade({"--tests", name}).out)[0]["passed"], false) << name;
  const Json details = lines_of(files.grade({"--details"}).out)[0]["tests"];
  ASSERT_EQ(details.size(), 3u);
  EXPECT_EQ(details[2]["outcome"], "wrong");
  expect_refusal(files.grade({"--tests", "some"}), "visible, hidden or all");
}

TEST(Grade, FailUnderTurnsTheAnswerIntoAStatus) {
  const Files files(kProblems, kAnswers);
  EXPECT_EQ(files.grade({"--fail-under", "0.5"}).status, 0);
  EXPECT_EQ(files.grade({"--fail-under", "0.6"}).status, 1);
  expect_refusal(files.grade({"--fail-under", "60"}), "from 0 to 1");
}

TEST(Grade, MistakesAreNamed) {
  expect_refusal(Files(kProblems, R"({"id":"twise","answer":""})").grade(), "Did you mean twice?");
  expect_refusal(Files(kProblems, "{}").grade(), "line 1: a sample is");
  expect_refusal(Files("{\"a\":1}", kAnswers).grade(), "no kind of data set");
  expect_refusal(Files(kProblems + "{", kAnswers).grade(), "line 3");
  const Finished skipped = Files(kProblems + "{", kAnswers).grade({"--skip-bad"});
  EXPECT_EQ(skipped.status, 0) << skipped.err;
  EXPECT_THAT(lines_of(skipped.out).back()["summary"]["skipped"].dump(), HasSubstr("line 3"));
}

TEST(Grade, SamplesOfProblemsThatWereNotChosenAreLeftOut) {
  const Finished run = Files(kProblems, kAnswers).grade({"--limit", "1"});
  EXPECT_EQ(lines_of(run.out).size(), 3u) << run.out << run.err;
}

TEST(Grade, WhatCannotBeJudgedIsNotWrong) {
  const std::string broken =
      R"x({"id":"a","prompt":"?","reward":{"type":"python-tests","tests":[{"call":"f()","expect":"1 +"}]}})x";
  const Finished run = Files(broken, R"({"id":"a","answer":"def f(): return 1"})").grade();
  EXPECT_EQ(run.status, 2);
  EXPECT_TRUE(lines_of(run.out)[0]["passed"].is_null());
  EXPECT_THAT(run.err, HasSubstr("1 of 1 samples could not be judged"));
}

// As many tests as would take minutes, one by one.
std::string looping_problem() {
  Json tests(200, Json{{"call", "f(1)"}, {"expect", "2"}});
  return Json{{"id", "a"},
              {"prompt", "?"},
              {"reward", {{"type", "python-tests"}, {"tests", tests}, {"timeout_ms", 1000}}}}
             .dump() +
         "\n";
}
const std::string kLoops = R"({"id":"a","answer":"def f(x):\n    while True: pass"})";

TEST(Grade, AnEndlessLoopIsNotAskedOverAndOver) {
  const auto begin = std::chrono::steady_clock::now();
  const Finished run = Files(looping_problem(), kLoops).grade();
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(60));
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_EQ(lines_of(run.out).at(0)["reward"], 0.0) << run.out;
}

TEST(Grade, AnInterruptEndsAtOnceWithWhatWasGraded) {
  const Files files(
      looping_problem() +
          R"({"id":"b","prompt":"?","reward":{"type":"text","checks":[{"contains":"yes"}]}})",
      R"({"id":"b","answer":"yes"})"
      "\n" +
          kLoops);
  Running running({"grade", files.dataset, files.samples, "--quiet", "--unsafe-no-sandbox",
                   "--all-tests", "--workers", "1"});
  while (running.out().find('\n') == std::string::npos)
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  running.send(SIGINT);
  const auto begin = std::chrono::steady_clock::now();
  const Finished run = running.wait();
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(20));
  EXPECT_EQ(run.status, 130) << run.err;
  const auto lines = lines_of(run.out);
  ASSERT_EQ(lines.size(), 2u) << run.out;
  EXPECT_EQ(lines[0]["passed"], true);
  EXPECT_EQ(lines[1]["summary"]["samples"], 1);
  EXPECT_EQ(lines[1]["summary"]["ungraded"], 1);
}

TEST(Grade, EvalPlusSamplesOfASubset) {
  const std::filesystem::path data = UMF_SOURCE_DIR "/../shared/data/samples";
  if (!std::filesystem::exists(data)) GTEST_SKIP() << "no data beside the checkout";
  std::string samples;
  for (const Json& record : lines_of(read_file(data / "mbpp_plus_10.jsonl"))) {
    const std::string solution =
        record["prompt"].get<std::string>() + record["canonical_solution"].get<std::string>();
    samples += Json{{"task_id", record["task_id"]}, {"solution", solution}}.dump() + "\n";
  }
  const TemporaryDirectory directory;
  write_file(directory / "samples.jsonl", samples);
  const Finished run = umf({"grade", data / "mbpp_plus_10.jsonl", directory / "samples.jsonl",
                            "--quiet", "--unsafe-no-sandbox", "--fail-under", "1"},
                           "", "XDG_CACHE_HOME=" + directory.path().string());
  EXPECT_EQ(run.status, 0) << run.out << run.err;
}

}  // namespace
}  // namespace umf
