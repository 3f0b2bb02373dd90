// umf compare and umf report --export as their users see them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "bench_fixture.h"

namespace umf {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

// Runs are written as umf bench leaves them: what is compared is the verdicts.
class CompareCli : public testing::Test {
 protected:
  std::string place(const std::string& name) const { return directory_ / name; }

  // Each configuration passes the first so many problems.
  void run(const std::string& name, const std::vector<std::pair<std::string, int>>& passed,
           int problems, const std::string& dataset = "set.jsonl") const {
    Json ids = Json::array(), configurations = Json::array();
    std::string lines;
    for (int i = 0; i < problems; ++i) ids.push_back("p" + std::to_string(i));
    for (const auto& [configuration, count] : passed) {
      configurations.push_back({{"name", configuration},
                                {"search", "unmaskfork"},
                                {"window", 16},
                                {"budgets", {64}},
                                {"actions", {""}}});
      for (int i = 0; i < problems; ++i) {
        lines +=
            Json{{"id", ids[i]},
                 {"configuration", configuration},
                 {"budget", 64},
                 {"status", "done"},
                 {"tries", 1},
                 {"passed", i < count},
                 {"reward", 0.5},
                 {"complete", true},
                 {"answer", ""},
                 {"program", nullptr},
                 {"why", ""},
                 {"search",
                  {{"nfe", 64},
                   {"rollouts", 4},
                   {"hits", 1},
                   {"hit_rate", 0.25},
                   {"saved_nfe", 0},
                   {"spared_nfe", 0},
                   {"partial_nfe", 0},
                   {"equivalents", 64.0},
                   {"switches", 0},
                   {"evaluations", 3},
                   {"stopped", "budget"}}},
                 {"best", {{"path", Json::array()}, {"iteration", 1}}},
                 {"passes", 64},
                 {"seconds", {{"load", 0.0}, {"unmask", 1.0}, {"reward", 0.1}, {"grade", 0.1}}},
                 {"peak_memory_bytes", 1000},
                 {"worker", "w"},
                 {"finished", 1.0}}
                .dump() +
            "\n";
      }
    }
    std::filesystem::create_directories(place(name + "/results"));
    write_file(place(name + "/results/w.jsonl"), lines);
    write_file(place(name + "/config.json"),
               Json{{"kind", "umf-run-1"},
                    {"version", "1"},
                    {"backend", "cpu"},
                    {"models", Json::array()},
                    {"dataset",
                     {{"path", "/data/" + dataset},
                      {"kind", "problems"},
                      {"fingerprint", dataset + std::to_string(problems)},
                      {"problems", ids}}},
                    {"configurations", configurations}}
                   .dump());
  }
  Json compare(std::vector<std::string> words) const {
    words.insert(words.begin(), "compare");
    words.push_back("--json");
    const Finished done = umf(words);
    EXPECT_EQ(done.status, 0) << done.err;
    return Json::parse(done.out);
  }

  TemporaryDirectory directory_;
};

void expect_narrow(const std::string& text) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 80) << line;
}

TEST_F(CompareCli, AnswersWhichIsBetterInASentence) {
  run("run", {{"umf-with-three-models", 40}, {"pair-of-two-searches-at-half-the-budget", 28}}, 60);
  const Finished done = umf({"compare", place("run")});
  ASSERT_EQ(done.status, 0) << done.err;
  EXPECT_THAT(done.out, StartsWith("run: 60 problems, 1 comparison\n\n"
                                   "- umf-with-three-models solves more than "));
  // 2 / 2^12 = 0.00049.
  EXPECT_THAT(done.out, HasSubstr("p = 0.00049"));
  EXPECT_THAT(done.out, HasSubstr("+20.0"));
  expect_narrow(done.out);
}

