#include "solve/pass_costs.h"

#include <gtest/gtest.h>

#include <climits>
#include <cmath>

#include "search/checkpoints.h"
#include "support/search_play.h"

namespace umf {
namespace {

const std::vector<int> kRatios(std::begin(kPaperRatios), std::end(kPaperRatios));

TEST(PassCosts, AtOneCellPerPassAreTheMasks) {
  const PassCosts costs = costs_at(1, masks_of_levels(768, kRatios));
  EXPECT_TRUE(costs.commits_one());
  for (int masks = 1; masks <= 768; ++masks) {
    EXPECT_EQ(costs.passes_from(masks), masks);
    EXPECT_EQ(costs.masks_after(masks), masks - 1);
  }
}

TEST(PassCosts, ARolloutFromAnywhereIsRightWithinOnePass) {
  for (const double rate : {1.0001, 1.3, 2.0, 3.4, 7.7, 50.0, 1000.0}) {
    const PassCosts costs = costs_at(rate, masks_of_levels(96, kRatios));
    EXPECT_EQ(costs.commits_one(), rate < 1.001);
    for (int from = 1; from <= 96; ++from) {
      int passes = 0;
      for (int masks = from; masks > 0; masks = costs.masks_after(masks)) {
        ASSERT_LT(costs.masks_after(masks), masks);
        ++passes;
      }
      EXPECT_EQ(passes, costs.passes_from(from)) << "every pass is one";
      EXPECT_LT(std::abs(passes - from / rate), 1) << from << " at " << rate;
    }
  }
}

TEST(PassCosts, OfLevelsAddUpToTheirSum) {
  const std::vector<int> masks = {8, 6, 4, 2, 0};
  const PassCosts costs(masks, std::vector<double>{0.5, 0.5, 2, 1});
  EXPECT_EQ(costs.passes_from(8), 4);
  EXPECT_EQ(costs.masks_after(8), 4) << "one pass for two levels";
  EXPECT_EQ(costs.masks_after(4), 3);
  EXPECT_EQ(costs.masks_after(3), 2);
  EXPECT_EQ(costs.masks_after(2), 0);
}

TEST(PassCosts, ALevelMayTakeMorePassesThanItHasMasks) {
  const std::vector<int> masks = {4, 2, 0};
  const PassCosts costs(masks, std::vector<double>{6, 1});
  EXPECT_EQ(costs.passes_from(4), 7);
  EXPECT_EQ(costs.masks_after(4), 3);
  EXPECT_EQ(costs.passes_from(3), 4) << "three looks for one mask";
}

TEST(PassCosts, ALevelWithoutPassesIsJumped) {
  const std::vector<int> masks = {8, 6, 4, 0};
  const PassCosts costs(masks, std::vector<double>{1, 0, 2});
  EXPECT_EQ(costs.masks_after(8), 4);
  EXPECT_EQ(PassCosts(masks, std::vector<double>{0, 0, 0}).passes_from(8), 1) << "at least one";
}

// Worlds of 1 to 4 actions that cost anything between a mask and a window a pass.
struct Rated {
  explicit Rated(std::uint64_t seed) : scenario(random_scenario(seed)) {
    std::mt19937_64 random(seed);
    std::vector<PassCosts> costs;
    for (int action = 0; action < scenario.actions; ++action)
      costs.push_back(
          costs_at(1 + random() % 100 / 10.0, masks_of_levels(scenario.window, scenario.ratios)));
    world.emplace(scenario.actions, scenario.window, scenario.ratios, scenario.rewards, costs);
  }
  Scenario scenario;
  std::optional<TableWorld> world;
};

TEST(RatedTableWorld, StayingWithTheActionAtACheckpointRepeatsTheRest) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    Rated rated(seed);
    TableWorld& world = *rated.world;
    for (int first = 0; first < world.actions(); ++first) {
      const StateId from = world.walk({0, first}, INT_MAX).path.front().state;
      for (int action = 0; action < world.actions(); ++action) {
        const Outcome whole = world.walk({from, action}, INT_MAX);
        EXPECT_EQ(whole.passes_at.back(), whole.passes);
        EXPECT_EQ(world.sequence(whole.path.back().state).size(), world.levels());
        for (std::size_t i = 0; i + 1 < whole.path.size(); ++i) {
          const Outcome rest = world.walk({whole.path[i].state, action}, INT_MAX);
          EXPECT_EQ(rest.path, std::vector(whole.path.begin() + i + 1, whole.path.end()));
          EXPECT_EQ(rest.passes, whole.passes - whole.passes_at[i]);
        }
        for (int limit = 1; limit <= whole.passes; ++limit) {
          const Outcome cut = world.walk({from, action}, limit);
          EXPECT_EQ(cut.passes, limit);
          EXPECT_EQ(cut.complete, limit == whole.passes);
          EXPECT_EQ(world.walk({cut.path.back().state, action}, INT_MAX).path.back(),
                    whole.path.back());
        }
      }
    }
  }
}

TEST(RatedTableWorld, BudgetsCutsAndSavingsCountPasses) {
  const std::vector<int> masks = masks_of_levels(768, kRatios);
  const std::vector<PassCosts> costs(2, costs_at(4, masks));
  const auto run = [&](BudgetPolicy policy) {
    TableWorld world(2, 768, kRatios, zero_rewards(), costs);
    RolloutCache known;
    UnMaskFork search(2, world.root(), {}, known);
    return solve(search, world, known, {.budget = 768, .policy = policy}).ledger;
  };
  // As with one mask per pass and four times the budget: 5 misses and 6 hits.
  const Ledger cut = run(BudgetPolicy::kCut);
  EXPECT_EQ(cut.nfe, 768);
  EXPECT_EQ(cut.misses, 5);
  EXPECT_EQ(cut.hits, 6);
  // Checkpoints lie at the first multiples of 4 at or below their targets: 688 and 612 masks.
  EXPECT_EQ(cut.saved_full, 2 * 172 + 4 * 153);
  EXPECT_EQ(run(BudgetPolicy::kFinish).nfe, 192 + 192 + 172 + 172 + 153);
  EXPECT_EQ(run(BudgetPolicy::kSkip).nfe, 768) << "it is walked to find that it does not fit";
  EXPECT_EQ(run(BudgetPolicy::kSkip).misses, 4);
}

TEST(RatedTableWorld, LooksThatLeadToNothingArePaid) {
  const std::vector<int> masks = masks_of_levels(4, std::vector{500});
  TableWorld world(1, 4, std::vector{500}, zero_rewards(),
                   {PassCosts(masks, std::vector<double>{6, 1})});
  EXPECT_FALSE(world.commits_one(0));
  const Outcome nowhere = world.walk({0, 0}, 2);
  EXPECT_EQ(nowhere.passes, 2);
  EXPECT_EQ(nowhere.path, (std::vector<Place>{{0, 4}}));
  EXPECT_EQ(world.walk({0, 0}, 3).path.back().masks, 3);
  EXPECT_EQ(world.walk({0, 0}, INT_MAX).passes, 7);
}

}  // namespace
}  // namespace umf
