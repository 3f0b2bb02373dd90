#include "reward/stoppable_reward.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace umf {
namespace {

TEST(StoppableReward, GivesNoVerdictOnceTheStopWasAskedFor) {
  std::stop_source stop;
  JudgeTools tools;
  tools.stop = stop.get_token();
  const auto reward = make_reward(Json::parse(R"({"type": "text", "checks": [{"contains": "a"}]})"),
                                  {"id", "prompt"}, "test", tools);
  EXPECT_EQ(reward->judge("a").reward, 1);
  stop.request_stop();
  EXPECT_THROW(reward->judge("a"), Cancelled);
}

TEST(StoppableReward, AVerdictThatTheStopOvertookIsNotGiven) {
  std::stop_source stop;
  struct Overtaken final : Reward {
    explicit Overtaken(std::stop_source& stop) : stop_(stop) {}
    Verdict judge(std::string_view) override {
      stop_.request_stop();  // as a signal that reached the program first
      return {0, "crash"};
    }
    std::stop_source& stop_;
  };
  StoppableReward reward(std::make_unique<Overtaken>(stop), stop.get_token());
  EXPECT_THROW(reward.judge("a"), Cancelled);
}

}  // namespace
}  // namespace umf
