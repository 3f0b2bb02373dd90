#include "bench/seeded_statistics.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace umf {
namespace {

SeededPairs pairs_of(int first_seeds, int second_seeds, std::vector<std::pair<int, int>> passed) {
  return {first_seeds, second_seeds, std::move(passed)};
}

// As many problems of each kind as `pairs` has.
SeededPairs with_one_seed(const Paired& pairs) {
  SeededPairs seeded;
  for (int i = 0; i < pairs.both; ++i) seeded.passed.emplace_back(1, 1);
  for (int i = 0; i < pairs.only_first; ++i) seeded.passed.emplace_back(1, 0);
  for (int i = 0; i < pairs.only_second; ++i) seeded.passed.emplace_back(0, 1);
  for (int i = 0; i < pairs.neither; ++i) seeded.passed.emplace_back(0, 0);
  return seeded;
}

TEST(SeededStatistics, WithOneSeedTheyAreThoseOfPairs) {
  for (const Paired& pairs : {Paired{36, 12, 2, 0}, Paired{3, 5, 2, 7}, Paired{0, 0, 0, 9},
                              Paired{20, 1, 1, 20}, Paired{0, 6, 0, 0}}) {
    const SeededPairs seeded = with_one_seed(pairs);
    EXPECT_NEAR(seeded.difference(), pairs.difference(), 1e-15);
    const Interval one = paired_interval(seeded), other = paired_interval(pairs);
    EXPECT_NEAR(one.low, other.low, 1e-12);
    EXPECT_NEAR(one.high, other.high, 1e-12);
    EXPECT_NEAR(sign_flip_exact(seeded), mcnemar_exact(pairs.only_first, pairs.only_second), 1e-12);
    EXPECT_EQ(needed_problems(seeded, 0.05), needed_problems(pairs, 0.05));
  }
  const std::vector<double> shares = {1, 0, 1, 1, 0};
  EXPECT_NEAR(clustered_interval(shares, 5).low, wilson_interval(3, 5).low, 1e-12);
  EXPECT_NEAR(clustered_interval(shares, 5).high, wilson_interval(3, 5).high, 1e-12);
}

// Of two seeds 2, 1, 2 and 0 are passed: a mean of 5/8, and a variance between problems of
// (9 + 1 + 9 + 25) / 64 / 4 = 11/64. The tries are worth 4 (15/64) / (11/64) = 60/11.
TEST(SeededStatistics, TriesAreWorthWhatProblemsDifferIn) {
  const std::vector<double> shares = {1, 0.5, 1, 0};
  const Interval found = clustered_interval(shares, 8),
                 expected = wilson_interval_at(5.0 / 8, 60.0 / 11);
  EXPECT_NEAR(found.low, expected.low, 1e-12);
  EXPECT_NEAR(found.high, expected.high, 1e-12);
}

TEST(SeededStatistics, SeedsThatAllAgreeAreWorthOneEach) {
  const std::vector<double> agree = {1, 1, 0, 0, 0, 1, 1, 0}, half(8, 0.5), none(8), all(8, 1);
  EXPECT_NEAR(clustered_interval(agree, 80).low, wilson_interval(4, 8).low, 1e-12);
  EXPECT_NEAR(clustered_interval(half, 16).low, wilson_interval(8, 16).low, 1e-12)
      << "no more than all tries";
  EXPECT_EQ(clustered_interval(none, 80).low, 0);
  EXPECT_NEAR(clustered_interval(none, 80).high, wilson_interval(0, 8).high, 1e-12);
  EXPECT_EQ(clustered_interval(all, 80).high, 1);
  EXPECT_NEAR(clustered_interval(all, 80).low, wilson_interval(8, 8).low, 1e-12);
  EXPECT_EQ(clustered_interval({}, 0).high, 1);
}

// Differences 2/2, 1/2, 1/2 and -1/2, in halves 2, 1, 1 and -1: a sum of 3. Of the 16 ways to
// choose signs, the sums are 5 and -5 once, 3 and -3 three times each: 8 of 16.
TEST(SeededStatistics, SignsAreFlippedByProblem) {
  const SeededPairs pairs = pairs_of(2, 2, {{2, 0}, {2, 1}, {1, 0}, {0, 1}, {2, 2}});
  EXPECT_NEAR(sign_flip_exact(pairs), 0.5, 1e-15);
  EXPECT_NEAR(pairs.difference(), 0.3, 1e-15);
  EXPECT_EQ(pairs.counts().only_first, 3);
  EXPECT_EQ(pairs.counts().only_second, 1);
  EXPECT_EQ(pairs.counts().both, 1);
  EXPECT_EQ(pairs.counts().neither, 0);
}

// Differences of 1/6, -1/6 and 6/6. Of the sums of 1, 1 and 6 with signs those below 6 are the two
// of eight in which both ones are against the six.
TEST(SeededStatistics, NumbersOfSeedsMayDiffer) {
  const SeededPairs pairs = pairs_of(3, 2, {{2, 1}, {1, 1}, {3, 0}});
  EXPECT_NEAR(pairs.difference(), 1.0 / 3, 1e-15);
  EXPECT_NEAR(sign_flip_exact(pairs), 0.75, 1e-15);
}

TEST(SeededStatistics, NothingSaysNothing) {
  const SeededPairs none;
  EXPECT_EQ(none.difference(), 0);
  EXPECT_EQ(sign_flip_exact(none), 1);
  EXPECT_FALSE(needed_problems(none, 0.05));
  EXPECT_EQ(paired_interval(none).low, -1);
  EXPECT_EQ(sign_flip_exact(pairs_of(3, 3, {{1, 1}, {3, 3}})), 1);
}

// Problems whose chance to be solved is drawn for each, and seeds that then pass or do not. The two
// configurations share how hard a problem is, and each has its own luck with it.
class Drawn {
 public:
  explicit Drawn(unsigned seed) : random_(seed) {}

