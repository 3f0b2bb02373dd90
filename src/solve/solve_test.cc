#include "solve/solve.h"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <climits>
#include <cmath>
#include <set>

#include "search/unmaskfork.h"
#include "support/expect_error.h"
#include "support/search_play.h"
#include "support/search_worlds.h"

namespace umf {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

Scenario scenario_with(TableWorld::Rewards rewards, long budget,
                       BudgetPolicy policy = BudgetPolicy::kCut) {
  Scenario scenario{.rewards = std::move(rewards)};
  scenario.limits = {.budget = budget, .policy = policy};
  return scenario;
}

bool ranks_above(double a, bool a_complete, double b, bool b_complete) {
  return better({.reward = a, .complete = a_complete}, {.reward = b, .complete = b_complete});
}

TEST(SelectBest, RanksFailuresBelowEveryNumberAndCutBelowComplete) {
  const double rising[] = {kNan, -kInfinity, -1, 0, 0.5, 2, kInfinity};
  for (int i = 0; i < 7; ++i) {
    for (int j = 0; j < 7; ++j) EXPECT_EQ(ranks_above(rising[i], true, rising[j], true), i > j);
    EXPECT_TRUE(ranks_above(rising[i], true, rising[i], false));
    EXPECT_FALSE(ranks_above(rising[i], false, rising[i], false)) << "the first stays";
  }
  EXPECT_TRUE(ranks_above(0.6, false, 0.5, true)) << "the reward comes first";
}

TEST(Solve, WithoutABudgetNothingHappens) {
  for (const long budget : {0, -5}) {
    for (const auto policy : {BudgetPolicy::kCut, BudgetPolicy::kFinish, BudgetPolicy::kSkip}) {
      const Play play(scenario_with(zero_rewards(), budget, policy));
      EXPECT_EQ(play.world.walks, 0);
      EXPECT_FALSE(play.solution.best.has_value());
      EXPECT_EQ(play.solution.stopped, Stop::kBudget);
    }
  }
}

TEST(Solve, ABudgetBelowOneRolloutIsCutOrFinishedOrRefused) {
  const Play cut(scenario_with(uniform_rewards(1), 500));
  EXPECT_FALSE(cut.solution.best->complete);
  EXPECT_EQ(cut.solution.ledger.nfe, 500);
  EXPECT_EQ(cut.solution.best->why, "cut before its end");
  const Play finish(scenario_with(uniform_rewards(1), 500, BudgetPolicy::kFinish));
  EXPECT_TRUE(finish.solution.best->complete);
  EXPECT_EQ(finish.solution.ledger.nfe, 768);
  EXPECT_ERROR(Play(scenario_with(uniform_rewards(1), 500, BudgetPolicy::kSkip)),
               "does not cover one rollout of 768");
}

TEST(Solve, SkipStillMakesTheFreeRolloutsBeforeTheOneThatDoesNotFit) {
  const Play play(scenario_with(zero_rewards(), 3072, BudgetPolicy::kSkip));
  EXPECT_EQ(play.solution.ledger.misses, 4);
  EXPECT_EQ(play.solution.ledger.hits, 6);
  EXPECT_EQ(play.solution.ledger.nfe, 2918);
  EXPECT_EQ(play.solution.stopped, Stop::kBudget);
}

TEST(Solve, StopsAtTheRewardThatIsEnough) {
  Scenario scenario = scenario_with(uniform_rewards(3), 12288);
  const Play whole(scenario);
  scenario.limits.stop_at_reward = whole.solution.best->reward;
  const Play early(scenario);
  EXPECT_EQ(early.solution.stopped, Stop::kReward);
  EXPECT_EQ(early.solution.best->iteration, whole.solution.best->iteration);
  EXPECT_EQ(early.solution.best->actions, whole.solution.best->actions);
  EXPECT_EQ(early.solution.ledger.rollouts(), early.solution.best->iteration);
}

TEST(Solve, AnObserverMayStopTheSearch) {
  Scenario scenario = scenario_with(uniform_rewards(3), 12288);
  scenario.most_steps = 7;
  const Play play(scenario);
  EXPECT_EQ(play.solution.stopped, Stop::kInterrupted);
  EXPECT_EQ(play.solution.ledger.rollouts(), 7);
  EXPECT_TRUE(play.solution.best.has_value());
}

TEST(Solve, TheBestPathIsOneActionPerLevel) {
  const auto prefer = [](std::span<const int> actions) {
    return std::equal(actions.begin(), actions.begin() + 3, std::vector{1, 1, 0}.begin()) ? 1.0
                                                                                          : 0.0;
  };
  const Play play(scenario_with(prefer, 12288));
  EXPECT_EQ(play.solution.best->reward, 1);
  EXPECT_EQ(play.solution.best->actions.size(), 8);
  EXPECT_EQ(prefer(play.solution.best->actions), 1.0);
}

TEST(Solve, EveryActionHasItsShareOfThePassesAndItsBestReward) {
  const Play play(scenario_with(uniform_rewards(9), 6144));
  const auto& actions = play.solution.ledger.actions;
  EXPECT_EQ(actions[0].nfe + actions[1].nfe, 6144);
  EXPECT_EQ(std::max(*actions[0].best_reward, *actions[1].best_reward), play.solution.best->reward);
}

TEST(Solve, ABrokenWorldEndsTheSearchAndKeepsWhatWasFound) {
  TableWorld table(2, 768, Scenario{}.ratios, uniform_rewards(4));
  CountingWorld world(table);
  world.fail_at_walk = 3;
  RolloutCache known;
  UnMaskFork search(2, world.root(), {}, known);
  const Solution solution = solve(search, world, known, {.budget = 12288});
  EXPECT_EQ(solution.stopped, Stop::kError);
  EXPECT_EQ(solution.message, "the device is lost");
  EXPECT_EQ(solution.ledger.misses, 3);
  EXPECT_TRUE(solution.best.has_value());
  const Trial failed = *search.ask();
  EXPECT_FALSE(known.contains(failed.from, failed.action));
}

TEST(Solve, WhatAnObserverThrowsIsNotTheWorldsFault) {
  TableWorld world(2, 8, Scenario{}.ratios, zero_rewards());
  RolloutCache known;
  UnMaskFork search(2, world.root(), {}, known);
  const Observer full_disk = [](const RolloutEvent&) -> bool { throw Error("the disk is full"); };
  EXPECT_ERROR(solve(search, world, known, {}, full_disk), "the disk is full");
}

// Changes what a table world answers.
struct EditedWorld : World {
  explicit EditedWorld(const Scenario& made)
      : table(made.actions, made.window, made.ratios, made.rewards) {}
  Place root() const override { return table.root(); }
  int actions() const override { return table.actions(); }
  int model_of(int action) const override { return table.model_of(action); }
  Outcome walk(const Trial& trial, int limit) override { return table.walk(trial, limit); }
  Verdict judge(StateId end) override { return table.judge(end); }
  TableWorld table;
};

struct EditedRun {
  explicit EditedRun(World& world, const SolveOptions& options, UnMaskForkOptions shape = {})
      : search(world.actions(), world.root(), shape, known) {
    solution = solve(search, world, known, options);
  }
  RolloutCache known;
  UnMaskFork search;
  Solution solution;
};

TEST(Solve, AWalkThatEndsBeforeItsLimitWasInterrupted) {
  struct Interrupted final : EditedWorld {
    using EditedWorld::EditedWorld;
    Outcome walk(const Trial& trial, int limit) override {
      return table.walk(trial, ++walks > 2 ? 100 : limit);
    }
    int walks = 0;
  } world{Scenario{}};
  const EditedRun run(world, {.budget = 12288});
  EXPECT_EQ(run.solution.stopped, Stop::kInterrupted);
  EXPECT_EQ(run.solution.ledger.nfe, 768 + 768 + 100);
  EXPECT_EQ(run.solution.ledger.misses, 2);
  EXPECT_EQ(run.solution.ledger.evaluations, 2);
}

TEST(Solve, AnActionThatDoesNotFitIsExploredForNothing) {
  struct Picky final : EditedWorld {
    using EditedWorld::EditedWorld;
    Outcome walk(const Trial& trial, int limit) override {
      return trial.action == 0 ? table.walk(trial, limit) : Outcome{.feasible = false};
    }
  } world{Scenario{}};
  const EditedRun chain(world, {.budget = LONG_MAX});
  EXPECT_EQ(chain.solution.stopped, Stop::kExhausted);
  EXPECT_EQ(chain.solution.ledger.misses, 1);
  EXPECT_EQ(chain.solution.ledger.hits, 6);
  EXPECT_EQ(chain.search.nodes(), 8);
  EXPECT_TRUE(chain.search.is_explored(UnMaskFork::kRoot, 1));
  EXPECT_EQ(chain.search.node(UnMaskFork::kRoot).visits, 7);
}

TEST(Solve, ANodeWithoutAnyFittingActionIsALeaf) {
  struct Closed final : EditedWorld {
    using EditedWorld::EditedWorld;
    Outcome walk(const Trial& trial, int limit) override {
      return trial.from == 0 ? table.walk(trial, limit) : Outcome{.feasible = false};
    }
  } world{Scenario{}};
  const EditedRun run(world, {.budget = LONG_MAX, .use_cache = false});
  EXPECT_EQ(run.solution.stopped, Stop::kExhausted);
  EXPECT_EQ(run.search.nodes(), 3);
  EXPECT_EQ(run.solution.ledger.rollouts(), 2);
}

TEST(Solve, ARolloutThatEndsBeforeTheNextCheckpointMakesALeaf) {
  struct Short final : EditedWorld {
    using EditedWorld::EditedWorld;
    Outcome walk(const Trial& trial, int limit) override {
      Outcome outcome = table.walk(trial, limit);
      if (trial.action == 1) {
        outcome.path = {outcome.path.back()};
        outcome.passes_at = {outcome.passes_at.back()};
      }
      return outcome;
    }
  } world{Scenario{}};
  const EditedRun run(world, {.budget = LONG_MAX});
  EXPECT_EQ(run.solution.stopped, Stop::kExhausted);
  for (int id = 1; id < run.search.nodes(); ++id) {
    const UnMaskFork::Node& node = run.search.node(id);
    if (node.action == 1) {
      EXPECT_EQ(node.masks, 0);
      EXPECT_TRUE(run.search.children(id).empty());
    }
  }
}

// Two paths meet wherever they have the same number of actions 1.
class MeetingWorld final : public World {
 public:
  explicit MeetingWorld(int levels) : levels_(levels) {}
  Place root() const override { return {0, levels_}; }
  int actions() const override { return 2; }
  int model_of(int) const override { return 0; }
  Outcome walk(const Trial& trial, int limit) override {
    Outcome outcome;
    int level = trial.from / 100, ones = trial.from % 100;
    while (level < levels_ && outcome.passes < limit) {
      ones += trial.action;
      ++outcome.passes;
      outcome.path.push_back({++level * 100 + ones, levels_ - level});
      outcome.passes_at.push_back(outcome.passes);
    }
    outcome.complete = level == levels_;
    return outcome;
  }
  Verdict judge(StateId end) override {
    judged.insert(end);
    return {end % 7 / 7.0, ""};
  }
  std::set<StateId> judged;

