#include "search/rollout_cache.h"

#include <gtest/gtest.h>

namespace umf {
namespace {

// Each place costs three passes more.
Outcome rollout(std::vector<Place> path, double reward) {
  Outcome outcome{.path = std::move(path), .reward = reward};
  for (std::size_t i = 0; i < outcome.path.size(); ++i)
    outcome.passes_at.push_back(outcome.passes += 3);
  return outcome;
}

TEST(RolloutCache, AFinishedRolloutIsFoundFromEveryStateItPassed) {
  RolloutCache cache;
  cache.insert({.from = 5, .action = 1}, rollout({{6, 20}, {7, 10}, {8, 0}}, 0.5));
  const auto rest = cache.find(6, 1);
  ASSERT_TRUE(rest);
  EXPECT_EQ(rest->path, (std::vector<Place>{{7, 10}, {8, 0}}));
  EXPECT_EQ(rest->reward, 0.5);
  EXPECT_EQ(rest->passes, 0);
  EXPECT_EQ(rest->passes_at, (std::vector{3, 6})) << "as if it had begun there";
  EXPECT_EQ(cache.find(5, 1)->passes_at, (std::vector{3, 6, 9}));
  EXPECT_TRUE(rest->cached && rest->complete);
  EXPECT_EQ(cache.find(5, 1)->path.size(), 3);
  EXPECT_EQ(cache.find(7, 1)->path.size(), 1);
  EXPECT_FALSE(cache.contains(8, 1)) << "nothing follows the end";
  EXPECT_FALSE(cache.contains(6, 0)) << "another action";
  EXPECT_FALSE(cache.contains(1, 5));
}

TEST(RolloutCache, WhereRolloutsMeetTheFirstEntryStays) {
  RolloutCache cache;
  cache.insert({.from = 0, .action = 0}, rollout({{1, 2}, {2, 0}}, 0.5));
  cache.insert({.from = 9, .action = 0}, rollout({{1, 2}, {2, 0}}, 0.75));
  EXPECT_EQ(cache.find(1, 0)->reward, 0.5);
  EXPECT_EQ(cache.find(9, 0)->reward, 0.75);
  cache.insert({.from = 0, .action = 0}, rollout({{1, 2}, {2, 0}}, 0.25));
  EXPECT_EQ(cache.find(0, 0)->reward, 0.5);
}

TEST(RolloutCache, HoldsMany) {
  RolloutCache cache;
  EXPECT_FALSE(cache.find(0, 0));
  for (int i = 0; i < 100'000; ++i) {
    cache.insert({.from = i, .action = i % 3},
                 rollout({{1'000'000 + i, 1}, {2'000'000 + i, 0}}, i));
  }
  for (int i = 0; i < 100'000; ++i) {
    EXPECT_EQ(cache.find(i, i % 3)->reward, i);
    EXPECT_EQ(cache.find(1'000'000 + i, i % 3)->path.front().state, 2'000'000 + i);
    EXPECT_FALSE(cache.contains(i, (i + 1) % 3));
  }
}

}  // namespace
}  // namespace umf
