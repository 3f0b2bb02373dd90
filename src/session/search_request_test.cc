#include "session/search_request.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "search/pair.h"
#include "support/expect_error.h"

namespace umf {
namespace {

using testing::ElementsAre;

std::vector<std::string> actions_of(const SearchRequest& request) {
  std::vector<std::string> actions;
  for (const ActionChoice& action : request.actions)
    actions.push_back(action.model + ":" + action.fields);
  return actions;
}

std::vector<std::string> models_of(const SearchRequest& request) {
  std::vector<std::string> models;
  for (const ModelChoice& model : request.models) models.push_back(model.name + "=" + model.where);
  return models;
}

TEST(Expanded, WithoutActionsEveryModelHasItsRecommendedOne) {
  const SearchRequest full = expanded({.models = {{"a", "/a"}, {"b", "/b"}}});
  EXPECT_THAT(actions_of(full), ElementsAre("a:", "b:"));
}

TEST(Expanded, ActionsOfTheOnlyModelNeedNotNameIt) {
  const SearchRequest wanted{.models = {{"a", "/a"}}, .actions = {{"", "top-k=3"}}};
  EXPECT_THAT(actions_of(expanded(wanted)), ElementsAre("a:top-k=3"));
  SearchRequest several = wanted;
  several.models.push_back({"b", "/b"});
  EXPECT_ERROR(expanded(several), "every --action needs model=NAME");
}

TEST(Expanded, APresetIsWrittenOutAndModelsOfItsNamesSayWhereTheyLie) {
  const SearchRequest full = expanded({.preset = "umf-pair",
                                       .models = {{"llada", "/here"}, {"more", "/more"}},
                                       .actions = {{"more", ""}}});
  EXPECT_EQ(full.preset, "");
  EXPECT_EQ(full.search, "pair");
  EXPECT_EQ(full.options.of<Pair>().method, "unmaskfork");
  EXPECT_EQ(full.window, 768);
  EXPECT_THAT(models_of(full), ElementsAre("dream-coder=Dream-org/Dream-Coder-v0-Instruct-7B",
                                           "llada=/here", "more=/more"));
  EXPECT_EQ(full.actions.size(), 5);
  EXPECT_EQ(full.actions.back().model, "more");
  EXPECT_EQ(actions_of(expanded(full)), actions_of(full)) << "twice is once";
  EXPECT_EQ(expanded({.preset = "umf-block"}).block_length, 4);
  EXPECT_EQ(expanded({.preset = "umf-block", .block_length = 8}).block_length, 8);
}

}  // namespace
}  // namespace umf
