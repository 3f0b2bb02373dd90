#include "setup/pace.h"

#include <gtest/gtest.h>

namespace umf {
namespace {

TEST(Pace, IsNotKnownBeforeSomethingWasDone) {
  Pace pace;
  EXPECT_FALSE(pace.seconds_left(100));
  pace.note(40, 7);
  EXPECT_FALSE(pace.seconds_left(100)) << "what earlier runs did says nothing";
  pace.note(50, 12);
  EXPECT_NEAR(pace.per_second(), 2, 1e-9);
  EXPECT_NEAR(*pace.seconds_left(100), 25, 1e-9);
  EXPECT_EQ(*pace.seconds_left(20), 0);
}

TEST(Pace, IsSteadyUnderUnevenSteps) {
  Pace pace;
  double seconds = 0, least = 1e9, most = 0;
  for (int done = 0; done <= 3000; ++done) {
    seconds += done % 10 == 0 ? 0.55 : 0.05;  // 10 per second
    pace.note(done, seconds);
    if (done < 500) continue;
    least = std::min(least, pace.per_second());
    most = std::max(most, pace.per_second());
  }
  EXPECT_GT(least, 9.7);
  EXPECT_LT(most, 10.3);
}

TEST(Pace, FollowsAChangeThatStays) {
  Pace pace;
  double seconds = 0;
  for (int done = 0; done < 100; ++done) pace.note(done, seconds += 1);
  for (int done = 100; done < 1100; ++done) pace.note(done, seconds += 0.1);
  EXPECT_GT(pace.per_second(), 8);
  EXPECT_LT(pace.per_second(), 10);
}

}  // namespace
}  // namespace umf