  SeededPairs pairs(int problems, int seeds, double ahead) {
    SeededPairs pairs{seeds, seeds, {}};
    for (int i = 0; i < problems; ++i) {
      const double hard = uniform();
      pairs.passed.emplace_back(passed(seeds, chance(hard) + ahead), passed(seeds, chance(hard)));
    }
    return pairs;
  }

 private:
  double uniform() { return static_cast<double>(random_()) / 4294967296.0; }
  // Mostly solved always or never, with a mean of 1/2.
  double chance(double hard) {
    const double own = 0.6 * hard + 0.4 * uniform();
    return own < 0.4 ? 0.05 : own > 0.6 ? 0.85 : 0.45;
  }
  int passed(int seeds, double chance) {
    int count = 0;
    for (int i = 0; i < seeds; ++i) count += uniform() < chance;
    return count;
  }

  std::mt19937 random_;
};

// What treating each seed as a problem would say.
double pooled_mcnemar(const SeededPairs& pairs, std::mt19937& random) {
  int only_first = 0, only_second = 0;
  for (const auto& [one, other] : pairs.passed) {
    std::vector<int> first(pairs.first_seeds), second(pairs.second_seeds);
    std::fill_n(first.begin(), one, 1);
    std::fill_n(second.begin(), other, 1);
    std::shuffle(second.begin(), second.end(), random);
    for (std::size_t i = 0; i < first.size(); ++i) {
      only_first += first[i] > second[i];
      only_second += first[i] < second[i];
    }
  }
  return mcnemar_exact(only_first, only_second);
}

TEST(SeededStatistics, HoldTheirLevelWhereTheTruthIsKnown) {
  constexpr int kRuns = 2000, kProblems = 60, kSeeds = 5;
  Drawn drawn(1);
  std::mt19937 random(2);
  int false_alarms = 0, naive_alarms = 0, covered = 0, share_covered = 0, found = 0;
  for (int run = 0; run < kRuns; ++run) {
    const SeededPairs alike = drawn.pairs(kProblems, kSeeds, 0);
    false_alarms += sign_flip_exact(alike) < 0.05;
    naive_alarms += pooled_mcnemar(alike, random) < 0.05;
    std::vector<double> shares;
    for (const auto& [one, other] : alike.passed) shares.push_back(one / double{kSeeds});
    const Interval share = clustered_interval(shares, kProblems * kSeeds);
    // Chances of 0.05, 0.45 and 0.85 that come about symmetrically.
    share_covered += share.low <= 0.45 && 0.45 <= share.high;
    const SeededPairs ahead = drawn.pairs(kProblems, kSeeds, 0.1);
    const Interval interval = paired_interval(ahead);
    covered += interval.low <= 0.1 && 0.1 <= interval.high;
    found += sign_flip_exact(ahead) < 0.05;
  }
  EXPECT_LE(false_alarms, 0.06 * kRuns);
  EXPECT_GE(false_alarms, 0.03 * kRuns) << "nor is it blind";
  EXPECT_GT(naive_alarms, 0.1 * kRuns) << "seeds are no further problems";
  EXPECT_GE(covered, 0.94 * kRuns);
  EXPECT_GE(share_covered, 0.93 * kRuns);
  EXPECT_GT(found, 0.4 * kRuns);
}

}  // namespace
}  // namespace umf
