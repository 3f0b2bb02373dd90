// Hostile programs that are asked by a tester.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "base/json.h"
#include "sandbox/hostile_candidates_testing.h"
#include "sandbox/hostile_testing.h"

namespace umf {
namespace {

using testing::HasSubstr;
using testing::Not;

Json program_json(const std::string& source, double seconds) {
  return {
      {"source", source}, {"seconds", seconds}, {"calls", {{{"call", "f"}, {"seconds", seconds}}}}};
}

// Each hostile program shares its job with an honest one that comes after it.
TEST(HostileCandidates, AreContained) {
  auto sandbox = make_sandbox();
  const std::string honest = "def f(): return 6 * 7";
  for (const HostileCandidate& program : kCandidates) {
    SCOPED_TRACE(program.name);
    const double seconds = std::string_view(program.outcome) == "timeout" ? 0.2 : 10;
    const Json payload = {
        {"programs",
         {program_json(std::string(kPrelude) + program.source, seconds), program_json(honest, 10)}},
        {"secret", kSecret}};
    const PythonResult result =
        sandbox->run(PythonJob{"self_test", payload.dump(), hostile_limits(false)});
    EXPECT_STREQ(name_of(result.ending), name_of(program.ending)) << result.reason;
    if (result.ending != Ending::kExited) continue;
    std::istringstream lines(result.reports);
    std::string first, second, third;
    ASSERT_TRUE(std::getline(lines, first) && std::getline(lines, second)) << result.reports;
    EXPECT_FALSE(std::getline(lines, third)) << third;
    const Json report = parse_json(first, "the first report");
    const Json& told = report["outcome"] == "loaded" ? report["answers"][0] : report;
    EXPECT_EQ(told["outcome"], program.outcome) << first;
    EXPECT_THAT(told.value("value", told.value("message", "")), HasSubstr(program.answer));
    EXPECT_EQ(parse_json(second, "the second report")["answers"][0]["value"], "42") << second;
  }
  EXPECT_TRUE(only_the_zygote_is_left());
  sandbox.reset();
  EXPECT_TRUE(nothing_is_left());
  expect_nothing_changed_outside();
}

}  // namespace
}  // namespace umf
