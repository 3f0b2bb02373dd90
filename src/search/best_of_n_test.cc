#include "search/best_of_n.h"

#include <gtest/gtest.h>

#include <cmath>

#include "search/search_testing.h"

namespace umf {
namespace {

TEST(Bounded, KeepsRewardsInsideTheUnitIntervalAndCountsFailureAsZero) {
  EXPECT_EQ(bounded(0.25), 0.25);
  EXPECT_EQ(bounded(-3), 0);
  EXPECT_EQ(bounded(7), 1);
  EXPECT_EQ(bounded(INFINITY), 1);
  EXPECT_EQ(bounded(-INFINITY), 0);
  EXPECT_EQ(bounded(NAN), 0);
}

TEST(BestOfN, SampleNumbersAreTheDraws) {
  ToyWorld world;
  BestOfN search(world.root(), /*action=*/1, {});
  const ToyRun result = run(search, world, 500);
  ASSERT_EQ(result.trials.size(), 500);
  for (int i = 0; i < 500; ++i) EXPECT_EQ(result.trials[i], (Trial{0, 1, i + 1u}));
}

TEST(BestOfN, EndsAfterTheSamplesAskedFor) {
  ToyWorld world;
  BestOfN search(world.root(), 0, {.samples = 3});
  EXPECT_EQ(run(search, world, 500).trials.size(), 3);
  EXPECT_EQ(search.nodes(), 4);
}

TEST(BestOfN, AskingAgainGivesTheSameTrial) {
  BestOfN search({0, 8}, 0, {});
  EXPECT_EQ(search.ask(), search.ask());
}

// docs/algorithm.md#best-of-n-samples
TEST(BestOfN, DeterministicConfigurationGivesEqualCandidates) {
  ToyWorld world;
  world.deterministic = true;
  BestOfN search(world.root(), 0, {.samples = 16});
  for (const double reward : run(search, world, 500).rewards)
    EXPECT_EQ(reward, ToyWorld::hashed(4));
}

// docs/algorithm.md#best-of-n-samples
TEST(BestOfN, BestRewardNeverFallsWithMoreSamples) {
  double best = 0;
  for (int samples = 1; samples <= 32; samples *= 2) {
    ToyWorld world;
    BestOfN search(world.root(), 0, {.samples = samples});
    const double now = run(search, world, 500).best;
    EXPECT_GE(now, best);
    best = now;
  }
}

TEST(BestOfN, EndsWhenTheActionDoesNotFitTheRoot) {
  ToyWorld world;
  world.feasible = [](const Trial&) { return false; };
  BestOfN search(world.root(), 0, {});
  EXPECT_EQ(run(search, world, 500).trials.size(), 1);
}

}  // namespace
}  // namespace umf