 private:
  int levels_;
};

TEST(Solve, WherePathsMeetMoreIsFreeAndBothNodesStay) {
  MeetingWorld world(6);
  const EditedRun run(world, {.budget = LONG_MAX});
  EXPECT_EQ(run.solution.stopped, Stop::kExhausted);
  EXPECT_EQ(run.search.nodes(), 63) << "the whole tree of five levels";
  EXPECT_LT(run.solution.ledger.misses, 32);
  EXPECT_LE(world.judged.size(), 7) << "as many ends as numbers of ones";
  EXPECT_EQ(run.solution.ledger.judged, world.judged.size());
  EXPECT_EQ(run.solution.ledger.evaluations, run.solution.ledger.misses);
}

// Six levels of four masks; a pass takes 2 of action 0's masks and 4 of action 1's. Every sequence
// of actions has states of its own.
class ParallelWorld final : public World {
 public:
  Place root() const override { return {1, 24}; }
  int actions() const override { return 2; }
  int model_of(int action) const override { return action; }
  bool commits_one(int) const override { return false; }
  Outcome walk(const Trial& trial, int limit) override {
    Outcome outcome;
    int level = 0;
    for (StateId state = trial.from; state > 1; state /= 2) ++level;
    StateId state = trial.from;
    const int cost = trial.action == 0 ? 2 : 1;
    while (level < 6 && outcome.passes + cost <= limit) {
      outcome.passes_at.push_back(outcome.passes += cost);
      state = 2 * state + trial.action;
      outcome.path.push_back({state, 24 - 4 * ++level});
    }
    outcome.complete = level == 6;
    if (!outcome.complete) outcome.passes = limit;
    if (outcome.path.empty()) {
      outcome.path.push_back({trial.from, 24 - 4 * level});
      outcome.passes_at.push_back(0);
    }
    return outcome;
  }
  Verdict judge(StateId end) override { return {end * 37 % 101 / 101.0, ""}; }
};

TEST(Solve, AHitSavesThePassesThatItsWalkTook) {
  ParallelWorld world;
  RolloutCache known;
  UnMaskFork search(2, world.root(), {}, known);
  long saved = 0, spent = 0;
  const Solution solution =
      solve(search, world, known, {.budget = 100}, [&](const RolloutEvent& event) {
        if (event.outcome.cached) saved += world.walk(event.trial, 1000).passes;
        spent += event.outcome.passes;
        return true;
      });
  EXPECT_GT(solution.ledger.hits, 5);
  EXPECT_EQ(solution.ledger.saved_full, saved);
  EXPECT_EQ(solution.ledger.nfe, spent);
  EXPECT_EQ(solution.ledger.nfe, 100);
}

TEST(Solve, WhatIsTriedOutAndTooLongIsPaidAndNotJudged) {
  for (long budget = 1; budget <= 60; ++budget) {
    ParallelWorld world;
    RolloutCache known;
    UnMaskFork search(2, world.root(), {}, known);
    const Solution solution =
        solve(search, world, known, {.budget = budget, .policy = BudgetPolicy::kSkip},
              [](const RolloutEvent& event) {
                EXPECT_TRUE(event.outcome.complete);
                return true;
              });
    EXPECT_EQ(solution.stopped, Stop::kBudget);
    EXPECT_EQ(solution.ledger.nfe, budget);
    EXPECT_EQ(solution.best.has_value(), budget >= 12) << "action 0 takes 12 passes";
  }
}

TEST(Solve, ACurveOfParallelCommitsIsThatOfSmallerBudgets) {
  for (const BudgetPolicy policy :
       {BudgetPolicy::kCut, BudgetPolicy::kFinish, BudgetPolicy::kSkip}) {
    const auto run = [&](long budget, std::vector<long> curve) {
      ParallelWorld world;
      RolloutCache known;
      UnMaskFork search(2, world.root(), {}, known);
      return solve(search, world, known,
                   {.budget = budget, .policy = policy, .curve = std::move(curve)});
    };
    std::vector<long> budgets;
    for (long budget = 1; budget < 70; ++budget) budgets.push_back(budget);
    const Solution whole = run(70, budgets);
    ASSERT_EQ(whole.curve.size(), budgets.size());
    for (const CurvePoint& point : whole.curve) {
      const Solution alone = run(point.budget, {});
      SCOPED_TRACE(fmt::format("{} {}", name_of(policy), point.budget));
      EXPECT_EQ(point.ledger.nfe, alone.ledger.nfe);
      EXPECT_EQ(point.ledger.hits, alone.ledger.hits);
      EXPECT_EQ(point.ledger.misses, alone.ledger.misses);
      EXPECT_EQ(point.ledger.saved_full, alone.ledger.saved_full);
      EXPECT_EQ(point.ledger.saved_capped, alone.ledger.saved_capped);
      ASSERT_EQ(point.best.has_value(), alone.best.has_value());
      if (alone.best) {
        EXPECT_EQ(point.best->end, alone.best->end);
      }
    }
  }
}

TEST(Solve, AHitKeepsTheFirstRewardOfAnUnsteadyJudge) {
  struct Unsteady final : EditedWorld {
    using EditedWorld::EditedWorld;
    Verdict judge(StateId) override { return {++asked / 1000.0, ""}; }
    int asked = 0;
  } world{Scenario{}};
  const EditedRun run(world, {.budget = 6144});
  EXPECT_EQ(world.asked, run.solution.ledger.misses);
  for (int id = 1; id < run.search.nodes(); ++id) {
    const UnMaskFork::Node& node = run.search.node(id);
    const auto children = run.search.children(id);
    if (children.empty()) continue;
    EXPECT_EQ(run.search.node(children.front()).reward, node.reward);
  }
}

// Asks for the same trial again and again, each time with fresh noise.
class Repeat final : public Search {
 public:
  std::optional<Trial> ask() override { return Trial{.draw = told_ + 1}; }
  void tell(const Trial&, const Outcome&) override { ++told_; }
  int nodes() const override { return 1; }
  int depth() const override { return 0; }