TEST_F(CompareCli, ComparesAcrossRunsOfOneDataSet) {
  run("first", {{"umf", 40}, {"bon", 39}}, 60);
  run("second", {{"umf", 20}}, 50);
  const Json json = compare({place("first"), place("second")});
  EXPECT_EQ(json["problems"], 60);
  ASSERT_EQ(json["comparisons"].size(), 3);
  EXPECT_EQ(json["comparisons"][1]["first"], "first/umf");
  EXPECT_EQ(json["comparisons"][1]["second"], "second/umf");
  EXPECT_EQ(json["comparisons"][1]["problems"], 50) << "those that both have";
  EXPECT_EQ(json["comparisons"][1]["only_first"], 20);
  EXPECT_EQ(json["comparisons"][0]["decided"], false);
  EXPECT_GT(json["comparisons"][0]["needed"], 60);
}

TEST_F(CompareCli, AsksFewerQuestionsWhenTold) {
  run("run", {{"a", 40}, {"b", 30}, {"c", 20}}, 60);
  EXPECT_EQ(compare({place("run")})["comparisons"].size(), 3);
  const Json one = compare({place("run"), "--only", "a", "--only", "c", "--budget", "64"});
  ASSERT_EQ(one["comparisons"].size(), 1);
  EXPECT_EQ(one["comparisons"][0]["corrected_p"], one["comparisons"][0]["mcnemar_p"]);
}

TEST_F(CompareCli, RefusesWhatCannotBeCompared) {
  run("one", {{"umf", 4}}, 5);
  run("other", {{"umf", 4}}, 5, "another.jsonl");
  expect_refusal(umf({"compare"}), "needs the directories");
  expect_refusal(umf({"compare", place("one")}), "nothing to compare");
  expect_refusal(umf({"compare", place("one"), place("other")}), "different data sets");
  expect_refusal(umf({"compare", place("one"), "--only", "umv"}), "configuration 'umv'");
  expect_refusal(umf({"compare", place("one"), "--budget", "65"}), "budget 65");
  expect_refusal(umf({"compare", place("one"), "--budget", "x"}), "not 'x'");
}

TEST_F(CompareCli, ReportsExportTablesAndFigures) {
  run("run", {{"umf_3", 40}, {"bon", 30}}, 60);
  const Finished done = umf({"report", place("run"), "--export", place("paper"), "--json"});
  ASSERT_EQ(done.status, 0) << done.err;
  EXPECT_EQ(Json::parse(done.out)["exported"],
            Json({"scores.csv", "scores.tex", "costs.csv", "costs.tex", "problems.csv",
                  "problems.tex", "comparisons.csv", "comparisons.tex", "scaling.svg"}));
  EXPECT_THAT(read_file(place("paper/scores.csv")),
              StartsWith("configuration,budget,done,failed,missing,judged,passed,pass@1,low,high,"
                         "mean_reward\numf_3,64,60,0,0,60,40,0.6666666666666666,"));
  EXPECT_THAT(read_file(place("paper/scores.tex")), HasSubstr("umf\\_3 & 64 & 60 of 60 & 66.7"));
  EXPECT_THAT(read_file(place("paper/problems.csv")),
              HasSubstr("\np30,bon,64,done,false,0.5,64\n"));
  EXPECT_THAT(read_file(place("paper/comparisons.csv")), HasSubstr("umf_3 solves more than bon"));
  const std::string figure = read_file(place("paper/scaling.svg"));
  EXPECT_THAT(figure, StartsWith("<svg xmlns="));
  EXPECT_THAT(figure, HasSubstr(">umf_3</text>"));
  EXPECT_THAT(figure, Not(HasSubstr("nan")));
}

TEST_F(CompareCli, ReportsAnswerFirst) {
  run("run", {{"umf", 40}, {"bon", 28}}, 60);
  ASSERT_EQ(umf({"report", place("run"), "--out", place("page.html")}).status, 0);
  EXPECT_THAT(read_file(place("page.html")),
              HasSubstr("umf solves more than bon at 4 windows: +20.0 points"));
}

}  // namespace
}  // namespace umf
