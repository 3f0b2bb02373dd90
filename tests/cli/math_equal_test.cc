// umf math-equal as its users see it.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "base/json.h"
#include "support/cli_fixture.h"

namespace umf {
namespace {

TEST(MathEqual, AddsAVerdictToEveryLineInOrder) {
  const Finished run =
      umf({"math-equal"}, R"({"id": 7, "gold": "$\\frac12$", "pred": "It is $0.5$.", "extra": [1]})"
                          "\n\n"
                          R"({"pred": "$3$", "gold": "$2$"})"
                          "\n");
  ASSERT_EQ(run.status, 0) << run.err;
  EXPECT_EQ(run.out,
            R"({"id":7,"gold":"$\\frac12$","pred":"It is $0.5$.","extra":[1],"equal":true})"
            "\n"
            R"({"pred":"$3$","gold":"$2$","equal":false})"
            "\n");
  EXPECT_EQ(run.err, "");
}

TEST(MathEqual, EachLineMayHaveItsOwnConfig) {
  const Finished run =
      umf({"math-equal"}, R"({"gold": "$1/3$", "pred": "$0.33$", "config": {"float_rounding": 2}})"
                          "\n"
                          R"({"gold": "$1/3$", "pred": "$0.33$"})"
                          "\n");
  EXPECT_THAT(run.out, testing::HasSubstr(R"({"float_rounding":2},"equal":true})"));
  EXPECT_THAT(run.out, testing::EndsWith("\"pred\":\"$0.33$\",\"equal\":false}\n"));
}

TEST(MathEqual, OtherCheckersAreChosenByName) {
  const std::string line = R"({"gold": "28", "pred": "28.0"})";
  EXPECT_THAT(umf({"math-equal", "--checker", "hendrycks"}, line).out,
              testing::HasSubstr("\"equal\":false"));
  EXPECT_THAT(umf({"math-equal", "--checker", "opencompass"}, line).out,
              testing::HasSubstr("\"equal\":true"));
}

TEST(MathEqual, ExplainsWhatItRead) {
  const Finished run =
      umf({"math-equal", "--explain"}, R"({"gold": "$(x+1)^2$", "pred": "$x^2+2x+1$"})");
  const Json line = Json::parse(run.out);
  EXPECT_EQ(line["explain"]["gold"], "(x + 1)**2");
  EXPECT_EQ(line["explain"]["pred"], "x**2 + 2*x + 1");
  EXPECT_EQ(line["explain"]["decided_by"], "identity");
}

TEST(MathEqual, ABadLineIsNamedAndTheResultsBeforeItStay) {
  const std::string good = R"({"gold": "1", "pred": "1"})"
                           "\n";
  const auto expect_refusal = [](Finished run, const std::string& what) {
    EXPECT_EQ(run.out.find(R"({"gold":"1","pred":"1","equal":true})"
                           "\n"),
              0)
        << run.out;
    run.out.clear();
    umf::expect_refusal(run, what);
  };
  expect_refusal(umf({"math-equal"}, good + "{\"gold\": \"1\"}\n"), "stdin line 2");
  expect_refusal(umf({"math-equal"}, good + "\n{broken\n"), "stdin line 3");
  expect_refusal(umf({"math-equal"}, good + "[]\n"), "'gold' and 'pred'");
  expect_refusal(umf({"math-equal"}, good + R"({"gold":"1","pred":"1","config":{"x":1}})"),
                 "stdin line 2: unknown config key 'x'");
  umf::expect_refusal(umf({"math-equal", "--checker", "guess"}, good), "no checker 'guess'");
}

}  // namespace
}  // namespace umf
