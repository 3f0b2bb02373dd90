#include "search/pair.h"

#include <gtest/gtest.h>

#include "search/best_of_n.h"
#include "search/dts.h"
#include "search/search_testing.h"

namespace umf {
namespace {

std::unique_ptr<Search> samples(const ToyWorld& world, int action, int count = 0) {
  return std::make_unique<BestOfN>(world.root(), action, BestOfNOptions{.samples = count});
}

std::unique_ptr<Search> tree(const ToyWorld& world, int action) {
  return std::make_unique<Dts>(world.root(), action, 1, DtsOptions{});
}

// The numbers of states depend on what else was walked; the draw and the length of the path do not.
double worth(const Trial& trial, int model, const Outcome& outcome) {
  return ToyWorld::hashed(
      static_cast<StateId>(trial.draw % 1009 + 31 * model + outcome.path.size()));
}

double best_alone(std::unique_ptr<Search> search, int model, long budget) {
  double best = 0;
  ToyWorld world;
  while (budget > 0) {
    const Trial trial = *search->ask();
    Outcome outcome = world.walk(trial, static_cast<int>(budget));
    outcome.reward = worth(trial, model, outcome);
    search->tell(trial, outcome);
    budget -= outcome.passes;
    best = std::max(best, outcome.reward);
  }
  return best;
}

double best_as_pair(Pair& pair, long budget) {
  double best = 0;
  ToyWorld world;
  while (const std::optional<Trial> trial = pair.ask()) {
    Outcome outcome = world.walk(*trial, static_cast<int>(std::min(budget, pair.pass_limit())));
    outcome.reward = worth(*trial, trial->action, outcome);
    pair.tell(*trial, outcome);
    budget -= outcome.passes;
    best = std::max(best, outcome.reward);
  }
  EXPECT_EQ(budget, 0);
  return best;
}

// docs/algorithm.md#pair-of-halves, also where a rollout crosses the half.
TEST(Pair, RewardIsTheBetterOfTwoSearchesAtHalfTheBudget) {
  const ToyWorld world;
  for (const long half : {3, 8, 20, 24, 61, 100}) {
    Pair sampled(samples(world, 0), samples(world, 0), 1, half);
    EXPECT_EQ(best_as_pair(sampled, 2 * half), std::max(best_alone(samples(world, 0), 0, half),
                                                        best_alone(samples(world, 0), 1, half)));
    Pair searched(tree(world, 0), tree(world, 0), 1, half);
    EXPECT_EQ(best_as_pair(searched, 2 * half),
              std::max(best_alone(tree(world, 0), 0, half), best_alone(tree(world, 0), 1, half)));
  }
}

TEST(Pair, CutsTheRolloutThatCrossesTheHalf) {
  ToyWorld world;
  Pair pair(samples(world, 0), samples(world, 0), 1, /*passes_each=*/20);
  const ToyRun result = run(pair, world, 100);
  ASSERT_EQ(result.trials.size(), 6);  // 8 + 8 + 4, twice
  EXPECT_EQ(result.passes, 40);
  for (int i = 0; i < 6; ++i) EXPECT_EQ(result.trials[i].action, i < 3 ? 0 : 1);
}

TEST(Pair, FirstSearchThatEndsEarlyLeavesTheSecondItsOwnHalfOnly) {
  ToyWorld world;
  Pair pair(samples(world, 0, /*count=*/1), samples(world, 0), 1, 20);
  EXPECT_EQ(run(pair, world, 100).passes, 8 + 20);
}

TEST(Pair, AskingAgainGivesTheSameTrial) {
  ToyWorld world;
  Pair pair(samples(world, 0), tree(world, 0), 1, 20);
  for (int i = 0; i < 6; ++i) {
    EXPECT_EQ(pair.ask(), pair.ask());
    run(pair, world, 1);
  }
  EXPECT_EQ(pair.ask(), std::nullopt);
}

TEST(Pair, TellsTheSecondSearchItsOwnActions) {
  ToyWorld world;
  Pair pair(samples(world, 0), samples(world, 1), 2, 8);
  EXPECT_EQ(run(pair, world, 2).trials[1].action, 3);
}

}  // namespace
}  // namespace umf
