#include "backend/rotation.h"

#include <gtest/gtest.h>

#include <cmath>

namespace umf {
namespace {

constexpr RotationShape kPlain{128, 1e6};

RotationShape stretched(RotationStretch stretch) {
  RotationShape shape = kPlain;
  shape.stretch = stretch;
  return shape;
}

double power(double j) { return std::pow(1e6, -2 * j / 128); }

TEST(Rotation, FrequenciesFallFromOneByEqualRatios) {
  const auto frequencies = rotation_frequencies(kPlain);
  ASSERT_EQ(frequencies.size(), 64);
  for (int j = 0; j < 64; ++j) EXPECT_EQ(frequencies[j], static_cast<float>(power(j)));
  EXPECT_EQ(rotation_frequencies({128, 1e6, 32}).size(), 16) << "of a part of the head";
}

// The ramp of this head, base and length goes from pair 20 to pair 37.
TEST(Rotation, StretchingLeavesFastNumbersAndDividesSlowOnes) {
  const auto frequencies = rotation_frequencies(stretched({16, 16384}));
  for (int j = 0; j <= 20; ++j) EXPECT_EQ(frequencies[j], static_cast<float>(power(j))) << j;
  for (int j = 37; j < 64; ++j)
    EXPECT_EQ(frequencies[j], static_cast<float>(power(j) * (1.0 / 16))) << j;
  for (int j = 21; j < 37; ++j) {
    const double ramp = (j - 20) / 17.0;
    EXPECT_FLOAT_EQ(frequencies[j], static_cast<float>(power(j) * (1 - ramp + ramp / 16))) << j;
  }
}

TEST(Rotation, TheRampMayBeginAndEndInsideOfAPair) {
  RotationStretch stretch{16, 16384};
  stretch.whole_pairs = false;
  const auto frequencies = rotation_frequencies(stretched(stretch));
  // c(32) = 20.39..., c(1) = 36.46...
  EXPECT_EQ(frequencies[20], static_cast<float>(power(20)));
  const double begin = 128 * std::log(16384 / (64 * M_PI)) / (2 * std::log(1e6));
  const double end = 128 * std::log(16384 / (2 * M_PI)) / (2 * std::log(1e6));
  const double ramp = (21 - begin) / (end - begin);
  EXPECT_FLOAT_EQ(frequencies[21], static_cast<float>(power(21) * (1 - ramp + ramp / 16)));
  EXPECT_EQ(frequencies[37], static_cast<float>(power(37) * (1.0 / 16)));
}

// Lengths so short that the ramp falls onto the first pair, or off the head.
TEST(Rotation, StretchedFrequenciesAreFiniteForEveryLength) {
  for (const int length : {1, 2, 7, 64, 1 << 24}) {
    for (const double factor : {0.25, 1.0, 1e4}) {
      for (const float frequency : rotation_frequencies(stretched({factor, length}))) {
        EXPECT_TRUE(std::isfinite(frequency) && frequency > 0) << length << " " << factor;
      }
    }
  }
}

TEST(Rotation, NumbersGrowFromOneLengthToTheNext) {
  RotationShape shape = kPlain;
  EXPECT_EQ(rotation_size(shape, 1 << 20), 1);
  shape.growth = {0.1, 64};
  for (const int position : {0, 1, 63}) EXPECT_EQ(rotation_size(shape, position), 1);
  for (const int position : {64, 100, 127})
    EXPECT_DOUBLE_EQ(rotation_size(shape, position), 1 + 0.1 * std::log(2.0));
  EXPECT_DOUBLE_EQ(rotation_size(shape, 128), 1 + 0.1 * std::log(3.0));
}

}  // namespace
}  // namespace umf
