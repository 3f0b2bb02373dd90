#include "model/advice.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/expect_error.h"
#include "support/temporary_directory.h"

namespace umf {
namespace {

using testing::ElementsAre;
using testing::Pair;

Advice parsed(const std::string& text) { return parse_advice(text, "m/umf.json"); }

TEST(Advice, IsNothingWithoutAFile) {
  const TemporaryDirectory directory;
  const Advice advice = read_advice(directory.path());
  EXPECT_EQ(advice.window, 0);
  EXPECT_TRUE(advice.action.empty());
}

TEST(Advice, GivesWindowAndActionAsText) {
  const TemporaryDirectory directory;
  write_file(
      directory / "umf.json",
      R"({"window": 96, "action": {"eos-last": true, "strategy": "entropy", "top-p": 0.9}})");
  const Advice advice = read_advice(directory.path());
  EXPECT_EQ(advice.window, 96);
  EXPECT_EQ(advice.where, (directory / "umf.json").string());
  EXPECT_THAT(advice.action, ElementsAre(Pair("eos-last", "true"), Pair("strategy", "entropy"),
                                         Pair("top-p", "0.9")));
}

TEST(Advice, RefusesWhatItDoesNotUnderstand) {
  EXPECT_ERROR(parsed("[]"), "m/umf.json: expected an object");
  EXPECT_ERROR(parsed("{"), "m/umf.json");
  EXPECT_ERROR(parsed(R"({"windows": 3})"), "'windows' is not understood");
  for (const char* window : {"0", "-1", "1.5", "1e300", "\"96\"", "16777217", "null"})
    EXPECT_ERROR(parsed(std::string(R"({"window": )") + window + "}"), "'window' must be");
  EXPECT_ERROR(parsed(R"({"action": "entropy"})"), "'action' must be an object");
  EXPECT_ERROR(parsed(R"({"action": {"seed": [1]}})"), "action 'seed' must be");
}

}  // namespace
}  // namespace umf
