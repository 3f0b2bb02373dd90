#include "search/checkpoints.h"

#include <gtest/gtest.h>

#include "support/expect_error.h"

namespace umf {
namespace {

using Targets = std::vector<int>;

TEST(Checkpoints, ThePublishedScheduleOfWindow768) {
  EXPECT_EQ(checkpoint_targets(768, kPaperRatios, 0), (Targets{691, 614, 537, 460, 384, 307, 153}));
}

TEST(Checkpoints, BlocksOfFourMoveThemToTheEndsOfBlocks) {
  EXPECT_EQ(checkpoint_targets(768, kPaperRatios, 4), (Targets{688, 612, 536, 460, 384, 304, 152}));
}

// docs/algorithm.md#blocks: step until masks <= target and the open block is complete.
TEST(Checkpoints, BlockTargetsFollowFromSteppingToTheEndOfTheBlock) {
  for (const int block : {2, 3, 4, 6, 8, 16, 48, 96}) {
    Targets stepped;
    for (const int target : checkpoint_targets(768, kPaperRatios, 0)) {
      int masks = 768;
      while (masks > target || masks % block != 0) --masks;
      if (masks > 0 && (stepped.empty() || masks < stepped.back())) stepped.push_back(masks);
    }
    EXPECT_EQ(checkpoint_targets(768, kPaperRatios, block), stepped) << "blocks of " << block;
  }
}

TEST(Checkpoints, SmallWindowsHaveFewer) {
  EXPECT_EQ(checkpoint_targets(8, kPaperRatios, 0), (Targets{7, 6, 5, 4, 3, 1}));
  EXPECT_EQ(checkpoint_targets(2, kPaperRatios, 0), (Targets{1}));
  EXPECT_EQ(checkpoint_targets(1, kPaperRatios, 0), Targets{});
  EXPECT_EQ(checkpoint_targets(8, kPaperRatios, 4), (Targets{4}));
}

TEST(Checkpoints, ABlockAsLongAsTheWindowMeansNoBlocks) {
  EXPECT_EQ(checkpoint_targets(768, kPaperRatios, 768), checkpoint_targets(768, kPaperRatios, 0));
}

TEST(Checkpoints, AreExactWhereBinaryFractionsAreNot) {
  const int ratios[] = {700, 290, 70};  // 0.7 * 10, 0.29 * 100 and 0.07 * 100 fall short in doubles
  EXPECT_EQ(checkpoint_targets(10, ratios, 0), (Targets{7, 2}));
  EXPECT_EQ(checkpoint_targets(100, ratios, 0), (Targets{70, 29, 7}));
}

TEST(Checkpoints, ValuesThatDoNotFallAreDropped) {
  const int ratios[] = {1000, 500, 500, 700, 0, 250};
  EXPECT_EQ(checkpoint_targets(100, ratios, 0), (Targets{50, 25}));
}

TEST(Checkpoints, TheNextTargetLiesBelow) {
  const Targets targets = {7, 4, 1};
  EXPECT_EQ(next_target(targets, 8), 7);
  EXPECT_EQ(next_target(targets, 7), 4);
  EXPECT_EQ(next_target(targets, 3), 1);
  EXPECT_EQ(next_target(targets, 1), 0);
}

TEST(Checkpoints, RatiosAreReadAsThousandths) {
  EXPECT_EQ(parse_ratios("0.9,0.8,0.7,0.6,0.5,0.4,0.2"),
            Targets(std::begin(kPaperRatios), std::end(kPaperRatios)));
  EXPECT_EQ(parse_ratios("0.875,.5,0.05"), (Targets{875, 500, 50}));
}

TEST(Checkpoints, MistakesInRatiosAreNamed) {
  EXPECT_ERROR(parse_ratios(""), "there are no digits");
  EXPECT_ERROR(parse_ratios("0.9,"), "there are no digits");
  EXPECT_ERROR(parse_ratios("0.9,half"), "'half'");
  EXPECT_ERROR(parse_ratios("-0.5"), "not a decimal number");
  EXPECT_ERROR(parse_ratios("0.1.2"), "not a decimal number");
  EXPECT_ERROR(parse_ratios("0.1234"), "more than three decimals");
  EXPECT_ERROR(parse_ratios("1"), "below 1");
  EXPECT_ERROR(parse_ratios("12.5"), "below 1");
  EXPECT_ERROR(parse_ratios("0"), "above 0");
  EXPECT_ERROR(parse_ratios("0.5,0.5"), "below the one before");
}

}  // namespace
}  // namespace umf
