#include "setup/judges.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace umf {
namespace {

TEST(Judges, ARunWithoutIsolationIsWarnedOf) {
  const std::vector<Isolation> none = {{"namespaces", "", "forbidden here"},
                                       {"landlock", "", "not in this kernel"}};
  EXPECT_THAT(isolation_warning({.unsafe = true}, none), testing::HasSubstr("WITHOUT isolation"));
}

TEST(Judges, ARunWithAnyIsolationIsNotWarnedOf) {
  const std::vector<Isolation> second = {{"namespaces", "", "forbidden here"},
                                         {"landlock", "", ""}};
  EXPECT_EQ(isolation_warning({.unsafe = true}, second), "");
}

}  // namespace
}  // namespace umf
