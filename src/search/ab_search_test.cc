// What both forms of AB-MCTS promise.
#include "search/ab_search.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <memory>
#include <set>

#include "search/ab_mcts_a.h"
#include "search/ab_mcts_m.h"
#include "search/search_testing.h"

namespace umf {
namespace {

using Make = std::function<std::unique_ptr<AbSearch>(const ToyWorld&, std::uint64_t seed)>;

Make model_strategy(const std::string& strategy) {
  return [strategy](const ToyWorld& world, std::uint64_t seed) {
    return std::make_unique<AbMctsM>(world.root(), world.actions(), seed,
                                     AbMctsMOptions{.strategy = strategy});
  };
}

Make family(const std::string& family) {
  return [family](const ToyWorld& world, std::uint64_t seed) {
    return std::make_unique<AbMctsA>(world.root(), world.actions(), seed,
                                     AbMctsAOptions{.family = family});
  };
}

class AbMcts : public testing::TestWithParam<std::pair<const char*, Make>> {
 protected:
  std::unique_ptr<AbSearch> make(const ToyWorld& world, std::uint64_t seed = 1) {
    return GetParam().second(world, seed);
  }
};

TEST_P(AbMcts, GoesOnAndUsesEveryActionAndLevel) {
  ToyWorld world;
  const auto search = make(world);
  const ToyRun result = run(*search, world, 500);
  EXPECT_EQ(result.trials.size(), 500);
  EXPECT_EQ(search->nodes(), 501);
  std::set<int> actions;
  std::set<std::uint64_t> draws;
  for (const Trial& trial : result.trials) actions.insert(trial.action), draws.insert(trial.draw);
  EXPECT_EQ(actions.size(), 2);
  EXPECT_EQ(draws.size(), 500);
  EXPECT_FALSE(draws.contains(0));
  EXPECT_EQ(search->depth(), 3);
}

TEST_P(AbMcts, NeverGeneratesAtTheLastCheckpoint) {
  ToyWorld world;
  const auto search = make(world);
  run(*search, world, 500);
  for (int node = 1; node < search->nodes(); ++node) {
    const AbNode& at = search->tree()[node];
    EXPECT_EQ(at.usable.empty(), at.place.masks == 2);
    EXPECT_EQ(search->tree()[at.parent].place.masks, at.place.masks + 2);
  }
}

TEST_P(AbMcts, SameSeedGivesTheSameRunAndAnotherSeedAnother) {
  ToyWorld worlds[3];
  const auto a = make(worlds[0]), b = make(worlds[1]), c = make(worlds[2], 2);
  const ToyRun first = run(*a, worlds[0], 100);
  EXPECT_EQ(first, run(*b, worlds[1], 100));
  EXPECT_NE(first, run(*c, worlds[2], 100));
}

TEST_P(AbMcts, AskingAgainGivesTheSameTrial) {
  ToyWorld world;
  const auto search = make(world);
  for (int i = 0; i < 50; ++i) {
    EXPECT_EQ(search->ask(), search->ask());
    run(*search, world, 1);
  }
}

TEST_P(AbMcts, SurvivesRewardsThatAreNoNumbers) {
  ToyWorld world;
  world.reward = [](StateId state) {
    const double odd[] = {NAN, INFINITY, -INFINITY, -2, 5, 0.5};
    return odd[state % 6];
  };
  const auto search = make(world);
  EXPECT_EQ(run(*search, world, 500).trials.size(), 500);
  for (int node = 0; node < search->nodes(); ++node) {
    EXPECT_GE(search->tree()[node].score, 0);
    EXPECT_LE(search->tree()[node].score, 1);
  }
}

TEST_P(AbMcts, GoesOnWhenAllRewardsAreEqual) {
  for (const double reward : {0.0, 1.0}) {
    ToyWorld world;
    world.reward = [reward](StateId) { return reward; };
    EXPECT_EQ(run(*make(world), world, 100).trials.size(), 100);
  }
}

TEST_P(AbMcts, LeavesAnActionThatDoesNotFitAState) {
  ToyWorld world;
  world.feasible = [](const Trial& trial) { return trial.action == 0 || trial.from == 0; };
  const auto search = make(world);
  const ToyRun result = run(*search, world, 300);
  EXPECT_EQ(result.trials.size(), 300);
  std::set<StateId> refused;
  for (const Trial& trial : result.trials) {
    if (world.feasible(trial)) continue;
    EXPECT_TRUE(refused.insert(trial.from).second);
  }
  EXPECT_FALSE(refused.empty());
}

TEST_P(AbMcts, EndsWhenNoActionFitsTheRoot) {
  ToyWorld world;
  world.feasible = [](const Trial&) { return false; };
  EXPECT_EQ(run(*make(world), world, 300).trials.size(), 2);  // one refusal per action
}

TEST_P(AbMcts, PrefersTheBetterAction) {
  ToyWorld world;
  const auto search = make(world);
  int better = 0;
  for (int i = 0; i < 200; ++i) {
    const Trial trial = *search->ask();
    Outcome outcome = world.walk(trial, 100);
    outcome.reward =
        (trial.action == 1 ? 0.5 : 0) + ToyWorld::hashed(outcome.path.back().state) / 2;
    search->tell(trial, outcome);
    better += trial.action;
  }
  EXPECT_GT(better, 110);
}

INSTANTIATE_TEST_SUITE_P(
    Forms, AbMcts,
    testing::Values(std::pair("Thompson", model_strategy("multiarm_bandit_thompson")),
                    std::pair("Ucb", model_strategy("multiarm_bandit_ucb")),
                    std::pair("Stack", model_strategy("stack")),
                    std::pair("Gaussian", family("gaussian")), std::pair("Beta", family("beta"))),
    [](const auto& form) { return std::string(form.param.first); });

}  // namespace
}  // namespace umf
