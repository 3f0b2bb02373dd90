#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <nlohmann/json.hpp>
#include <thread>
#include <vector>

#include "math/latex_parser.h"
#include "reward/reward.h"
#include "reward/sympy_algebra.h"
#include "sandbox/sandbox.h"
#include "support/expect_error.h"

namespace umf {
namespace {

std::unique_ptr<Reward> make(const Json& spec, const JudgeTools& tools = {}) {
  return make_reward(spec, {"id", "the prompt"}, "p.json", tools);
}

std::unique_ptr<Reward> expecting(const std::string& answer,
                                  const std::string& checker = "math-verify") {
  return make({{"type", "math-answer"}, {"answer", answer}, {"checker", checker}});
}

TEST(MathAnswer, SaysWhatWasExpectedAndWhatWasRead) {
  const auto reward = expecting("\\frac{3}{4}");
  EXPECT_EQ(reward->judge("So we get \\boxed{0.75}.").reward, 1);
  EXPECT_EQ(reward->judge("So we get \\boxed{0.75}.").why, "");
  EXPECT_EQ(reward->judge("The answer is $\\frac{2}{3}$.").reward, 0);
  EXPECT_EQ(reward->judge("The answer is $\\frac{2}{3}$.").why, "expected 3/4, read 2/3");
  EXPECT_EQ(reward->judge("I do not know").why, "no answer found; expected 3/4");
  EXPECT_EQ(reward->judge(std::string("\xFF\xFE broken \x00 bytes", 18)).reward, 0);
}

TEST(MathAnswer, BareGoldAnswersAreUnderstood) {
  EXPECT_EQ(expecting("x+1")->judge("$\\boxed{1+x}$").reward, 1);
  EXPECT_EQ(expecting("(1,2]")->judge("$\\boxed{(1,2]}$").reward, 1);
  EXPECT_EQ(expecting("\\text{Tuesday}")->judge("$\\boxed{\\text{Tuesday}}$").reward, 1);
  EXPECT_EQ(expecting("5\\sqrt{2}")->judge("$\\boxed{\\sqrt{50}}$").reward, 1);
  EXPECT_EQ(expecting("\\$32")->judge("$\\boxed{32}$").reward, 1);
  EXPECT_EQ(expecting("90\\text{ square\nunits}")->judge("$\\boxed{90}$").reward, 1);
  EXPECT_EQ(expecting("$\\frac{1}{2}$")->judge("$0.5$").reward, 1);
}

TEST(MathAnswer, RuleBasedCheckersTakeTheirOwnWayToTheAnswer) {
  const auto hendrycks = expecting("\\frac{1}{2}", "hendrycks");
  EXPECT_EQ(hendrycks->judge("\\boxed{1/2}").reward, 1);
  EXPECT_EQ(hendrycks->judge("the answer is 1/2").why, "nothing boxed; expected \\frac{1}{2}");
  EXPECT_EQ(hendrycks->judge("\\boxed{2/4}").why, "expected \\frac{1}{2}, read 2/4");
  const auto opencompass = expecting("12", "opencompass");
  EXPECT_EQ(opencompass->judge("The answer is $12$.").reward, 1);
  EXPECT_EQ(opencompass->judge("\\boxed{12.0}").reward, 1);
  EXPECT_EQ(opencompass->judge("\\boxed{13}").why, "expected 12, read 13");
}

TEST(MathAnswer, JudgesOnSeveralThreadsAtOnce) {
  const auto reward = expecting("\\sqrt{2}+\\pi");
  std::vector<std::thread> threads;
  std::atomic<int> right = 0;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&, i] {
      const bool good = i % 2 == 0;
      const Verdict verdict = reward->judge(good ? "$\\pi+\\sqrt{2}$" : "$\\pi-\\sqrt{2}$");
      if (verdict.passed() == good) ++right;
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(right, 4);
}

TEST(MathAnswer, WrongSpecificationsAreNamed) {
  EXPECT_ERROR(make({{"type", "math-answer"}}), "needs 'answer'");
  EXPECT_ERROR(make({{"type", "math-answer"}, {"answer", 4}}), "'answer' must be a string");
  EXPECT_ERROR(make({{"type", "math-answer"}, {"answer", "4"}, {"x", 1}}), "is not understood");
  EXPECT_ERROR(expecting("4", "guess"), "p.json: no checker 'guess'");
  EXPECT_ERROR(expecting(" "), "nothing mathematical");
  EXPECT_ERROR(make({{"type", "math-answer"}, {"answer", "4"}, {"config", {{"stric", true}}}}),
               "unknown config key 'stric'");
}

class SympyTest : public testing::Test {
 protected:
  void SetUp() override {
    try {
      sandbox_ = make_sandbox();
    } catch (const Error& error) {
      GTEST_SKIP() << error.what();
    }
    algebra_ = make_sympy_algebra([this]() -> Sandbox& { return *sandbox_; });
  }
  std::optional<bool> equal(const char* a, const char* b) {
    return algebra_->equal(parse_latex(a), parse_latex(b));
  }
  std::unique_ptr<Sandbox> sandbox_;
  std::unique_ptr<ComputerAlgebra> algebra_;
};

TEST_F(SympyTest, DecidesLimitsSeriesAndIntegrals) {
  EXPECT_EQ(equal("\\lim_{x\\to 0} \\frac{\\sin x}{x}", "1"), true);
  EXPECT_EQ(equal("\\lim_{x\\to 0} \\frac{\\sin x}{x}", "2"), false);
  EXPECT_EQ(equal("\\sum_{k=1}^{\\infty} \\frac{1}{k^2}", "\\frac{\\pi^2}{6}"), true);
  EXPECT_EQ(equal("\\sum_{k=1}^{n} k", "\\frac{n(n+1)}{2}"), true);
  EXPECT_EQ(equal("\\int_0^{\\infty} e^{-x} dx", "1"), true);
}

TEST_F(SympyTest, IsAskedByTheRewardThroughTheSandbox) {
  JudgeTools tools;
  tools.sandbox = [this]() -> Sandbox& { return *sandbox_; };
  const auto reward = make({{"type", "math-answer"}, {"answer", "\\frac{\\pi^2}{6}"}}, tools);
  EXPECT_EQ(reward->judge("$\\boxed{\\sum_{k=1}^{\\infty}\\frac{1}{k^2}}$").reward, 1);
  EXPECT_EQ(reward->judge("$\\boxed{\\sum_{k=1}^{\\infty}\\frac{1}{k^3}}$").reward, 0);
}

// Ends every job like this.
class EndingSandbox final : public Sandbox {
 public:
  explicit EndingSandbox(PythonResult result) : result_(std::move(result)) {}
  CommandResult run(const CommandJob&, std::stop_token) override { return {}; }
  PythonResult run(const PythonJob&, std::stop_token) override { return ++jobs, result_; }
  int jobs = 0;

