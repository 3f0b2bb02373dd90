#include "search/unmaskfork.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace umf {
namespace {

using NodeId = UnMaskFork::NodeId;
constexpr NodeId kRoot = UnMaskFork::kRoot;

TEST(Search, RewardsAreBoundedWhereTheyAreAveraged) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(bounded(std::nan("")), 0);
  EXPECT_EQ(bounded(-kInfinity), 0);
  EXPECT_EQ(bounded(kInfinity), 1);
  EXPECT_EQ(bounded(-0.5), 0);
  EXPECT_EQ(bounded(0.25), 0.25);
}

struct UnMaskForkTest : testing::Test {
  // A rollout of what is asked through `stops` more checkpoints, each a new state with one mask
  // less.
  void play(double reward, int stops = 9) {
    const Trial trial = *search.ask();
    Outcome outcome{.reward = reward};
    for (int masks = stops - 1; masks >= 0; --masks) {
      outcome.path.push_back({++states, masks});
      outcome.passes_at.push_back(++outcome.passes);
    }
    known.insert(trial, outcome);
    search.tell(trial, outcome);
  }
  void play_known() {
    const Trial trial = *search.ask();
    const auto outcome = known.find(trial.from, trial.action);
    ASSERT_TRUE(outcome);
    search.tell(trial, *outcome);
  }

  RolloutCache known;
  UnMaskFork search{2, {0, 10}, {}, known};
  StateId states = 0;
};

TEST_F(UnMaskForkTest, AskingAgainGivesTheSame) {
  const auto first = search.ask();
  EXPECT_EQ(search.ask(), first);
  play(0.5);
  EXPECT_EQ(search.ask(), (Trial{.from = 0, .action = 1}));
}

TEST_F(UnMaskForkTest, TheBetterChildIsExpandedAndItsKnownActionComesFirst) {
  play(0.25);
  play(0.75);
  EXPECT_EQ(search.ask(), (Trial{.from = search.node(2).state, .action = 1}));
  play_known();
  EXPECT_EQ(search.node(kRoot).visits, 3);
  EXPECT_EQ(search.node(2).sum, 1.5);
  EXPECT_EQ(search.children(2), std::vector<NodeId>{3});
}

TEST_F(UnMaskForkTest, ScoresThatDifferByLessThanATieGoToTheEarlierChild) {
  play(0.5);
  play(0.5 + 1e-13);
  EXPECT_EQ(search.ask()->from, search.node(1).state);
}

TEST_F(UnMaskForkTest, ScoresThatDifferByMoreThanATieGoToTheBetterChild) {
  play(0.5);
  play(0.5 + 1e-11);
  EXPECT_EQ(search.ask()->from, search.node(2).state);
}

TEST_F(UnMaskForkTest, AnExhaustedChildIsSkippedHoweverGoodItIs) {
  play(1.0, 2);  // only the end follows: a leaf
  play(0.0);
  EXPECT_TRUE(search.node(1).exhausted);
  EXPECT_EQ(search.ask()->from, search.node(2).state);
}

TEST_F(UnMaskForkTest, TheSearchEndsWhenAllIsExplored) {
  play(1.0, 2);
  play(0.0, 1);
  EXPECT_TRUE(search.node(kRoot).exhausted);
  EXPECT_EQ(search.ask(), std::nullopt);
  EXPECT_EQ(search.node(2).masks, 0);
}

TEST_F(UnMaskForkTest, ACopyGoesItsOwnWay) {
  play(0.5);
  UnMaskFork copy = search;
  play(1.0);
  EXPECT_EQ(copy.nodes(), 2);
  EXPECT_EQ(copy.ask(), (Trial{.from = 0, .action = 1}));
  EXPECT_EQ(search.nodes(), 3);
}

TEST_F(UnMaskForkTest, AnInterruptedRolloutAddsItsChild) {
  search.tell(*search.ask(), {.path = {{7, 9}}, .reward = 0.5, .complete = false});
  EXPECT_EQ(search.nodes(), 2);
  EXPECT_FALSE(search.node(1).exhausted);
}

TEST(UnMaskFork, ARootWithoutMasksOrActionsHasNothingToTry) {
  const RolloutCache known;
  EXPECT_EQ(UnMaskFork(2, {0, 0}, {}, known).ask(), std::nullopt);
  EXPECT_EQ(UnMaskFork(0, {0, 5}, {}, known).ask(), std::nullopt);
}

}  // namespace
}  // namespace umf
