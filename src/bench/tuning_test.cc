#include "bench/tuning.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace umf {
namespace {

using testing::ElementsAre;

struct Row {
  const char* models;
  const char* rule;
  int solved;
  long passes;
  Ensemble ensemble = Ensemble::kNone;
};

// A table as a run would give it, of `problems` problems.
struct Table {
  Table(int problems, const std::vector<Row>& rows) {
    scores.problems = problems;
    for (const Row& row : rows) {
      actions.push_back({row.models, row.ensemble, parse_commit_rule(row.rule)});
      Score score{.passes = row.passes};
      for (int i = 0; i < problems; ++i) score.solved.push_back(i < row.solved);
      scores.of.push_back(std::move(score));
    }
  }
  TunedChoice choose(double loss = 1) const { return choose_actions(actions, scores, loss); }
  std::vector<TunedSearch> searches() const {
    return searches_to_measure(actions, scores, choose());
  }

  std::vector<TunedAction> actions;
  Scores scores;
};

TEST(Tuning, EveryModelIsMeasuredWithEveryRuleAndAllOfThemTogether) {
  const auto alone = actions_to_measure({"a"});
  ASSERT_EQ(alone.size(), 7);
  EXPECT_EQ(alone[0].name(), "a-one");
  EXPECT_EQ(alone[0].text(), "model=a,commit=one");
  EXPECT_EQ(alone[6].name(), "a-frechet-0.25");
  const auto both = actions_to_measure({"a", "b"});
  ASSERT_EQ(both.size(), 7 + 7 + 6);
  EXPECT_EQ(both[14].name(), "relay-tau-0.999");
  EXPECT_EQ(both[19].text(), "models=a+b,rule=poll,commit=tau:0.95");
}

TEST(Tuning, TheCheapestRuleWithinTheLossIsChosen) {
  const Table table(200, {{"a", "one", 100, 900},
                          {"a", "tau:0.99", 101, 500},
                          {"a", "tau:0.95", 98, 300},
                          {"a", "tau:0.9", 97, 200},
                          {"a", "frechet:0.25", 20, 100}});
  EXPECT_THAT(table.choose(1).rules, ElementsAre(2)) << "two of 200 are one point";
  EXPECT_THAT(table.choose(0.9).rules, ElementsAre(1));
  EXPECT_THAT(table.choose(1.5).rules, ElementsAre(3));
  EXPECT_THAT(table.choose(100).rules, ElementsAre(4));
}

TEST(Tuning, TheLossIsAgainstTheModelsOwnOne) {
  const Table table(100, {{"a", "one", 80, 900},
                          {"a", "tau:0.9", 60, 100},
                          {"b", "one", 50, 900},
                          {"b", "tau:0.9", 50, 100}});
  EXPECT_THAT(table.choose().rules, testing::UnorderedElementsAre(0, 3));
}

TEST(Tuning, OneStaysWhereEveryRuleLosesTooMuch) {
  const Table table(100, {{"a", "one", 50, 900}, {"a", "tau:0.99", 48, 300}});
  EXPECT_THAT(table.choose().rules, ElementsAre(0));
}

TEST(Tuning, EqualsGoToMoreSolvedThenToTheLargerBound) {
  const Table more(100,
                   {{"a", "one", 50, 900}, {"a", "tau:0.99", 50, 300}, {"a", "tau:0.95", 51, 300}});
  EXPECT_THAT(more.choose().rules, ElementsAre(2));
  const Table bound(100, {{"a", "one", 50, 900},
                          {"a", "tau:0.9", 50, 300},
                          {"a", "tau:0.99", 50, 300},
                          {"a", "frechet:0.25", 50, 300}});
  EXPECT_THAT(bound.choose().rules, ElementsAre(2));
  const Table never(100, {{"a", "one", 50, 900}, {"a", "tau:0.999", 50, 900}});
  EXPECT_THAT(never.choose().rules, ElementsAre(0)) << "nothing is gained";
}

TEST(Tuning, ActionsAreOrderedBySolvedPerPass) {
  const Table table(100, {{"a", "one", 60, 6000},    // 1 in 100 passes
                          {"b", "one", 30, 1000},    // 3
                          {"c", "one", 40, 2000},    // 2
                          {"d", "one", 0, 100},      // none
                          {"e", "one", 60, 2000}});  // 3: as b, which came first
  EXPECT_THAT(table.choose().rules, ElementsAre(1, 4, 2, 0, 3));
  EXPECT_EQ(table.choose().best_model, 4) << "as many as a, with fewer passes";
}

TEST(Tuning, OfEnsemblesTheOneThatSavesMostOfWhatFollows) {
  const auto choose = [](long rest) {
    const Table table(100, {{"a", "one", 60, rest / 2},
                            {"b", "one", 50, rest / 2},
                            {"a+b", "tau:0.999", 80, 2000, Ensemble::kRelay},
                            {"a+b", "tau:0.99", 75, 800, Ensemble::kRelay},
                            {"a+b", "tau:0.95", 60, 600, Ensemble::kRelay},
                            {"a+b", "tau:0.99", 20, 500, Ensemble::kPoll},
                            {"a+b", "tau:0.95", 20, 500, Ensemble::kPoll}});
    return table.choose().ensembles;
  };
  EXPECT_THAT(choose(1000), ElementsAre(4, 5))
      << "cheap ones before what is cheap; of equals the first";
  EXPECT_THAT(choose(4000), ElementsAre(3, 5))
      << "800 + 0.25 x 4000 are fewer than 600 + 0.4 x 4000";
  EXPECT_THAT(choose(40000), ElementsAre(2, 5)) << "good ones before what is dear";
  EXPECT_THAT(Table(100, {{"a", "one", 60, 600}}).choose().ensembles, ElementsAre());
}

TEST(Tuning, AnEnsemblePaysAloneIfItSolvesAsMuchForNoMore) {
  const auto score = [](int solved, long passes) {
    Score made{.passes = passes};
    for (int i = 0; i < 10; ++i) made.solved.push_back(i < solved);
    return made;
  };
  EXPECT_TRUE(pays_alone(score(6, 900), score(6, 900)));
  EXPECT_FALSE(pays_alone(score(5, 100), score(6, 900)));
  EXPECT_FALSE(pays_alone(score(9, 901), score(6, 900)));
  EXPECT_TRUE(better(score(6, 800), score(6, 900)));
  EXPECT_TRUE(better(score(7, 1000), score(6, 900)));
  EXPECT_FALSE(better(score(6, 900), score(6, 900)));
  const Paired pairs = pair_up(score(7, 1), score(5, 1));
  EXPECT_EQ(pairs.both, 5);
  EXPECT_EQ(pairs.only_first, 2);
  EXPECT_EQ(pairs.neither, 3);
}

TEST(Tuning, SearchesAreMeasuredWithAndWithoutAnEnsembleFirst) {
  const Table table(100, {{"a", "one", 60, 6000},
                          {"b", "one", 50, 1000},
                          {"a+b", "tau:0.99", 80, 4000, Ensemble::kRelay},
                          {"a+b", "tau:0.99", 70, 2000, Ensemble::kPoll}});
  const auto searches = table.searches();
  ASSERT_EQ(searches.size(), 3);
  EXPECT_EQ(searches[0].name, "models");
  EXPECT_THAT(searches[0].actions, ElementsAre(1, 0));
  EXPECT_EQ(searches[1].name, "relay-models");
  EXPECT_THAT(searches[1].actions, ElementsAre(2, 1, 0));
  EXPECT_EQ(searches[2].name, "poll-models");
  EXPECT_THAT(searches[2].actions, ElementsAre(3, 1, 0));
}

TEST(Tuning, OneModelIsSearchedWithThreeOfItsRules) {
  const Table table(100, {{"a", "one", 50, 900},
                          {"a", "tau:0.99", 50, 600},
                          {"a", "tau:0.95", 40, 500},
                          {"a", "tau:0.9", 30, 100}});
  const auto searches = table.searches();
  ASSERT_EQ(searches.size(), 2);
  EXPECT_THAT(searches[0].actions, ElementsAre(1));
  EXPECT_THAT(searches[1].actions, ElementsAre(1, 3, 2));
}

TEST(Tuning, TheBestSearchSolvesMostThenCostsLeastThenComesFirst) {
  EXPECT_EQ(best_search(Table(10, {{"a", "one", 5, 9}, {"b", "one", 6, 99}}).scores), 1);
  EXPECT_EQ(best_search(Table(10, {{"a", "one", 6, 99}, {"b", "one", 6, 9}}).scores), 1);
  EXPECT_EQ(best_search(Table(10, {{"a", "one", 6, 9}, {"b", "one", 6, 9}}).scores), 0);
}

// Problem 0 has hidden tests, 1 has none, and 2 could not be judged in one configuration.
TEST(Tuning, ScoresAreOverTheProblemsThatAllWereJudgedOn) {
  Manifest manifest;
  manifest.ids = {"0", "1", "2"};
  manifest.configurations = {{"x", {16}}, {"y", {16}}};
  std::map<ResultKey, Result> results;
  const auto add = [&](const char* id, const char* name, std::optional<bool> passed, double reward,
                       ResultStatus status = ResultStatus::kDone) {
    Result r;
    r.key = {id, name, 16};
    r.status = status;
    r.passed = passed;
    r.reward = reward;
    r.nfe = 10;
    r.spared_nfe = 3;
    results[r.key] = r;
  };
  add("0", "x", false, 1);
  add("0", "y", true, 0.5);
  add("1", "x", std::nullopt, 1);
  add("1", "y", std::nullopt, 0.99);
  add("2", "x", true, 1);
  add("2", "y", std::nullopt, 1, ResultStatus::kUnjudged);
  const Scores scores = scores_of(manifest, results);
  EXPECT_EQ(scores.problems, 2);
  EXPECT_EQ(scores.left_out, 1);
  EXPECT_THAT(scores.of[0].solved, ElementsAre(false, true)) << "the hidden tests decide";
  EXPECT_THAT(scores.of[1].solved, ElementsAre(true, false));
  EXPECT_EQ(scores.of[0].visible, 2);
  EXPECT_EQ(scores.of[1].visible, 0);
  EXPECT_EQ(scores.of[0].passes, 20);
  EXPECT_EQ(scores.of[0].spared, 6);
  results.erase({"1", "y", 16});
  EXPECT_EQ(scores_of(manifest, results).left_out, 2);
}

}  // namespace
}  // namespace umf
