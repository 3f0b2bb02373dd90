#include "bench/statistics.h"

#include <gtest/gtest.h>

#include <vector>

namespace umf {
namespace {

// The values of R. G. Newcombe's tables (Statistics in Medicine 17, 1998, 857 and 2635), with more
// digits by the same formulas in another language.
TEST(Statistics, WilsonGivesThePublishedIntervals) {
  EXPECT_NEAR(wilson_interval(81, 263).low, 0.2552885, 1e-7);
  EXPECT_NEAR(wilson_interval(81, 263).high, 0.3662096, 1e-7);
  EXPECT_NEAR(wilson_interval(28, 100).low, 0.2013969, 1e-7);
  EXPECT_NEAR(wilson_interval(28, 100).high, 0.3748803, 1e-7);
}

TEST(Statistics, WilsonStaysInsideAndReachesTheEnds) {
  EXPECT_EQ(wilson_interval(0, 10).low, 0);
  EXPECT_NEAR(wilson_interval(0, 10).high, 0.2775328, 1e-7);
  EXPECT_EQ(wilson_interval(10, 10).high, 1);
  EXPECT_NEAR(wilson_interval(10, 10).low, 1 - 0.2775328, 1e-7);
  EXPECT_EQ(wilson_interval(0, 0).low, 0);
  EXPECT_EQ(wilson_interval(0, 0).high, 1);
}

TEST(Statistics, PairedIntervalsArePublishedOnes) {
  const Interval ceiling = paired_interval({36, 12, 2, 0});
  EXPECT_NEAR(ceiling.low, 0.0569296, 1e-7);
  EXPECT_NEAR(ceiling.high, 0.3404276, 1e-7);
  const Interval even = paired_interval({20, 12, 2, 16});
  EXPECT_NEAR(even.low, 0.0561564, 1e-7);
  EXPECT_NEAR(even.high, 0.3292070, 1e-7);
  // Fagerland, Lydersen and Laake 2014: -0.507 to -0.026.
  const Interval few = paired_interval({1, 1, 7, 12});
  EXPECT_NEAR(few.low, -0.5069202, 1e-7);
  EXPECT_NEAR(few.high, -0.0255591, 1e-7);
}

TEST(Statistics, PairedIntervalsTurnAroundWithTheOrder) {
  const Interval one = paired_interval({7, 5, 2, 9}), other = paired_interval({7, 2, 5, 9});
  EXPECT_NEAR(one.low, -other.high, 1e-12);
  EXPECT_NEAR(one.high, -other.low, 1e-12);
  EXPECT_LT(paired_interval({10, 0, 0, 0}).low, 0) << "ten equal verdicts prove little";
  EXPECT_EQ(paired_interval({}).low, -1);
}

TEST(Statistics, McNemarCountsTheSplitsExactly) {
  EXPECT_NEAR(mcnemar_exact(1, 7), 18.0 / 256, 1e-12);
  EXPECT_NEAR(mcnemar_exact(12, 2), 2.0 * (1 + 14 + 91) / 16384, 1e-12);
  EXPECT_NEAR(mcnemar_exact(10, 0), 2.0 / 1024, 1e-12);
  EXPECT_NEAR(mcnemar_exact(59, 6), 4.964650327128617e-12, 1e-17);
  EXPECT_EQ(mcnemar_exact(0, 0), 1);
  EXPECT_EQ(mcnemar_exact(5, 5), 1) << "never above 1";
  EXPECT_EQ(mcnemar_exact(3, 9), mcnemar_exact(9, 3));
}

// Sorted 0.005, 0.01, 0.03, 0.04, times 4, 3, 2, 1, none below the one before: R's
// p.adjust(c(0.01, 0.04, 0.03, 0.005), "holm").
TEST(Statistics, HolmMultipliesByTheNumberThatIsLeft) {
  const std::vector<double> p = {0.01, 0.04, 0.03, 0.005}, holm = {0.03, 0.06, 0.06, 0.02};
  const std::vector<double> corrected = holm_corrected(p);
  for (std::size_t i = 0; i < p.size(); ++i) EXPECT_NEAR(corrected[i], holm[i], 1e-12) << i;
  EXPECT_EQ(holm_corrected(std::vector<double>{0.4, 0.9}), (std::vector<double>{0.8, 0.9}));
  EXPECT_EQ(holm_corrected(std::vector<double>{0.6, 0.6}), (std::vector<double>{1, 1}));
  EXPECT_TRUE(holm_corrected({}).empty());
}

// n = (z(1 - level / 2) sqrt(s) + z(0.8) sqrt(s - d^2))^2 / d^2 with s the share of discordant
// problems and d the difference, by Python's statistics.NormalDist: 52.52, 81.75, 2875.56, 14.98.
TEST(Statistics, NeededProblemsAreThoseOfConnorsFormula) {
  EXPECT_EQ(needed_problems({20, 12, 2, 16}, 0.05), 53);
  EXPECT_EQ(needed_problems({20, 2, 12, 16}, 0.05), 53) << "whoever is better";
  EXPECT_EQ(needed_problems({20, 12, 2, 16}, 0.05 / 6), 82);
  EXPECT_EQ(needed_problems({100, 7, 4, 189}, 0.05), 2876);
  EXPECT_EQ(needed_problems({1, 6, 1, 0}, 0.05), 15);
  EXPECT_FALSE(needed_problems({20, 5, 5, 16}, 0.05)) << "no number would find no difference";
  EXPECT_FALSE(needed_problems({}, 0.05));
}

}  // namespace
}  // namespace umf
