#include "reward/reward.h"

#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "support/expect_error.h"

namespace umf {
namespace {

std::unique_ptr<Reward> make(const char* spec) {
  return make_reward(Json::parse(spec), {"id", "the prompt"}, "p.json");
}

std::unique_ptr<Reward> shell(const std::string& script, int timeout_ms = 10'000) {
  const Json spec = {
      {"type", "command"}, {"argv", {"sh", "-c", script}}, {"timeout_ms", timeout_ms}};
  return make_reward(spec, {"id", "the prompt"}, "p.json");
}

TEST(Reward, TextChecksGiveTheirShare) {
  const auto reward = make(
      R"({"type":"text","checks":[{"contains":"a"},{"lacks":"b"},{"longer-than":3},{"equals":"abcd"}]})");
  EXPECT_EQ(reward->judge("abcd").reward, 0.75);
  EXPECT_EQ(reward->judge("xxxx").reward, 0.5);
  EXPECT_EQ(reward->judge("xxxx").why, "failed: contains 'a'");
}

TEST(Reward, ACommandSeesTheAnswerAndGivesANumber) {
  EXPECT_EQ(shell("grep -c '\"answer\":\"yes\"'")->judge("yes").reward, 1);
  EXPECT_EQ(shell("echo 0.25")->judge("x").reward, 0.25);
  const Verdict verdict = shell(R"(echo '{"reward": 0.5, "why": "half right"}')")->judge("x");
  EXPECT_EQ(verdict.reward, 0.5);
  EXPECT_EQ(verdict.why, "half right");
  EXPECT_EQ(shell("cat >/dev/null; echo 1")->judge("broken \xFF bytes").reward, 1);
}

TEST(Reward, AJudgeThatFailsGivesNoNumber) {
  for (const auto& [script, why] : {std::pair{"echo maybe", "neither a number"},
                                    {"exit 3", "status 3"},
                                    {"kill -9 $$", "signal 9"},
                                    {"sleep 9", "within 100 ms"},
                                    {"true", "neither"}}) {
    const Verdict verdict =
        shell(script, std::string(script) == "sleep 9" ? 100 : 10'000)->judge("x");
    EXPECT_TRUE(std::isnan(verdict.reward)) << script;
    EXPECT_THAT(verdict.why, testing::HasSubstr(why));
  }
}

TEST(Reward, ASpecIsFoundByItsTypeAlone) {
  for (const RewardEntry* entry : kRewards)
    EXPECT_EQ(find_reward({{"type", entry->type}}), entry) << entry->type;
  for (const char* spec : {"null", "[]", "{}", R"({"type":5})", R"({"type":"guess"})"})
    EXPECT_EQ(find_reward(Json::parse(spec)), nullptr) << spec;
}

TEST(Reward, WhatIsNotUnderstoodIsNamed) {
  EXPECT_ERROR(
      make(R"({"type":"guess"})"),
      "no reward of type 'guess'; there are python-tests, math-answer, prm, command, text, "
      "json, all, evalplus, humaneval, mbpp, livecodebench");
  EXPECT_ERROR(make(R"({})"), "must be an object with a 'type'");
  EXPECT_ERROR(make(R"({"type":"text","checks":[]})"), "a list that is not empty");
  EXPECT_ERROR(make(R"({"type":"text","checks":[{"matches":"a"}]})"), "a text check is one of");
  EXPECT_ERROR(make(R"({"type":"command"})"), "needs 'argv'");
  EXPECT_ERROR(make(R"({"type":"command","argv":["x"],"cwd":"/"})"), "'cwd' is not understood");
}

}  // namespace
}  // namespace umf
