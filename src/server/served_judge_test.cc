#include "server/served_judge.h"

#include <gtest/gtest.h>

#include <condition_variable>
#include <nlohmann/json.hpp>
#include <thread>

#include "base/cancelled.h"
#include "server/api_error.h"
#include "server/device_task.h"
#include "server/judging_bounds.h"

namespace umf {
namespace {

// Programs that end only when they are told to.
class EndlessSandbox final : public Sandbox {
 public:
  CommandResult run(const CommandJob&, std::stop_token) override { return {}; }
  PythonResult run(const PythonJob&, std::stop_token stop) override {
    std::mutex mutex;
    std::unique_lock lock(mutex);
    std::condition_variable_any().wait(lock, stop, [] { return false; });
    PythonResult result;
    result.ending = Ending::kStopped;
    return result;
  }
};

const Json kTests = {{"type", "python-tests"}, {"tests", {{{"assert", "True"}}}}};

TEST(ServedJudge, OneSearchIsCalledOffWithoutTheOthers) {
  EndlessSandbox sandbox;
  const JudgeTools shared{.sandbox = [&]() -> Sandbox& { return sandbox; }};
  ServedJudge stopped(kTests, {"p", "x"}, shared), other(kTests, {"p", "x"}, shared);
  std::thread stopper([stop = stopped.stop_source()]() mutable {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    stop.request_stop();
  });
  EXPECT_THROW(stopped.reward().judge("answer"), Cancelled);
  stopper.join();
  EXPECT_THROW(stopped.reward().judge("another"), Cancelled);
  EXPECT_FALSE(other.stop_source().stop_requested());
}

class UncheckableReward final : public Reward {
 public:
  explicit UncheckableReward(bool cancelled) : cancelled_(cancelled) {}
  Verdict judge(std::string_view) override { return {}; }
  void check() override {
    if (cancelled_) throw Cancelled();
    throw Error("test 1 is no Python");
  }

 private:
  const bool cancelled_;
};

TEST(ServedJudge, ARewardThatCanNeverJudgeIsTheRequestsMistake) {
  UncheckableReward broken(false), called_off(true);
  try {
    check_reward(broken);
    ADD_FAILURE() << "taken";
  } catch (const ApiError& error) {
    EXPECT_EQ(error.status(), 400);
    EXPECT_EQ(error.param(), "umf.reward");
    EXPECT_STREQ(error.what(), "test 1 is no Python");
  }
  EXPECT_THROW(check_reward(called_off), Interrupted);
}

TEST(JudgingBounds, TimesOfAllPartsAddUp) {
  const auto refused = [](const Json& spec) {
    try {
      check_judging_bounds(spec, 20);
      return false;
    } catch (const ApiError&) {
      return true;
    }
  };
  EXPECT_FALSE(refused(kTests)) << "twice the default of 5 s";
  EXPECT_FALSE(refused({{"type", "all"}, {"of", {kTests, kTests}}}));
  EXPECT_TRUE(refused({{"type", "all"}, {"of", {kTests, kTests, kTests}}}));
  Json slow = kTests, odd = kTests;
  slow["timeout_ms"] = 10001;
  EXPECT_TRUE(refused(slow));
  odd["timeout_ms"] = -1e9;
  EXPECT_TRUE(refused({{"type", "all"}, {"of", {odd, slow}}})) << "no part makes up for another";
  for (const Json& other : {Json(nullptr), Json(3), Json{{"tests", 3}}, Json{{"of", "x"}}})
    EXPECT_FALSE(refused(other)) << "somebody else tells what is wrong with it";
}

}  // namespace
}  // namespace umf
