#include "reward/drop_tests.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "support/expect_error.h"

namespace umf {
namespace {

Json many(int count) {
  Json tests = Json::array();
  for (int i = 0; i < count; ++i) tests.push_back("assert f(" + std::to_string(i) + ")");
  return {{"type", "mbpp"}, {"tests", tests}};
}

std::size_t left(const Json& spec, double rate, std::uint64_t seed = 1,
                 const std::string& id = "p") {
  return drop_tests(spec, id, rate, seed)["tests"].size();
}

TEST(DropTests, DropsAboutItsRate) {
  const Json spec = many(2000);
  EXPECT_EQ(left(spec, 0), 2000u);
  EXPECT_NEAR(static_cast<double>(left(spec, 0.1)), 1800, 60);
  EXPECT_NEAR(static_cast<double>(left(spec, 0.8)), 400, 60);
}

TEST(DropTests, OneTestIsAlwaysKept) {
  EXPECT_EQ(left(many(3), 1), 1u);
  EXPECT_EQ(left(many(1), 1), 1u);
  EXPECT_EQ(left(many(0), 1), 0u);
}

TEST(DropTests, DependsOnSeedAndProblemAlone) {
  const Json spec = many(40);
  EXPECT_EQ(drop_tests(spec, "p", 0.5, 1), drop_tests(spec, "p", 0.5, 1));
  EXPECT_NE(drop_tests(spec, "p", 0.5, 1), drop_tests(spec, "p", 0.5, 2));
  EXPECT_NE(drop_tests(spec, "p", 0.5, 1), drop_tests(spec, "q", 0.5, 1));
}

TEST(DropTests, AHigherRateKeepsNothingThatALowerOneDropped) {
  const Json few = drop_tests(many(40), "p", 0.7, 3)["tests"],
             more = drop_tests(many(40), "p", 0.3, 3)["tests"];
  EXPECT_LT(few.size(), more.size());
  for (const Json& test : few) EXPECT_NE(std::find(more.begin(), more.end(), test), more.end());
}

TEST(DropTests, ListsThatAreTextKeepTheirText) {
  const Json evalplus = {{"type", "evalplus"}, {"base", "[[Infinity], [1e400], [3]]"}};
  EXPECT_EQ(drop_tests(evalplus, "p", 0, 1)["base"], "[[Infinity], [1e400], [3]]");
  const std::string one = drop_tests(evalplus, "p", 1, 1)["base"];
  EXPECT_TRUE(one == "[[Infinity]]" || one == "[[1e400]]" || one == "[[3]]") << one;
  const Json lcb = {{"type", "livecodebench"}, {"public", R"([{"input":"a"},{"input":"b"}])"}};
  EXPECT_EQ(drop_tests(lcb, "p", 1, 1)["public"].get<std::string>().size(), 15u);
}

TEST(DropTests, OtherRewardsStayAsTheyAre) {
  const Json spec = {{"type", "math-answer"}, {"answer", "2"}};
  EXPECT_EQ(drop_tests(spec, "p", 0.9, 1), spec);
  EXPECT_TRUE(drop_tests(nullptr, "p", 0.9, 1).is_null());
  EXPECT_ERROR(drop_tests(spec, "p", 1.5, 1), "from 0 to 1");
  // Whoever makes the reward tells these mistakes.
  for (const char* text :
       {R"({"type": 5})", R"({"type": "guess"})", R"({"type": "evalplus"})",
        R"({"type": "evalplus", "base": 5})", R"({"type": "python-tests", "tests": "f"})"}) {
    EXPECT_EQ(drop_tests(Json::parse(text), "p", 0.9, 1), Json::parse(text));
  }
}

}  // namespace
}  // namespace umf
