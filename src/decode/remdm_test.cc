#include "decode/remdm.h"

#include <gtest/gtest.h>

namespace umf {
namespace {

constexpr Remask kChances[] = {Remask::kCap, Remask::kRescale, Remask::kConf, Remask::kLoop};

TEST(Remdm, TimeRunsFromOneToTheLastInEqualSteps) {
  EXPECT_DOUBLE_EQ(remdm_times(0, 4).t, 1);
  EXPECT_DOUBLE_EQ(remdm_times(0, 4).s, 0.7500025);
  EXPECT_NEAR(remdm_times(3, 4).s, 1e-5, 1e-15);
  for (int step = 1; step < 4; ++step)
    EXPECT_DOUBLE_EQ(remdm_times(step, 4).t, remdm_times(step - 1, 4).s);
}

TEST(Remdm, AlphaIsWhatTimeHasNotMasked) {
  for (const Remask form : {Remask::kCap, Remask::kRescale, Remask::kConf}) {
    EXPECT_EQ(remdm_alpha(form, 1), 0);
    EXPECT_DOUBLE_EQ(remdm_alpha(form, 0.3), 0.7);
  }
}

TEST(Remdm, TheLoopHoldsAlphaInItsMiddle) {
  EXPECT_EQ(remdm_alpha(Remask::kLoop, 1), 0);
  EXPECT_NEAR(remdm_alpha(Remask::kLoop, 0.775), 0.45, 1e-12);
  EXPECT_DOUBLE_EQ(remdm_alpha(Remask::kLoop, 0.55), 0.9);
  EXPECT_DOUBLE_EQ(remdm_alpha(Remask::kLoop, 0.2), 0.9);
  EXPECT_NEAR(remdm_alpha(Remask::kLoop, 0.025), 0.95, 1e-12);
  EXPECT_EQ(remdm_alpha(Remask::kLoop, 0), 1);
}

// By hand: alpha_t = 0.8 and 1 - alpha_s = 0.1, so that at most 1/8 can be masked again.
TEST(Remdm, SigmaHasTheValuesOfTheFormulas) {
  const RemdmTimes late{0.2, 0.1}, early{0.8, 0.7}, start{1, 0.9};
  EXPECT_DOUBLE_EQ(remdm_sigma(Remask::kCap, 0.008, late), 0.008);
  EXPECT_NEAR(remdm_sigma(Remask::kCap, 0.5, late), 0.125, 1e-12);
  EXPECT_NEAR(remdm_sigma(Remask::kRescale, 0.016, late), 0.002, 1e-12);
  EXPECT_NEAR(remdm_sigma(Remask::kConf, 0, late), 0.125, 1e-12);
  EXPECT_DOUBLE_EQ(remdm_sigma(Remask::kRescale, 0.015, early), 0.015);
  EXPECT_DOUBLE_EQ(remdm_sigma(Remask::kCap, 0.008, start), 0.008);
  EXPECT_DOUBLE_EQ(remdm_sigma(Remask::kRescale, 0.015, start), 0.015);
  EXPECT_DOUBLE_EQ(remdm_sigma(Remask::kLoop, 0.02, {0.3, 0.2}), 0.02);
  EXPECT_EQ(remdm_sigma(Remask::kLoop, 0.02, {0.8, 0.7}), 0);
  EXPECT_EQ(remdm_sigma(Remask::kLoop, 0.02, {0.05, 0.04}), 0);
}

// By hand: (1 - alpha_s - sigma alpha_t) / (1 - alpha_t).
TEST(Remdm, StayingMaskedMakesUpForWhatIsMaskedAgain) {
  EXPECT_NEAR(stay_masked(Remask::kCap, 0.05, {0.2, 0.1}), (0.1 - 0.05 * 0.8) / 0.2, 1e-12);
  EXPECT_NEAR(stay_masked(Remask::kCap, 0.125, {0.2, 0.1}), 0, 1e-12);
  EXPECT_NEAR(stay_masked(Remask::kLoop, 0.02, {0.3, 0.2}), 0.82, 1e-12);
}

TEST(Remdm, ConfSharesAreLargerWhereConfidenceWasSmaller) {
  const double confidences[] = {0.9, 0.2};
  const std::vector<double> shares = conf_shares(confidences);
  EXPECT_NEAR(shares[0], 0.331812, 1e-6);  // 1 / (1 + e^0.7)
  EXPECT_NEAR(shares[0] + shares[1], 1, 1e-12);
  EXPECT_TRUE(conf_shares({}).empty());
}

// docs/algorithm.md#remdm-probabilities
TEST(Remdm, ProbabilitiesStayInsideTheUnitIntervalAtEveryStep) {
  for (const Remask form : kChances) {
    for (const double eta : {0.0, 0.008, 0.02, 0.5, 1.0}) {
      for (const int steps : {1, 2, 3, 7, 64, 1024}) {
        for (int step = 0; step < steps; ++step) {
          const RemdmTimes times = remdm_times(step, steps);
          const double sigma = remdm_sigma(form, eta, times);
          EXPECT_GE(sigma, 0);
          EXPECT_LE(sigma, 1);
          EXPECT_GE(1 - remdm_alpha(form, times.s) - sigma * remdm_alpha(form, times.t), -1e-12);
        }
      }
    }
  }
}

// docs/algorithm.md#remdm-probabilities: what is left is s/t, plain unmasking.
TEST(Remdm, WithoutEtaMasksStayAsInPlainUnmasking) {
  for (const Remask form : {Remask::kCap, Remask::kRescale}) {
    for (int step = 0; step < 16; ++step) {
      const RemdmTimes times = remdm_times(step, 16);
      EXPECT_EQ(remdm_sigma(form, 0, times), 0);
      EXPECT_NEAR(stay_masked(form, 0, times), times.s / times.t, 1e-12);
    }
  }
}

}  // namespace
}  // namespace umf