 private:
  PythonResult result_;
};

// What the machine could not do is no failure of the answer's; what its own mathematics does to
// SymPy's process is.
TEST(MathAnswer, HasNoVerdictWhereTheMachineFails) {
  for (const bool machine : {true, false}) {
    EndingSandbox sandbox(PythonResult{.machine = machine, .reason = "the machine is overloaded"});
    JudgeTools tools;
    tools.sandbox = [&]() -> Sandbox& { return sandbox; };
    const auto reward = make({{"type", "math-answer"}, {"answer", "\\frac{\\pi^2}{6}"}}, tools);
    const Verdict verdict = reward->judge("$\\boxed{\\sum_{k=1}^{\\infty}\\frac{1}{k^2}}$");
    EXPECT_EQ(sandbox.jobs, 3);
    if (!machine) {
      EXPECT_EQ(verdict.reward, 0);
    } else {
      EXPECT_TRUE(std::isnan(verdict.reward));
      EXPECT_EQ(verdict.why, "the sandbox failed: the machine is overloaded");
    }
  }
}

TEST_F(SympyTest, WhatTakesTooLongStaysOpen) {
  algebra_ = make_sympy_algebra([this]() -> Sandbox& { return *sandbox_; }, /*cpu_seconds=*/1);
  EXPECT_EQ(equal("\\sum_{k=1}^{10^{12}} \\sin(k^k)", "1"), std::nullopt);
}

}  // namespace
}  // namespace umf
