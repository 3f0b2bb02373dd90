#include "bench/comparison.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <deque>
#include <nlohmann/json.hpp>

namespace umf {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

// Columns of verdicts: '+' passed, '-' not, '?' not judged, ' ' no result.
class Comparisons : public testing::Test {
 protected:
  void add(const std::string& name, long budget, const std::string& verdicts, int window = 16) {
    Column column{name, budget, /*pooled=*/false, window, {}};
    for (const char verdict : verdicts) {
      if (verdict != ' ') results_.push_back({});
      if (verdict == '+' || verdict == '-') results_.back().passed = verdict == '+';
      column.results.push_back(verdict == ' ' ? nullptr : &results_.back());
    }
    columns_.push_back(std::move(column));
  }
  // How two do on `both + only_first + only_second + neither` problems.
  void add_pair(const std::string& one, const std::string& other, long budget,
                const Paired& pairs) {
    const auto times = [](int count, char c) { return std::string(count, c); };
    add(one, budget,
        times(pairs.both + pairs.only_first, '+') + times(pairs.only_second + pairs.neither, '-'));
    add(other, budget,
        times(pairs.both, '+') + times(pairs.only_first, '-') + times(pairs.only_second, '+') +
            times(pairs.neither, '-'));
  }

  std::deque<Result> results_;
  std::vector<Column> columns_;
};

TEST_F(Comparisons, AreOfEveryPairAtEveryCommonBudget) {
  add("a", 16, "+-");
  add("a", 32, "+-");
  add("b", 16, "++");
  add("b", 32, "++");
  add("c", 32, "-+");
  std::vector<std::string> pairs;
  for (const PairComparison& one : compare(columns_))
    pairs.push_back(one.first + one.second + std::to_string(one.budget));
  EXPECT_EQ(pairs, (std::vector<std::string>{"ab16", "ab32", "ac32", "bc32"}));
}

TEST_F(Comparisons, CountWhatBothWereJudgedOn) {
  add("a", 16, "++--+? ");
  add("b", 16, "+-+-?++");
  const PairComparison one = compare(columns_).at(0);
  EXPECT_EQ(one.pairs.both, 1);
  EXPECT_EQ(one.pairs.only_first, 1);
  EXPECT_EQ(one.pairs.only_second, 1);
  EXPECT_EQ(one.pairs.neither, 1);
}

// McNemar by counting: 2 (1 + 13) / 2^13 for 12 : 1 = 0.00341796875, 2 * 232 / 2^11 for 7 : 4 =
// 0.548828125 (1 + 11 + 55 + 165 = 232 splits). Holm doubles the first and leaves the second.
TEST_F(Comparisons, AreCorrectedTogetherAndWithoutThoseThatAskNothing) {
  add_pair("a", "b", 16, {20, 12, 1, 17});
  add_pair("a", "b", 32, {100, 7, 4, 189});
  add("a", 64, "  ");
  add("b", 64, "++");
  const std::vector<PairComparison> list = compare(columns_);
  ASSERT_EQ(list.size(), 3);
  EXPECT_NEAR(list[0].p, 0.00341796875, 1e-12);
  EXPECT_NEAR(list[0].corrected_p, 0.0068359375, 1e-12);
  EXPECT_TRUE(list[0].decided());
  EXPECT_FALSE(list[0].needed);
  EXPECT_NEAR(list[1].p, 0.548828125, 1e-12);
  EXPECT_NEAR(list[1].corrected_p, 0.548828125, 1e-12);
  EXPECT_FALSE(list[1].decided());
  EXPECT_EQ(list[1].needed, needed_problems(list[1].pairs, 0.025)) << "two are asked";
  EXPECT_EQ(list[2].corrected_p, 1);
}

TEST_F(Comparisons, AreSaidInASentence) {
  add_pair("pair", "umf", 64, {20, 1, 12, 17});
  EXPECT_EQ(sentence_of(compare(columns_)[0]),
            "umf solves more than pair at 4 windows: +22.0 points, 8.3 to 34.1, p = 0.0034; "
            "50 problems.")
      << "the better one first, whatever the order";
  columns_.clear();
  add_pair("umf", "pair", 100, {100, 7, 4, 189});
  EXPECT_EQ(sentence_of(compare(columns_)[0]),
            "Whether umf solves more than pair at 100 passes is open: +1.0 points, -1.3 to 3.3, "
            "p = 0.55; 300 problems. For a difference like this about 2900 would be needed.");
  columns_.clear();
  add_pair("umf", "pair", 16, {10, 0, 0, 10});
  EXPECT_THAT(sentence_of(compare(columns_)[0]),
              StartsWith("umf and pair solve equally many at 1 window: +0.0 points, "));
  columns_.clear();
  add("umf", 16, " +");
  add("pair", 16, "+ ");
  EXPECT_EQ(sentence_of(compare(columns_)[0]),
            "umf and pair were judged on no common problem at 1 window.");
}

TEST_F(Comparisons, OfDifferentWindowsAreInPasses) {
  add("umf", 32, "+", 16);
  add("pair", 32, "-", 32);
  EXPECT_THAT(sentence_of(compare(columns_)[0]), HasSubstr("at 32 passes"));
}

TEST_F(Comparisons, HaveTheirNumbersForPrograms) {
  add_pair("umf", "pair", 64, {20, 12, 1, 17});
  const auto json = comparison_json(compare(columns_)[0]);
  EXPECT_EQ(json["decided"], true);
  EXPECT_EQ(json["needed"], nullptr);
  EXPECT_EQ(json["only_first"], 12);
  EXPECT_THAT(json["sentence"].get<std::string>(), StartsWith("umf solves more than pair"));
}

// Of 3 problems each with 2 seeds, by problem.
TEST_F(Comparisons, OfSeveralSeedsAreByProblem) {
  add("a", 16, "+++-+-");
  add("b", 16, "+---+?");
  for (Column& column : columns_) column.seeds = {1, 2};
  const PairComparison one = compare(columns_).at(0);
  EXPECT_EQ(one.pairs.problems(), 2) << "the third was not judged with each seed";
  EXPECT_EQ(one.pairs.only_first, 2);
  EXPECT_NEAR(one.difference(), 0.5, 1e-15);
  EXPECT_NEAR(one.p, 0.5, 1e-15) << "two signs of four agree";
  const auto json = comparison_json(one);
  EXPECT_EQ(json["test"], "sign-flip");
  EXPECT_EQ(json["p"], 0.5);
  EXPECT_TRUE(json["mcnemar_p"].is_null());
  EXPECT_EQ(json["seeds"], nlohmann::ordered_json({2, 2}));
  EXPECT_THAT(json["sentence"].get<std::string>(), HasSubstr("; 2 problems, 2 seeds"));
}

TEST_F(Comparisons, NumbersOfSeedsMayDiffer) {
  add("a", 16, "+++-");
  add("b", 16, "--");
  columns_[0].seeds = {1, 2};
  const PairComparison one = compare(columns_).at(0);
  EXPECT_NEAR(one.difference(), 0.75, 1e-15);
  EXPECT_THAT(sentence_of(one), HasSubstr("2 problems, 2 and 1 seeds"));
}

}  // namespace
}  // namespace umf
