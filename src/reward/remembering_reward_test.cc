#include "reward/remembering_reward.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cmath>
#include <functional>
#include <limits>
#include <semaphore>
#include <thread>

#include "base/cancelled.h"
#include "base/error.h"

namespace umf {
namespace {

using Failures = RememberingReward::Failures;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

// Counts how often it is asked, and answers with what it is told to.
struct Counting final : Reward {
  explicit Counting(std::function<Verdict(int)> answer) : answer_(std::move(answer)) {}
  Verdict judge(std::string_view) override { return answer_(++asked); }
  void check() override { throw Error("no answer could be judged"); }
  int parts() const override { return 7; }

  std::atomic<int> asked = 0;

 private:
  std::function<Verdict(int)> answer_;
};

Verdict numbered(int asked) {
  return {asked / 8.0, "a reason", {{"first", TestOutcome::kWrong, "no"}}};
}

TEST(RememberingReward, AsksForATextOnceAndGivesTheWholeVerdictAgain) {
  Counting judge(numbered);
  RememberingReward reward(judge, Failures::kAskedAgain);
  for (int i = 0; i < 3; ++i) {
    const Verdict verdict = reward.judge("a");
    EXPECT_EQ(verdict.reward, 1 / 8.0);
    EXPECT_EQ(verdict.why, "a reason");
    ASSERT_EQ(verdict.tests.size(), 1);
    EXPECT_EQ(verdict.tests[0].why, "no");
  }
  EXPECT_EQ(reward.judge("ab").reward, 2 / 8.0);
  EXPECT_EQ(reward.judge("").reward, 3 / 8.0);
  EXPECT_EQ(judge.asked, 3);
}

TEST(RememberingReward, AJudgeThatFailedIsAskedAgainOrNot) {
  const auto recovers = [](int asked) { return Verdict{asked < 3 ? kNan : 0.5, ""}; };
  Counting judge(recovers);
  RememberingReward reward(judge, Failures::kAskedAgain);
  EXPECT_TRUE(std::isnan(reward.judge("a").reward));
  EXPECT_TRUE(std::isnan(reward.judge("a").reward));
  EXPECT_EQ(reward.judge("a").reward, 0.5);
  EXPECT_EQ(reward.judge("a").reward, 0.5);
  EXPECT_EQ(judge.asked, 3);

  Counting other(recovers);
  RememberingReward steady(other, Failures::kKept);
  for (int i = 0; i < 4; ++i) EXPECT_TRUE(std::isnan(steady.judge("a").reward));
  EXPECT_EQ(other.asked, 1);
}

TEST(RememberingReward, WhatIsThrownIsNotRemembered) {
  Counting judge([](int asked) -> Verdict {
    if (asked == 1) throw Cancelled();
    if (asked == 2) throw Error("the judge left");
    return {0.5, ""};
  });
  RememberingReward reward(judge, Failures::kKept);
  EXPECT_THROW(reward.judge("a"), Cancelled);
  EXPECT_THROW(reward.judge("a"), Error);
  EXPECT_EQ(reward.judge("a").reward, 0.5);
}

TEST(RememberingReward, WhoAsksWhileATextIsJudgedWaitsForThatVerdict) {
  std::binary_semaphore begun(0), go_on(0);
  Counting judge([&](int) -> Verdict {
    begun.release();
    go_on.acquire();
    return {0.5, ""};
  });
  RememberingReward reward(judge, Failures::kKept);
  std::atomic<int> answers = 0;
  const auto ask = [&] {
    EXPECT_EQ(reward.judge("a").reward, 0.5);
    ++answers;
  };
  std::thread first(ask);
  begun.acquire();
  std::thread second(ask);
  EXPECT_FALSE(begun.try_acquire_for(std::chrono::milliseconds(50))) << "the second one asks, too";
  EXPECT_EQ(answers, 0);
  go_on.release();
  first.join();
  second.join();
  EXPECT_EQ(judge.asked, 1);
}

TEST(RememberingReward, OtherTextsAreJudgedMeanwhile) {
  std::binary_semaphore begun(0), go_on(0);
  Counting judge([&](int asked) -> Verdict {
    if (asked == 1) {
      begun.release();
      go_on.acquire();
    }
    return {0.5, ""};
  });
  RememberingReward reward(judge, Failures::kKept);
  std::thread first([&] { reward.judge("a"); });
  begun.acquire();
  EXPECT_EQ(reward.judge("b").reward, 0.5);
  go_on.release();
  first.join();
}

TEST(RememberingReward, WhoWaitsAsksItselfWhenTheOtherIsCalledOff) {
  std::binary_semaphore begun(0), go_on(0);
  Counting judge([&](int asked) -> Verdict {
    if (asked > 1) return {0.5, ""};
    begun.release();
    go_on.acquire();
    throw Cancelled();
  });
  RememberingReward reward(judge, Failures::kKept);
  std::thread first([&] { EXPECT_THROW(reward.judge("a"), Cancelled); });
  begun.acquire();
  std::thread second([&] { EXPECT_EQ(reward.judge("a").reward, 0.5); });
  go_on.release();
  first.join();
  second.join();
  EXPECT_EQ(judge.asked, 2);
}

TEST(RememberingReward, KnowsWhatItIsTold) {
  Counting judge(numbered);
  RememberingReward reward(judge, Failures::kKept);
  reward.remember("a", {0.75, "from an earlier run"});
  EXPECT_EQ(reward.judge("a").why, "from an earlier run");
  EXPECT_EQ(judge.asked, 0);
}

TEST(RememberingReward, ChecksAndHasPartsAsTheJudgeDoes) {
  Counting judge(numbered);
  RememberingReward reward(judge, Failures::kKept);
  EXPECT_THROW(reward.check(), Error);
  EXPECT_EQ(reward.parts(), 7);
}

}  // namespace
}  // namespace umf
