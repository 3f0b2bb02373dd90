#include "bench/waiting.h"

#include <gtest/gtest.h>

namespace umf {
namespace {

TEST(Waiting, GrowsWithTheTimeItLastsUntilThereIsWork) {
  double now = 0;
  Waiting waiting(0.2, [&] { return now; });
  const auto expect_about = [&](double seconds, double due) {
    const double pause = waiting.next_pause(due);
    EXPECT_GE(pause, 0.7 * seconds);
    EXPECT_LE(pause, 1.3 * seconds);
  };
  expect_about(0.2, 0);
  expect_about(3, 3);
  now = 50;
  expect_about(5, 0);
  now = 1e6;
  expect_about(10, 0);
  expect_about(40, 40);
  waiting.over();
  expect_about(0.2, 0);
}

TEST(Waiting, NoTwoWaitEquallyLong) {
  Waiting one(1), other(1);
  EXPECT_NE(one.next_pause(0), other.next_pause(0));
}

}  // namespace
}  // namespace umf
