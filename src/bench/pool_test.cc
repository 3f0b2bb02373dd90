#include "bench/pool.h"

#include <gtest/gtest.h>

#include <numeric>
#include <random>

#include "support/expect_error.h"

namespace umf {
namespace {

// A search that ends after so many passes; 0: never.
std::vector<PoolPoint> ends_after(const Pool& pool, long passes) {
  std::vector<PoolPoint> points;
  for (const long step : pool.steps()) {
    const bool ended = passes != 0 && step >= passes;
    points.push_back({ended ? passes : step, ended});
  }
  return points;
}

Allocation allocate(const Pool& pool, const std::vector<long>& ends) {
  std::vector<std::vector<PoolPoint>> problems;
  for (const long passes : ends) problems.push_back(ends_after(pool, passes));
  return allocate(pool, problems);
}

TEST(Pool, StepsAreWholeQuantaUpToTheCap) {
  EXPECT_EQ((Pool{20, 10, 35}.steps()), (std::vector<long>{10, 20, 30}));
  EXPECT_EQ(with_steps({15, 20}, {20, 10, 35}), (std::vector<long>{10, 15, 20, 30}));
}

// 4 x 20 = 80 passes in steps of 10. Round 1: 4 + 10 + 10 + 10 = 34. Round 2 for the three that are
// open: 10 + 3 + 10 = 23, 57 in all. Round 3 for the two: 20, 77. Three are left, too few.
TEST(Pool, WhatSolvedProblemsLeaveGoesToThoseThatAreOpen) {
  const Allocation got = allocate({20, 10, 100}, {4, 0, 13, 0});
  EXPECT_EQ(got.steps, (std::vector<int>{1, 3, 2, 3}));
  EXPECT_EQ(got.passes, 80);
  EXPECT_EQ(got.spent, 77);
  EXPECT_EQ(got.rounds, 3);
  EXPECT_EQ(got.last_round, 2);
}

// 2 + 2 + 10 + 10, then 10 + 10: 44 of 60 are spent; round 3 has passes for the first alone.
TEST(Pool, TheLastRoundReachesTheFirstProblemsInOrder) {
  const Allocation got = allocate({15, 10, 100}, {2, 2, 0, 0});
  EXPECT_EQ(got.steps, (std::vector<int>{1, 1, 3, 2}));
  EXPECT_EQ(got.spent, 54);
  EXPECT_EQ(got.last_round, 1);
}

TEST(Pool, AStepIsGivenOnlyWhereItsWholePriceIsThere) {
  // The second needs 1 of its second step, but nobody knows before; 8 are left.
  const Allocation got = allocate({19, 10, 100}, {10, 11});
  EXPECT_EQ(got.steps, (std::vector<int>{1, 2}));
  EXPECT_EQ(allocate({14, 10, 100}, {10, 11}).steps, (std::vector<int>{1, 1}));
}

TEST(Pool, WithoutAnEarlyEndAllProblemsGetTheSame) {
  const Allocation got = allocate({30, 10, 100}, {0, 0, 0});
  EXPECT_EQ(got.steps, (std::vector<int>{3, 3, 3}));
  EXPECT_EQ(got.spent, 90);
}

TEST(Pool, NoProblemGetsMoreThanTheCap) {
  const Allocation got = allocate({20, 10, 30}, {1, 1, 1, 0});
  EXPECT_EQ(got.steps, (std::vector<int>{1, 1, 1, 3}));
  EXPECT_EQ(got.spent, 33);
  EXPECT_EQ(got.rounds, 3);
}

TEST(Pool, WithoutProblemsNothingIsSpent) { EXPECT_EQ(allocate({20, 10, 30}, {}).spent, 0); }

TEST(Pool, NeverSpendsMoreThanItHas) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 2000; ++i) {
    const long quantum = 1 + static_cast<long>(random() % 20);
    const long budget = quantum + static_cast<long>(random() % 60);
    const Pool pool{budget, quantum, budget * static_cast<long>(1 + random() % 8)};
    std::vector<std::vector<PoolPoint>> problems(1 + random() % 12);
    for (auto& points : problems) {
      points = ends_after(pool, static_cast<long>(random() % 200));
      // As with the policy skip: what did not fit is spent later.
      for (PoolPoint& point : points)
        if (!point.ended && random() % 2 == 0) point.nfe -= static_cast<long>(random() % quantum);
      for (std::size_t j = 1; j < points.size(); ++j)
        points[j].nfe = std::max(points[j].nfe, points[j - 1].nfe);
    }
    const Allocation got = allocate(pool, problems);
    long spent = 0;
    for (std::size_t p = 0; p < problems.size(); ++p) {
      ASSERT_GE(got.steps[p], 1);
      spent += problems[p][got.steps[p] - 1].nfe;
    }
    EXPECT_EQ(got.spent, spent);
    EXPECT_LE(got.spent, budget * static_cast<long>(problems.size()));
  }
}

TEST(Pool, RefusesPartsThatDoNotGoTogether) {
  EXPECT_ERROR(check({0, 10, 10}), "--pool-budget is at least 1");
  EXPECT_ERROR(check({20, -1, 100}), "--pool-quantum is at least 1");
  EXPECT_ERROR(check({5, 10, 40}), "does not give every problem one quantum of 10");
  EXPECT_ERROR(check({20, 10, 15}), "--pool-cap 15 is below --pool-budget 20");
  EXPECT_ERROR(check({20, 1, 20000}), "give a larger --pool-quantum");
}

}  // namespace
}  // namespace umf
