// The figures that every implementation of the search must reproduce
// (docs/algorithm.md#golden-figures).
#include "support/golden.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <climits>

#include "search/checkpoints.h"
#include "solve/simulation.h"

namespace umf {
namespace {

using namespace golden;

Simulation run(TableWorld::Rewards rewards, int actions, long budget,
               UnMaskForkOptions options = {}) {
  TableWorld world(actions, 768, kPaperRatios, std::move(rewards));
  return simulate(world, options, {.budget = budget});
}

TEST(SearchGolden, EveryRowIsReproduced) {
  for (const Row& row : kRows) {
    SCOPED_TRACE(fmt::format("{}, {} actions, budget {}", row.name, row.actions, row.budget));
    const Simulation simulation = run(row.rewards, row.actions, row.budget);
    const Ledger& ledger = simulation.solution.ledger;
    EXPECT_EQ(ledger.misses, row.misses);
    EXPECT_EQ(ledger.hits, row.hits);
    EXPECT_EQ(ledger.saved_full, row.saved_full);
    EXPECT_EQ(ledger.saved_capped, row.saved_capped);
    EXPECT_EQ(ledger.switches, row.switches);
    EXPECT_EQ(simulation.nodes, row.nodes);
    EXPECT_EQ(simulation.depth, row.depth);
    EXPECT_NEAR(simulation.solution.best->reward, row.best, 1e-6);
    EXPECT_EQ(ledger.nfe, row.budget);
    EXPECT_EQ(simulation.solution.stopped, Stop::kBudget);
  }
}

TEST(SearchGolden, EqualRewardsFillTheLevelsInOrder) {
  EXPECT_EQ(fmt::format("{}", fmt::join(run(equal, 2, 6144).order, " ")), kOrderOfEqual);
}

TEST(SearchGolden, UnequalRewardsGoTheirOwnWay) {
  EXPECT_EQ(fmt::format("{}", fmt::join(run(mod_7, 2, 6144).order, " ")), kOrderOfMod7);
}

void expect_whole_tree(const Simulation& simulation, long misses, long hits, long nfe) {
  EXPECT_EQ(simulation.solution.stopped, Stop::kExhausted);
  EXPECT_EQ(simulation.solution.ledger.misses, misses);
  EXPECT_EQ(simulation.solution.ledger.hits, hits);
  EXPECT_EQ(simulation.solution.ledger.nfe, nfe);
}

TEST(SearchGolden, AWholeTreeHasTheseCounts) {
  for (const auto rewards : {equal, mod_7, mod_11, share_of_1}) {
    expect_whole_tree(run(rewards, 2, LONG_MAX), 128, 126, 48966);
    expect_whole_tree(run(rewards, 2, LONG_MAX, {.expand_last_level = true}), 256, 254, 68550);
    expect_whole_tree(run(rewards, 1, LONG_MAX), 1, 6, 768);
  }
}

}  // namespace
}  // namespace umf
