#include "search/dts.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "base/error.h"
#include "search/search_testing.h"

namespace umf {
namespace {

Dts make(const ToyWorld& world, const DtsOptions& options = {}, std::uint64_t seed = 1) {
  return Dts(world.root(), /*action=*/0, seed, options);
}

std::vector<double> child_values(const Dts& search, const DtsNode& node) {
  std::vector<double> values;
  for (const int child : node.children) values.push_back(search.tree()[child].value);
  return values;
}

// docs/algorithm.md#dts-values
TEST(SoftValue, LiesBetweenMinimumAndMaximum) {
  const std::vector<double> values = {0.1, 0.9, 0.4};
  for (const double lambda : {0.0, 1e-12, 1e-3, 1.0, 10.0, 1e6}) {
    EXPECT_GE(soft_value(values, lambda), 0.1);
    EXPECT_LE(soft_value(values, lambda), 0.9);
  }
}

// docs/algorithm.md#dts-values
TEST(SoftValue, IsTheMeanForSmallLambdaAndTheMaximumForLarge) {
  const std::vector<double> values = {0.1, 0.9, 0.4};
  const double mean = 1.4 / 3;
  EXPECT_DOUBLE_EQ(soft_value(values, 0), mean);
  EXPECT_NEAR(soft_value(values, 1e-9), mean, 1e-9);
  EXPECT_NEAR(soft_value(values, 1e6), 0.9, 1e-5);
}

TEST(SoftValue, IsTheLogarithmOfTheMeanExponential) {
  EXPECT_NEAR(soft_value({0, 1}, 1), std::log((1 + std::exp(1.0)) / 2), 1e-15);
  EXPECT_NEAR(soft_value({0.2, 0.7}, 3), std::log((std::exp(0.6) + std::exp(2.1)) / 2) / 3, 1e-15);
}

// docs/algorithm.md#dts-values
TEST(Dts, EveryStateOnARolloutBecomesANode) {
  ToyWorld world;
  Dts search = make(world);
  const Trial trial = *search.ask();
  const Outcome outcome = world.walk(trial, 100);
  search.tell(trial, outcome);
  ASSERT_EQ(search.nodes(), 1 + outcome.path.size());
  for (int i = 0; i < outcome.path.size(); ++i)
    EXPECT_EQ(search.tree()[i + 1].place, outcome.path[i]);
  EXPECT_TRUE(search.tree().back().terminal);
  EXPECT_EQ(search.depth(), 4);
}

// docs/algorithm.md#dts-values
TEST(Dts, ValuesLieBetweenThoseOfTheChildrenThroughoutARun) {
  for (const double lambda : {0.0, 1.0, 50.0}) {
    ToyWorld world;
    Dts search = make(world, {.lambda = lambda});
    run(search, world, 500);
    for (const DtsNode& node : search.tree()) {
      if (node.terminal) continue;
      const std::vector<double> values = child_values(search, node);
      ASSERT_FALSE(values.empty());
      EXPECT_GE(node.value, *std::min_element(values.begin(), values.end()) - 1e-12);
      EXPECT_LE(node.value, *std::max_element(values.begin(), values.end()) + 1e-12);
    }
  }
}

TEST(Dts, WidensTheRootAsItsVisitsGrow) {
  ToyWorld world;
  Dts search = make(world);
  // N = 1, 2, 3, 4 allow 2, 2, 3, 4 children; N = 5 allows 4, so the fifth trial starts deeper.
  const ToyRun result = run(search, world, 5);
  for (int i = 0; i < 4; ++i) EXPECT_EQ(result.trials[i].from, 0);
  EXPECT_NE(result.trials[4].from, 0);
  for (const DtsNode& node : search.tree())
    EXPECT_LE(node.children.size(), std::max(2.0, 2 * std::sqrt(node.visits)));
}

TEST(Dts, DrawsAreFreshAndNeverTheNoiseOfTheState) {
  ToyWorld world;
  Dts search = make(world);
  std::set<std::uint64_t> draws;
  for (const Trial& trial : run(search, world, 500).trials) draws.insert(trial.draw);
  EXPECT_EQ(draws.size(), 500);
  EXPECT_FALSE(draws.contains(0));
}

TEST(Dts, SameSeedGivesTheSameRunAndAnotherSeedAnother) {
  ToyWorld world1, world2, world3;
  Dts a = make(world1), b = make(world2), c = make(world3, {}, 2);
  const ToyRun first = run(a, world1, 200);
  EXPECT_EQ(first, run(b, world2, 200));
  EXPECT_NE(first, run(c, world3, 200));
}

TEST(Dts, AskingAgainGivesTheSameTrial) {
  ToyWorld world;
  Dts search = make(world);
  for (int i = 0; i < 100; ++i) {
    EXPECT_EQ(search.ask(), search.ask());
    run(search, world, 1);
  }
}

TEST(Dts, SelectedTerminalIsBackedUpAgainWithoutATrial) {
  ToyWorld world;
  world.reward = [](StateId) { return 1.0; };
  Dts search = make(world, {.exploration = 0});  // always down the first path
  run(search, world, 200);
  int visits = 0;
  for (const DtsNode& node : search.tree()) visits += node.terminal ? node.visits : 0;
  EXPECT_GT(visits, 200);
  EXPECT_LE(visits, 400);  // each terminal at most once more
  EXPECT_GE(search.tree()[0].visits, 1 + 200);
}

TEST(Dts, FixedNumberOfChildrenGivesAFiniteTree) {
  ToyWorld world;
  Dts search = make(world, {.widening = 2, .widening_power = 0});
  EXPECT_EQ(run(search, world, 500).trials.size(), 16);  // two to the four levels
  EXPECT_EQ(search.ask(), std::nullopt);
  EXPECT_EQ(search.nodes(), 31);
}

TEST(Dts, GreedyAndDeterministicGoesOnWithoutEnd) {
  ToyWorld world;
  world.deterministic = true;
  Dts search = make(world, {.exploration = 0});
  EXPECT_EQ(run(search, world, 500).trials.size(), 500);
}

TEST(Dts, SurvivesRewardsThatAreNoNumbers) {
  ToyWorld world;
  world.reward = [](StateId state) {
    const double odd[] = {NAN, INFINITY, -INFINITY, -2, 5, 0.5};
    return odd[state % 6];
  };
  Dts search = make(world);
  EXPECT_EQ(run(search, world, 500).trials.size(), 500);
  for (const DtsNode& node : search.tree()) {
    EXPECT_GE(node.value, 0);
    EXPECT_LE(node.value, 1);
  }
}

TEST(Dts, SkipsStatesThatTheActionDoesNotFit) {
  ToyWorld world;
  world.feasible = [](const Trial& trial) { return trial.from % 3 != 1; };
  Dts search = make(world);
  const ToyRun result = run(search, world, 500);
  std::set<StateId> refused;
  for (const Trial& trial : result.trials) {
    if (world.feasible(trial)) continue;
    EXPECT_TRUE(refused.insert(trial.from).second) << trial.from;
  }
  EXPECT_FALSE(refused.empty());
}

TEST(Dts, RefusesOptionsOutOfRange) {
  EXPECT_THROW(make({}, {.widening = 0}), Error);
  EXPECT_THROW(make({}, {.lambda = -1}), Error);
  EXPECT_THROW(make({}, {.lambda = INFINITY}), Error);
  EXPECT_THROW(make({}, {.exploration = NAN}), Error);
}

}  // namespace
}  // namespace umf
