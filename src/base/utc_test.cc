#include "base/utc.h"

#include <gtest/gtest.h>

#include <cmath>

namespace umf {
namespace {

TEST(InUtc, SpellsMomentsTheSameOnEveryMachine) {
  EXPECT_EQ(in_utc(0), "1970-01-01T00:00:00Z");
  EXPECT_EQ(in_utc(1763331301.9), "2025-11-16T22:15:01Z");
  EXPECT_EQ(in_utc(253402300799.0), "9999-12-31T23:59:59Z");
}

TEST(InUtc, IsEmptyForWhatIsNoMoment) {
  for (const double wrong : {-1.0, 253402300800.0, 1e300, std::nan(""), HUGE_VAL, -HUGE_VAL}) {
    EXPECT_EQ(in_utc(wrong), "") << wrong;
    EXPECT_EQ(span_in_utc(wrong, 0), "") << wrong;
    EXPECT_EQ(span_in_utc(0, wrong), "") << wrong;
  }
}

TEST(SpanInUtc, TellsTheDayOnce) {
  EXPECT_EQ(span_in_utc(0, 59), "1970-01-01 00:00 UTC");
  EXPECT_EQ(span_in_utc(0, 60), "1970-01-01 00:00 to 00:01 UTC");
  EXPECT_EQ(span_in_utc(0, 86400), "1970-01-01 00:00 to 1970-01-02 00:00 UTC");
}

}  // namespace
}  // namespace umf
