#include "decode/schedule.h"

#include <gtest/gtest.h>

#include "support/expect_error.h"

namespace umf {
namespace {

std::vector<int> dream_counts(int cells, int steps) {
  std::vector<int> counts;
  int masks = cells;
  for (int i = 0; i < steps; ++i) {
    counts.push_back(DreamTimes(steps).count(i, masks));
    masks -= counts.back();
  }
  return counts;
}

TEST(Schedule, LladaSpreadsTheMasksAndPutsTheRemainderFirst) {
  EXPECT_EQ(llada_quota(8, 8), std::vector<int>(8, 1));
  EXPECT_EQ(llada_quota(10, 4), (std::vector<int>{3, 3, 2, 2}));
  EXPECT_EQ(llada_quota(2, 4), (std::vector<int>{1, 1, 0, 0}));
}

TEST(Schedule, DreamCommitsNothingFirstAndTheRestLast) {
  EXPECT_EQ(dream_counts(8, 8), (std::vector<int>{0, 1, 1, 1, 1, 1, 1, 2}));
  EXPECT_EQ(dream_counts(8, 4), (std::vector<int>{1, 2, 2, 3}));
  EXPECT_EQ(dream_counts(16, 4), (std::vector<int>{3, 4, 4, 5}));
  for (const int n : {4, 16, 32, 64, 128, 256, 512, 640, 768}) {
    std::vector<int> expected(n, 1);
    expected.front() = 0;
    expected.back() = 2;
    EXPECT_EQ(dream_counts(n, n), expected) << n;
  }
}

TEST(Schedule, DreamHasMoreEmptyStepsAtGreatLengths) {
  for (const auto& [cells, empty] : {std::pair{1024, 2}, {1280, 2}, {2048, 3}}) {
    const std::vector<int> counts = dream_counts(cells, cells);
    EXPECT_EQ(std::count(counts.begin(), counts.end(), 0), empty) << cells;
    EXPECT_EQ(counts.back(), empty + 1) << cells;
  }
  std::vector<int> half = dream_counts(768, 384);
  EXPECT_EQ(half.front(), 1);
  EXPECT_EQ(half.back(), 3);
  EXPECT_EQ(std::count(half.begin(), half.end(), 2), 382);
  const std::vector<int> quarter = dream_counts(768, 192);
  EXPECT_EQ(quarter.front(), 3);
  EXPECT_EQ(quarter.back(), 5);
}

TEST(Schedule, PaddingPenaltyFadesWithTime) {
  for (const int steps : {8, 64, 768}) {
    EXPECT_NEAR(padding_bias(3, DreamTimes(steps).time(0)), -20.7233, 1e-3);
  }
  EXPECT_NEAR(padding_bias(3, DreamTimes(768).time(767)), -0.0039, 1e-4);
  double before = -100;
  for (int i = 0; i < 768; ++i) {
    const double now = padding_bias(3, DreamTimes(768).time(i));
    EXPECT_GT(now, before);
    before = now;
  }
}

TEST(Schedule, TheTimeOfAStateIsTheTimeOfItsStep) {
  for (int i = 0; i < 64; ++i) {
    EXPECT_NEAR(state_time(64 - i, 64), DreamTimes(64).time(i), 1e-6);
  }
}

TEST(Schedule, UnknownNamesAreRefused) {
  EXPECT_EQ(parse_schedule("llada"), Schedule::kLlada);
  EXPECT_ERROR(parse_schedule("cosine"), "there is no schedule 'cosine'");
}

}  // namespace
}  // namespace umf