 private:
  std::uint64_t told_ = 0;
};

TEST(Solve, FreshDrawsAreNeverAnsweredFromTheCache) {
  TableWorld world(1, 768, Scenario{}.ratios, uniform_rewards(1));
  RolloutCache known;
  Repeat search;
  const Solution solution = solve(search, world, known, {.budget = 2000});
  EXPECT_EQ(solution.ledger.misses, 3);
  EXPECT_EQ(solution.ledger.hits, 0);
  EXPECT_EQ(solution.ledger.nfe, 2000);
  EXPECT_FALSE(known.contains(0, 0));
  EXPECT_EQ(solution.best->iteration, 1);
}

TEST(Solve, AnEndThatIsReachedAgainIsNoFurtherFailureOfItsJudge) {
  TableWorld world(1, 8, Scenario{}.ratios, [](auto) { return kNan; });
  RolloutCache known;
  Repeat search;
  const Solution solution = solve(search, world, known, {.budget = 80, .judge_failures = 2});
  EXPECT_EQ(solution.stopped, Stop::kBudget);
  EXPECT_EQ(solution.ledger.misses, 10);
  EXPECT_EQ(solution.ledger.evaluations, 10);
  EXPECT_EQ(solution.ledger.judged, 1);
}

TEST(Solve, AJudgeThatFailsForOneEndAfterTheOtherEndsTheSearch) {
  Scenario scenario = scenario_with([](auto) { return kNan; }, 12288);
  scenario.limits.judge_failures = 2;
  const Play play(scenario);
  EXPECT_EQ(play.solution.stopped, Stop::kError);
  EXPECT_EQ(play.solution.ledger.judged, 2);
}

// ---- the results of smaller budgets

void expect_same_result(const CurvePoint& point, const Solution& alone) {
  EXPECT_EQ(point.stopped, alone.stopped);
  EXPECT_EQ(point.ledger.nfe, alone.ledger.nfe);
  EXPECT_EQ(point.ledger.hits, alone.ledger.hits);
  EXPECT_EQ(point.ledger.misses, alone.ledger.misses);
  EXPECT_EQ(point.ledger.saved_full, alone.ledger.saved_full);
  EXPECT_EQ(point.ledger.saved_capped, alone.ledger.saved_capped);
  EXPECT_EQ(point.ledger.switches, alone.ledger.switches);
  EXPECT_EQ(point.ledger.evaluations, alone.ledger.evaluations);
  for (std::size_t i = 0; i < alone.ledger.actions.size(); ++i) {
    EXPECT_EQ(point.ledger.actions[i].nfe, alone.ledger.actions[i].nfe);
  }
  ASSERT_EQ(point.best.has_value(), alone.best.has_value());
  if (!alone.best) return;
  EXPECT_EQ(point.best->iteration, alone.best->iteration);
  EXPECT_EQ(point.best->actions, alone.best->actions);
  EXPECT_EQ(point.best->complete, alone.best->complete);
}

TEST(Curve, EverySmallerBudgetHasTheResultOfItsOwnRun) {
  for (int seed = 0; seed < 300; ++seed) {
    for (const auto policy : {BudgetPolicy::kCut, BudgetPolicy::kFinish, BudgetPolicy::kSkip}) {
      SCOPED_TRACE(testing::Message() << "seed " << seed << " policy " << static_cast<int>(policy));
      Scenario scenario = random_scenario(seed);
      scenario.limits.policy = policy;
      scenario.limits.budget = 20l * scenario.window;
      if (seed % 3 == 0) scenario.limits.stop_at_reward = 0.9;
      const long window = scenario.window;
      scenario.limits.curve = {window,         3 * window,  3 * window + 1,
                               5 * window - 1, 10 * window, 20 * window};
      const Play all(scenario);
      scenario.limits.curve.clear();
      for (const CurvePoint& point : all.solution.curve) {
        scenario.limits.budget = point.budget;
        expect_same_result(point, Play(scenario).solution);
      }
      EXPECT_EQ(all.solution.ledger.nfe + all.solution.curve_passes, all.world.passes);
      EXPECT_EQ(all.solution.ledger.judged + all.solution.curve_judgements, all.world.judgements);
      if (testing::Test::HasFailure()) return;
    }
  }
}

TEST(Curve, BudgetsAboveTheRunsAreRefused) {
  Scenario scenario = scenario_with(zero_rewards(), 100);
  scenario.limits.curve = {101};
  EXPECT_ERROR(Play{scenario}, "a curve up to 101 needs a budget of at least that");
}

TEST(Solve, BudgetPoliciesHaveNames) {
  EXPECT_EQ(parse_budget_policy("finish"), BudgetPolicy::kFinish);
  EXPECT_ERROR(parse_budget_policy("stop"), "choose cut, finish or skip");
}

}  // namespace
}  // namespace umf
