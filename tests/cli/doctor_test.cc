// umf doctor, as users run it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "base/json.h"
#include "support/cli_fixture.h"

namespace umf {
namespace {

using testing::HasSubstr;

TEST(DoctorCli, TellsWhatIsUsedAndTriesIt) {
  const Finished result = umf({"doctor", "--json"});
  const Json found = Json::parse(result.out);
  ASSERT_EQ(found["isolations"].size(), 2);
  EXPECT_EQ(found["isolations"][0]["name"], "namespaces");
  if (!found["problem"].get<std::string>().empty()) GTEST_SKIP() << found["problem"];
  EXPECT_EQ(result.status, 0);
  EXPECT_EQ(found["sound"], true);
  EXPECT_EQ(found["python"]["modules"][1]["name"], "numpy");
  for (const Json& check : found["self_test"]) EXPECT_EQ(check["passed"], true) << check;
  EXPECT_GE(found["self_test"].size(), 5);
  EXPECT_THAT(found["limits"]["time"].get<std::string>(), HasSubstr("outside"));
  for (const char* protection : {"users", "sessions", "cgroup v1", "cgroup v2", "landlock"})
    EXPECT_FALSE(found["protections"][protection].get<std::string>().empty()) << protection;
}

TEST(DoctorCli, TellsWhoKnowsOfDevices) {
  EXPECT_THAT(umf({"doctor"}).out, HasSubstr("umf backends\n"));
}

}  // namespace
}  // namespace umf
