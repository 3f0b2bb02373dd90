#include "decode/window_fit.h"

#include <gtest/gtest.h>

#include "decode/walk_testing.h"

namespace umf {
namespace {

constexpr Token kText = 40;
const Lexicon& lexicon = sdc_lexicon();  // its padding is not its end of text
const Token kMask = lexicon.tokens.mask, kEnd = lexicon.tokens.end_of_text,
            kPad = *lexicon.tokens.padding;

using Cells = std::vector<Token>;

TEST(WindowFit, AShortWindowIsPaddedAtTheRight) {
  Cells cells = {kText, kMask};
  EXPECT_TRUE(fit_window(cells, lexicon, 4, 1));
  EXPECT_EQ(cells, (Cells{kText, kMask, kPad, kPad}));
}

TEST(WindowFit, PaddingGoesBeforeMasksAndTheRightmostFirst) {
  Cells cells = {kText, kEnd, kMask, kPad, kMask, kEnd, kMask};
  EXPECT_TRUE(fit_window(cells, lexicon, 6, 1));
  EXPECT_EQ(cells, (Cells{kText, kEnd, kMask, kPad, kMask, kMask}));
  EXPECT_TRUE(fit_window(cells, lexicon, 5, 1));
  EXPECT_EQ(cells, (Cells{kText, kEnd, kMask, kMask, kMask}));
  EXPECT_TRUE(fit_window(cells, lexicon, 3, 1));
  EXPECT_EQ(cells, (Cells{kText, kEnd, kMask}));
}

TEST(WindowFit, MasksAreKeptDownToTheNextCheckpoint) {
  Cells cells = {kText, kMask, kMask, kMask};
  EXPECT_FALSE(fit_window(cells, lexicon, 2, 2));
  cells = {kText, kMask, kMask, kMask};
  EXPECT_TRUE(fit_window(cells, lexicon, 3, 2));
}

TEST(WindowFit, WhatEndsTheTextIsNeverDropped) {
  Cells cells = {kText, kPad, kText, kEnd, kPad, kEnd};
  EXPECT_EQ(drop_padding(cells, lexicon, 10), 2);
  EXPECT_EQ(cells, (Cells{kText, kPad, kText, kEnd}));
}

}  // namespace
}  // namespace umf
