#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <thread>

#include "reward/reward.h"
#include "support/engine_fixture.h"
#include "support/expect_error.h"

namespace umf {
namespace {

constexpr const char* kQuestion = "What is 1 + 1?";
constexpr const char* kAnswer = "We add.\n\nOne and one.\n\nIt is 2.";

class ProcessRewards : public testing::Test {
 protected:
  std::unique_ptr<Reward> make(const std::string& spec) {
    return make_reward(Json::parse(spec), {"id", kQuestion}, "p.json", tools_);
  }
  std::vector<float> scores(const std::string& answer = kAnswer) {
    return model_.scores(kQuestion, answer);
  }

  std::unique_ptr<Backend> backend_ = make_cpu_backend(1, "");
  ProcessRewardModel model_{open_checkpoint({tiny_checkpoint("tiny-prm"), ""}), *backend_};
  std::string asked_for_;
  JudgeTools tools_{
      .process_reward_model = [this](const std::string& where) -> ProcessRewardModel& {
        asked_for_ = where;
        return model_;
      }};
};

TEST_F(ProcessRewards, AggregateTheScoresOfTheSteps) {
  const std::vector<float> steps = scores();
  ASSERT_EQ(steps.size(), 3);
  const auto worth = [&](const std::string& aggregate) {
    return make(R"({"type":"prm","model":"there","aggregate":")" + aggregate + "\"}")
        ->judge(kAnswer)
        .reward;
  };
  EXPECT_EQ(worth("min"), std::min({steps[0], steps[1], steps[2]}));
  EXPECT_EQ(worth("last"), steps[2]);
  EXPECT_EQ(worth("product"), double{steps[0]} * steps[1] * steps[2]);
  EXPECT_EQ(asked_for_, "there");
}

TEST_F(ProcessRewards, TheLastStepCountsWithoutAChoice) {
  EXPECT_EQ(make(R"({"type":"prm","model":"there"})")->judge(kAnswer).reward, scores().back());
}

TEST_F(ProcessRewards, SayWhatEveryStepIsWorth) {
  const std::vector<float> steps = scores();
  EXPECT_EQ(make(R"({"type":"prm","model":"there"})")->judge(kAnswer).why,
            fmt::format("steps {:.3f}, {:.3f}, {:.3f}", steps[0], steps[1], steps[2]));
}

TEST_F(ProcessRewards, AnyTextIsJudged) {
  const auto reward = make(R"({"type":"prm","model":"there","aggregate":"min"})");
  for (const std::string answer :
       {"", "\n\n\n\n", "no steps", "broken \xFF\xC3 bytes", "<extra_0>"})
    EXPECT_TRUE(std::isfinite(reward->judge(answer).reward)) << answer;
}

TEST_F(ProcessRewards, AnAnswerThatIsTooLongIsNotJudged) {
  const Verdict verdict =
      make(R"({"type":"prm","model":"there"})")->judge(std::string(4 * model_.max_length(), 'q'));
  EXPECT_TRUE(std::isnan(verdict.reward));
  EXPECT_THAT(verdict.why, testing::HasSubstr("the reward model reads"));
}

TEST_F(ProcessRewards, SeveralThreadsMayAsk) {
  const auto reward = make(R"({"type":"prm","model":"there","aggregate":"product"})");
  const double expected = reward->judge(kAnswer).reward;
  const double other = reward->judge("Something else.").reward;
  ASSERT_NE(expected, other);
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&, i] {
      for (int k = 0; k < 10; ++k) {
        EXPECT_EQ(reward->judge(i % 2 == 0 ? kAnswer : "Something else.").reward,
                  i % 2 == 0 ? expected : other);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

TEST_F(ProcessRewards, WhatCannotBeIsRefused) {
  EXPECT_ERROR(make(R"({"type":"prm"})"), "needs 'model'");
  EXPECT_ERROR(make(R"({"type":"prm","model":7})"), "needs 'model'");
  EXPECT_ERROR(make(R"({"type":"prm","model":"there","aggregate":"mean"})"), "not \"mean\"");
  EXPECT_ERROR(make(R"({"type":"prm","model":"there","weight":2})"), "'weight' is not understood");
  EXPECT_ERROR(make_reward(Json::parse(R"({"type":"prm","model":"there"})"), {}, "p.json"),
               "nothing here can load one");
}

}  // namespace
}  // namespace umf
