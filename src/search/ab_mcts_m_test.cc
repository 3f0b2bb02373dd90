#include "search/ab_mcts_m.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "search/search_testing.h"

namespace umf {
namespace {

std::vector<double> repeated(double score, int times, std::vector<double> others) {
  others.insert(others.end(), times, score);
  return others;
}

// docs/algorithm.md#ab-mcts-m-model
TEST(Prunable, NeedsFourScores) {
  EXPECT_FALSE(prunable({}));
  EXPECT_FALSE(prunable({0.5, 0.5, 0.5}));
  EXPECT_TRUE(prunable({0.5, 0.5, 0.5, 0.5}));
}

// docs/algorithm.md#ab-mcts-m-model
TEST(Prunable, NeedsThreeQuartersOfEqualScores) {
  EXPECT_TRUE(prunable({0.5, 0.5, 0.5, 0.9}));
  EXPECT_TRUE(prunable(repeated(0, 75, std::vector<double>(25, 1))));
  EXPECT_FALSE(prunable(repeated(0, 74, std::vector<double>(26, 1))));
}

TEST(Prunable, ComparesWholePercent) {
  EXPECT_TRUE(prunable({0.501, 0.502, 0.499, 0.9}));
  EXPECT_FALSE(prunable({0.501, 0.502, 0.51, 0.9}));
}

TEST(WinningChild, HighestValueWins) {
  EXPECT_EQ(winning_child({0.2, 0.8, 0.5}, {false, false, false}, 0.7), 1);
  EXPECT_EQ(winning_child({0.2, 0.6, 0.5}, {false, false, false}, 0.7), std::nullopt);
}

TEST(WinningChild, PrunedWinnerHandsOverToAChildAndNotToGenerating) {
  EXPECT_EQ(winning_child({0.2, 0.8, 0.5}, {false, true, false}, 0.7), 2);
  EXPECT_EQ(winning_child({0.2, 0.8, 0.5}, {false, true, true}, 0.7), 0);
}

TEST(WinningChild, GeneratesWhenEveryChildIsPruned) {
  EXPECT_EQ(winning_child({0.2, 0.8}, {true, true}, 0.1), std::nullopt);
}

TEST(WinningChild, GeneratingStillWinsOverPrunedChildren) {
  EXPECT_EQ(winning_child({0.2, 0.8}, {false, true}, 0.9), std::nullopt);
}

TEST(WinningChild, GoesToAPrunedChildWhereNothingCanBeGenerated) {
  EXPECT_EQ(winning_child({0.2, 0.8}, {true, true}, std::nullopt), 1);
}

TEST(AbMctsM, EqualRewardsArePrunedIntoABroaderTree) {
  const auto visited = [](bool pruning) {
    ToyWorld world;
    world.reward = [](StateId) { return 0.0; };
    AbMctsM search(world.root(), 2, 1, {.pruning = pruning});
    run(search, world, 200);
    int largest = 0;  // number of nodes made directly under one child of the root
    for (const int child : search.tree()[0].children) {
      largest = std::max(largest, static_cast<int>(search.tree()[child].children.size()));
    }
    return largest;
  };
  EXPECT_LE(visited(true), 3);  // four scores, the child's own among them, are the end of it
  EXPECT_GT(visited(false), 3);
}

TEST(AbMctsM, FirstActionIsDrawnUniformly) {
  int second = 0;
  for (int seed = 0; seed < 400; ++seed) second += AbMctsM({0, 8}, 2, seed, {}).ask()->action;
  EXPECT_NEAR(second, 200, 50);
}

TEST(AbMctsM, UcbTriesUnseenActionsFirst) {
  ToyWorld world;
  AbMctsM search(world.root(), 3, 1, {.strategy = "multiarm_bandit_ucb"});
  const ToyRun result = run(search, world, 3);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(result.trials[i].action, i);
}

TEST(AbMctsM, RefusesAnUnknownStrategy) {
  EXPECT_THROW(AbMctsM({0, 8}, 2, 1, {.strategy = "best"}), Error);
}

}  // namespace
}  // namespace umf
