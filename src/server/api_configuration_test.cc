// Requests to a configuration.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "server/api_request_testing.h"

namespace umf {
namespace {

using testing::ElementsAre;

// As an operator offers it; nothing of it is a default.
const ServedConfiguration& tuned() {
  static const ServedConfiguration kTuned = [] {
    ServedConfiguration made{"tuned", "", {}};
    made.search = {.search = "best-of-n",
                   .models = {{"a", "/a"}, {"b", "/b"}},
                   .actions = {{"a+b", "rule=poll"}, {"b", ""}},
                   .window = 48,
                   .ratios = "0.5",
                   .budget_policy = "finish",
                   .window_policy = "fixed-window",
                   .block_length = 8,
                   .use_cache = false,
                   .closed_text = true,
                   .stop_at_reward = 0.5,
                   .seed = 7};
    return made;
  }();
  return kTuned;
}

// A chat to that configuration with these fields.
ApiRequest ask_tuned(const std::string& fields) {
  return parse_chat_request(
      R"({"model": "tuned", "messages": [{"role": "user", "content": "Hi"}])" +
          (fields.empty() ? "" : ", " + fields) + "}",
      kLimits, {&tuned(), 1});
}

std::string judged(const std::string& fields) {
  return R"("umf": {"reward": {"type": "text"})" + (fields.empty() ? "" : ", " + fields) + "}";
}

TEST(ApiRequest, AConfigurationStandsBelowTheFieldsOfASearch) {
  for (const ApiRequest& request :
       {ask_tuned(judged("")), ask_tuned(judged(R"("search": "best-of-n")")),
        ask_tuned(R"("umf": {"tests": []})")}) {
    EXPECT_EQ(request.umf.search, "best-of-n");
    EXPECT_EQ(request.umf.models.size(), 2);
    ASSERT_EQ(request.umf.actions.size(), 2);
    EXPECT_EQ(request.umf.actions[0].model, "a+b");
    EXPECT_EQ(request.umf.window, 48);
    EXPECT_EQ(request.umf.budget, 0);
    EXPECT_EQ(request.umf.ratios, "0.5");
    EXPECT_EQ(request.umf.budget_policy, "finish");
    EXPECT_EQ(request.umf.window_policy, "fixed-window");
    EXPECT_EQ(request.umf.block_length, 8);
    EXPECT_FALSE(request.umf.use_cache);
    EXPECT_TRUE(request.umf.closed_text);
    EXPECT_EQ(request.umf.stop_at_reward, 0.5);
    EXPECT_EQ(request.seed, 7u);
    EXPECT_EQ(request.max_tokens, std::nullopt);
  }
}

TEST(ApiRequest, FieldsStandAboveTheConfiguration) {
  const ApiRequest request =
      ask_tuned(R"("seed": 0, "max_completion_tokens": 16, )" +
                judged(R"("budget": 9, "ratios": "0.4", "budget_policy": "cut", "block_length": 4,
                "cache": true, "closed_text": false, "stop_at_reward": "never",
                "options": {"x": 1}, "stream_state": null)"));
  EXPECT_EQ(request.seed, 0u);
  EXPECT_EQ(request.max_tokens, 16);
  EXPECT_EQ(request.umf.budget, 9);
  EXPECT_EQ(request.umf.ratios, "0.4");
  EXPECT_EQ(request.umf.budget_policy, "cut");
  EXPECT_EQ(request.umf.block_length, 4);
  EXPECT_TRUE(request.umf.use_cache);
  EXPECT_FALSE(request.umf.closed_text);
  EXPECT_EQ(request.umf.stop_at_reward, std::nullopt);
  EXPECT_EQ(request.umf.option_values.size(), 1);
  EXPECT_EQ(ask_tuned(judged(R"("stop_at_reward": 0.25)")).umf.stop_at_reward, 0.25);
}

TEST(ApiRequest, WithoutARewardAConfigurationsFirstActionDecodes) {
  for (const ApiRequest& request :
       {ask_tuned(""), ask_tuned(R"("umf": null)"), ask_tuned(R"("umf": {})"),
        parse_completion_request(R"({"model": "tuned", "prompt": "a"})", kLimits, {&tuned(), 1})}) {
    EXPECT_EQ(request.umf.search, "");
    ASSERT_EQ(request.umf.actions.size(), 1);
    EXPECT_EQ(request.umf.actions[0].model, "a+b");
    EXPECT_EQ(request.umf.actions[0].fields, "rule=poll");
    EXPECT_EQ(request.umf.window, 48);
    EXPECT_EQ(request.umf.decode.block_length, 8);
    EXPECT_EQ(request.seed, 7u);
  }
  EXPECT_EQ(ask_tuned(R"("umf": {"block_length": 2, "steps": 3})").umf.decode.block_length, 2);
}

TEST(ApiRequest, WhatAConfigurationChoosesIsNotForRequests) {
  const char* own = "the configuration that 'model' names";
  for (const std::string& reward :
       {std::string(), std::string(R"(, "reward": {"type": "text"})")}) {
    const auto umf = [&](const std::string& fields) {
      return R"("umf": {)" + fields + reward + "}";
    };
    expect_refused([&] { ask_tuned(umf(R"("models": ["a"])")); }, "umf.models", own);
    expect_refused([&] { ask_tuned(umf(R"("actions": [{}])")); }, "umf.actions", own);
    expect_refused([&] { ask_tuned(umf(R"("search": "dts")")); }, "umf.search", own);
    expect_refused([&] { ask_tuned(umf(R"("search": "")")); }, "umf.search", own);
  }
  expect_refused([] { ask_tuned(R"("umf": {"budget": 10})"); }, "umf.budget", "for searches");
  expect_refused([] { ask_tuned(judged(R"("budget": 1001)")); }, "umf.budget", "from 1 to 1000");
  expect_refused([] { ask_tuned(judged(R"("per_step": 2)")); }, "umf.per_step", "plain");
  expect_refused([] { ask_tuned(R"("umf": {"search": "best-of-n"})"); }, "umf.reward", "missing");
  expect_refused([] { ask_tuned(R"("n": 2, )" + judged("")); }, "n", "one answer");
  expect_refused(
      [] {
        parse_completion_request(R"({"model": "tuned", "prompt": "a", )" + judged("") + "}",
                                 kLimits, {&tuned(), 1});
      },
      "umf.search", "conversation");
}

// Many clients send a temperature with every request.
TEST(ApiRequest, TemperaturesAreLeftToAConfiguration) {
  for (const std::string& rest : {std::string(R"("n": 1)"), judged("")}) {
    const ApiRequest request = ask_tuned(R"("temperature": 0.7, "top_p": 1, )" + rest);
    EXPECT_EQ(request.temperature, std::nullopt);
    EXPECT_EQ(request.top_p, std::nullopt);
    EXPECT_THAT(request.ignored, ElementsAre("temperature", "top_p"));
  }
  EXPECT_TRUE(ask_tuned("").ignored.empty());
  expect_refused([] { ask_tuned(R"("temperature": -1)"); }, "temperature", "from 0");
}

TEST(ApiRequest, AJsonFormatIsSearchedByTheConfiguration) {
  const ApiRequest configured = ask_tuned(R"("response_format": {"type": "json_object"})");
  EXPECT_EQ(configured.umf.search, "best-of-n");
  EXPECT_EQ(configured.umf.actions.size(), 2);
}

TEST(ApiRequest, AConfigurationMayHaveARewardForAllChats) {
  ServedConfiguration own = tuned();
  own.reward = {{"type", "text"}, {"checks", Json::array({{{"contains", "a"}}})}};
  const auto ask = [&](const std::string& fields) {
    return parse_chat_request(
        R"({"model": "tuned", "messages": [{"role": "user", "content": "Hi"}])" + fields + "}",
        kLimits, {&own, 1});
  };
  EXPECT_EQ(ask("").umf.search, "best-of-n");
  EXPECT_EQ(ask("").umf.reward, own.reward);
  EXPECT_TRUE(ask("").umf.operators_reward);
  const ApiRequest with_its_own = ask(R"(, "umf": {"reward": {"type": "text", "checks": [1]}})");
  EXPECT_EQ(with_its_own.umf.reward["checks"], Json({1}));
  EXPECT_FALSE(with_its_own.umf.operators_reward);
  EXPECT_EQ(parse_completion_request(R"({"model": "tuned", "prompt": "a"})", kLimits, {&own, 1})
                .umf.search,
            "")
      << "a prompt is no conversation";
}

TEST(ApiRequest, ASolveByAConfigurationNeedsNoSearch) {
  const auto ask = [](const std::string& fields) {
    return parse_solve_request(
        R"({"problem": {"id": "p", "prompt": "Hi", "reward": {"type": "text"}}, "model": "tuned")" +
            fields + "}",
        kLimits, {&tuned(), 1});
  };
  EXPECT_EQ(ask("").umf.search, "best-of-n");
  EXPECT_EQ(ask("").umf.actions.size(), 2);
  EXPECT_EQ(ask(R"(, "umf": {"budget": 5})").umf.budget, 5);
  expect_refused([&] { ask(R"(, "umf": {"search": "dts"})"); }, "umf.search", "leave it out");
}

TEST(ApiRequest, OtherModelsAreNoConfigurations) {
  const ApiRequest request = parse_chat_request(
      R"({"model": "a", "messages": [{"role": "user", "content": "Hi"}], "temperature": 1})",
      kLimits, {&tuned(), 1});
  EXPECT_TRUE(request.umf.actions.empty());
  EXPECT_EQ(request.umf.window, 0);
  EXPECT_EQ(request.seed, 0u);
  expect_refused([] { chat(R"("model": "tuned", )" + judged("")); }, "umf.reward",
                 "set 'umf.search'");
}

}  // namespace
}  // namespace umf
