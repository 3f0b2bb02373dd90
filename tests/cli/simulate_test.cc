// umf simulate as its users see it.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "base/files.h"
#include "base/json.h"
#include "support/cli_fixture.h"

namespace umf {
namespace {

// Runs `umf simulate ARGUMENTS` with `rewards` as the file rewards.json.
Finished simulate(const std::string& arguments, const std::string& rewards = "{}") {
  const TemporaryDirectory directory;
  write_file(directory / "rewards.json", rewards);
  const std::string command = "cd '" + (directory / "").string() +
                              "' && '" UMF_BINARY "' simulate " + arguments +
                              " >out 2>err <rewards.json";
  const int status = std::system(command.c_str());
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, read_file(directory / "out"),
          read_file(directory / "err")};
}

TEST(Simulate, PrintsTheCountsAndTheOrder) {
  const Finished run = simulate("--actions 2 --window 768 --budget 3072 --json");
  ASSERT_EQ(run.status, 0) << run.err;
  EXPECT_EQ(run.out,
            "{\"misses\":5,\"hits\":6,\"nfe\":3072,\"saved_full\":3838,\"saved_capped\":1998,"
            "\"switches\":3,"
            "\"nodes\":12,\"depth\":3,\"best\":0.0,\"order\":[\"*->0\",\"*->1\",\"0>0\",\"1>1\",\"*"
            "0>1\",\"*1>0\","
            "\"00>0\",\"11>1\",\"01>1\",\"10>0\",\"*00>1\"]}\n");
}

TEST(Simulate, ReadsRewardsFromAFileOrStandardInput) {
  const std::string rewards = R"({"11111111": 0.5, "10000000": 2, "00000000": null})";
  for (const char* where : {"rewards.json", "-"}) {
    const Finished run = simulate(std::string("--budget 6144 --rewards ") + where, rewards);
    ASSERT_EQ(run.status, 0) << run.err;
    EXPECT_EQ(Json::parse(run.out)["best"], 2.0);
  }
  EXPECT_EQ(Json::parse(simulate("--budget 768 --rewards -", rewards).out)["best"], nullptr)
      << "it failed";
}

TEST(Simulate, PoliciesAndCacheChangeWhatIsPaid) {
  EXPECT_EQ(Json::parse(simulate("--budget 3072 --budget-policy skip").out)["nfe"], 2918);
  EXPECT_EQ(Json::parse(simulate("--budget 3072 --budget-policy finish").out)["nfe"], 2918 + 614);
  EXPECT_EQ(Json::parse(simulate("--budget 3072 --no-cache").out)["hits"], 0);
  EXPECT_EQ(Json::parse(simulate("--window 8 --budget 100000 --ratios 0.5").out)["misses"], 2);
  EXPECT_EQ(Json::parse(simulate("--budget 0").out)["best"], nullptr);
}

TEST(Simulate, APassMayCommitSeveralCells) {
  const Json quarter = Json::parse(simulate("--budget 768 --cells-per-pass 4").out);
  EXPECT_EQ(quarter["misses"], 5) << "as four times the budget buys at one cell per pass";
  EXPECT_EQ(quarter["hits"], 6);
  EXPECT_EQ(quarter["nfe"], 768);
  const std::string small = "--window 8 --ratios 0.75,0.5,0.25 --budget 999";
  EXPECT_EQ(Json::parse(simulate(small + " --cells-per-pass 1").out),
            Json::parse(simulate(small).out));
  EXPECT_EQ(Json::parse(simulate(small + " --cells-per-pass 2,1").out),
            Json::parse(simulate(small + " --passes -", "[[1, 1, 1, 1], [2, 2, 2, 2]]").out));
  EXPECT_EQ(Json::parse(simulate(small + " --actions 1 --passes -", "[0.5, 0.5, 2, 1]").out)["nfe"],
            4);
}

TEST(Simulate, RefusesWhatCannotBe) {
  expect_refusal(simulate("--cells-per-pass 0.5"), "--cells-per-pass = 0.5: a pass commits one");
  expect_refusal(simulate("--cells-per-pass nan"), "--cells-per-pass = nan: a pass commits one");
  expect_refusal(simulate("--cells-per-pass many"), "--cells-per-pass = many is not a value");
  expect_refusal(simulate("--cells-per-pass 2,"), "--cells-per-pass =  is not a value");
  expect_refusal(simulate("--cells-per-pass 2,3,4"), "has entries for 3 actions");
  expect_refusal(simulate("--cells-per-pass 2 --passes -"), "give one of them");
  expect_refusal(simulate("--passes -", "{}"), "expected a list with the passes");
  expect_refusal(simulate("--passes -", "[1, 2]"), "the passes of each of 8 levels, not [1,2]");
  expect_refusal(simulate("--passes -", "[1,1,1,1,1,1,1,-1]"), "-1 is not a number of passes");
  expect_refusal(simulate("--passes -", "[[1,1,1,1,1,1,1,1], 3]"), "each of 8 levels, not 3");
  expect_refusal(simulate("--passes absent.json"), "absent.json");
  expect_refusal(simulate("--budget 500 --budget-policy skip"), "does not cover one rollout");
  expect_refusal(simulate("--budget many"), "--budget = many is not a value");
  expect_refusal(simulate("--actions 11"), "--actions is from 1 to 10");
  expect_refusal(simulate("--budget=-4"), "--budget must not be negative, not -4");
  expect_refusal(simulate("--window 0"), "--window is at least 1");
  expect_refusal(simulate("--ratios 0.9,1.5"), "'1.5' is no ratio");
  expect_refusal(simulate("--ratios 0.9,"), "is no ratio");
  expect_refusal(simulate("--exploration nan"), "--exploration is a finite number");
  expect_refusal(simulate("--budget-policy stop"), "choose cut, finish or skip");
  expect_refusal(simulate("--rewards -", R"({"01": 1})"), "'01' is not a sequence of 8 actions");
  expect_refusal(simulate("--rewards -", R"({"00000000": "x"})"),
                 "the reward of '00000000' is not a number");
  expect_refusal(simulate("--rewards -", "[1]"), "expected an object");
  expect_refusal(simulate("--rewards absent.json"), "absent.json");
}

// What stands between `begin` and `end`, from `at` on; moves `at` behind it.
std::string between(const std::string& text, const std::string& begin, const std::string& end,
                    std::size_t& at) {
  const std::size_t first = text.find(begin, at);
  if (first == std::string::npos) return "";
  const std::size_t last = text.find(end, first + begin.size());
  at = last;
  return text.substr(first + begin.size(), last - first - begin.size());
}

TEST(Simulate, TheExamplesOfTheDocumentationPrintWhatItSays) {
  const std::string text = read_file(UMF_SOURCE_DIR "/docs/algorithm.md");
  std::size_t at = 0;
  const std::string rewards = between(text, "$ cat rewards.json\n", "\n", at);
  int examples = 0;
  for (;;) {
    const std::string arguments = between(text, "$ umf simulate ", "\n", at);
    if (arguments.empty()) break;
    const std::string expected = between(text, "\n", "\n\n", at);  // JSON over two lines
    SCOPED_TRACE(arguments);
    EXPECT_EQ(Json::parse(simulate(arguments, rewards).out), Json::parse(expected));
    ++examples;
  }
  EXPECT_EQ(examples, 4);
}

}  // namespace
}  // namespace umf
