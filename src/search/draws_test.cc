#include "search/draws.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

namespace umf {
namespace {

struct Moments {
  double mean = 0, variance = 0;
};

Moments moments_of(const std::function<double()>& draw, int count = 200000) {
  double sum = 0, squares = 0;
  for (int i = 0; i < count; ++i) {
    const double x = draw();
    sum += x;
    squares += x * x;
  }
  const double mean = sum / count;
  return {mean, squares / count - mean * mean};
}

TEST(Draws, EqualKeysGiveEqualStreams) {
  Draws a(7, 3), b(7, 3), c(7, 4), d(8, 3);
  const double first = a.uniform();
  EXPECT_EQ(first, b.uniform());
  EXPECT_NE(first, c.uniform());
  EXPECT_NE(first, d.uniform());
  EXPECT_NE(first, a.uniform());
}

TEST(Draws, UniformStaysStrictlyInsideTheUnitInterval) {
  Draws draws(1, 1);
  const Moments m = moments_of([&] {
    const double u = draws.uniform();
    EXPECT_GT(u, 0);
    EXPECT_LT(u, 1);
    return u;
  });
  EXPECT_NEAR(m.mean, 0.5, 0.003);
  EXPECT_NEAR(m.variance, 1.0 / 12, 0.002);
}

TEST(Draws, BelowReachesEveryValue) {
  Draws draws(1, 2);
  int seen[3] = {};
  for (int i = 0; i < 3000; ++i) ++seen[draws.below(3)];
  for (const int count : seen) EXPECT_NEAR(count, 1000, 120);
}

TEST(Draws, NormalHasMeanZeroAndVarianceOne) {
  Draws draws(1, 3);
  const Moments m = moments_of([&] { return draws.normal(); });
  EXPECT_NEAR(m.mean, 0, 0.01);
  EXPECT_NEAR(m.variance, 1, 0.02);
}

TEST(Draws, GammaHasItsShapeAsMeanAndVariance) {
  for (const double shape : {0.5, 1.0, 2.5, 40.0}) {
    Draws draws(1, 4);
    const Moments m = moments_of([&] { return draws.gamma(shape); });
    EXPECT_NEAR(m.mean, shape, 0.02 * shape);
    EXPECT_NEAR(m.variance, shape, 0.05 * shape);
  }
}

TEST(Draws, BetaHasItsMoments) {
  Draws draws(1, 5);
  const Moments m = moments_of([&] { return draws.beta(0.5, 1.5); });
  EXPECT_NEAR(m.mean, 0.25, 0.005);
  EXPECT_NEAR(m.variance, 0.0625, 0.003);  // ab / ((a + b)^2 (a + b + 1))
}

}  // namespace
}  // namespace umf
