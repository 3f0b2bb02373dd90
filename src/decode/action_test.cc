#include "decode/action.h"

#include <gtest/gtest.h>

#include "support/expect_error.h"

namespace umf {
namespace {

TEST(Action, FieldsAreSetByName) {
  Action action;
  set_fields(action, "strategy=margin,temperature=0.5,top-p=0.9,top-k=40,seed=7,eos-last=true");
  EXPECT_EQ(action.strategy, Strategy::kMargin);
  EXPECT_EQ(action.temperature, 0.5f);
  EXPECT_EQ(action.top_p, 0.9f);
  EXPECT_EQ(action.top_k, 40);
  EXPECT_EQ(action.seed, 7u);
  EXPECT_TRUE(action.eos_last);
}

TEST(Action, MistakesAreNamed) {
  Action action;
  EXPECT_ERROR(set_fields(action, "temprature=1"), "no key 'temprature'");
  EXPECT_ERROR(set_fields(action, "temperature"), "has no '='");
  EXPECT_ERROR(set_fields(action, "temperature=warm"), "temperature must be a number");
  EXPECT_ERROR(set_fields(action, "temperature=-1"), "temperature must be 0 or more");
  EXPECT_ERROR(set_fields(action, "temperature=inf"), "temperature must be 0 or more");
  EXPECT_ERROR(set_fields(action, "top-p=0"), "top-p must be above 0");
  EXPECT_ERROR(set_fields(action, "strategy=best"), "there is no strategy 'best'");
  EXPECT_ERROR(set_fields(action, "eos-last=maybe"), "true or false");
}

TEST(Action, TheCheckpointsAdviceStandsAboveItsFamily) {
  ModelInfo model{.strategy = "entropy", .commit = "tau:0.9", .temperature = 0.1f, .top_p = 0.9f};
  EXPECT_EQ(recommended_window(model), kDefaultWindow);
  EXPECT_EQ(name_of(recommended_action(model).commit), "tau:0.9");
  model.advice = {
      .where = "m/umf.json", .window = 96, .action = {{"temperature", "0"}, {"eos-penalty", "3"}}};
  const Action action = recommended_action(model);
  EXPECT_EQ(action.strategy, Strategy::kEntropy);
  EXPECT_EQ(action.temperature, 0);
  EXPECT_EQ(action.top_p, 0.9f);
  EXPECT_EQ(action.eos_penalty, 3);
  EXPECT_EQ(recommended_window(model), 96);
  model = {.strategy = "entropy", .remask = "p2"};
  EXPECT_EQ(recommended_action(model).remask, Remask::kP2);
  model.advice.action = {{"commit", "tau:0.9"}};
  EXPECT_EQ(recommended_action(model).remask, Remask::kNone) << "they do not go together";
  model.advice.where = "m/umf.json";
  model.advice.action = {{"temperature", "-1"}};
  EXPECT_ERROR(recommended_action(model), "m/umf.json: temperature must be 0 or more");
}

TEST(Action, EveryStrategyHasItsName) {
  for (const char* name : {"entropy", "low-confidence", "margin", "origin", "random"}) {
    EXPECT_EQ(name_of(parse_strategy(name)), name);
  }
}

TEST(Action, EveryRuleOfRemaskingHasItsName) {
  for (const char* name : {"none", "cap", "rescale", "conf", "loop", "confidence-loop", "p2"}) {
    Action action;
    set_field(action, "remask", name);
    EXPECT_EQ(name_of(action.remask), name);
  }
  Action action;
  EXPECT_ERROR(set_fields(action, "remask=all"), "there is no rule of remasking 'all'");
  EXPECT_ERROR(set_fields(action, "remask-eta=2"), "remask-eta must be at most 1");
  EXPECT_ERROR(set_fields(action, "passes=-1"), "passes must be 0 or more");
}

}  // namespace
}  // namespace umf
