// Working ahead changes when something is done, and nothing else.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <climits>
#include <condition_variable>
#include <mutex>

#include "support/ahead_runs.h"

namespace umf {
namespace {

TEST(Ahead, EverySearchGivesTheSameForEveryNumberOfWorkers) {
  struct Case {
    const char* search;
    int actions;
    const char* pair_method = "";
  };
  for (const auto& [search, actions, pair_method] :
       {Case{"unmaskfork", 2}, Case{"unmaskfork", 3}, Case{"best-of-n", 1}, Case{"dts", 1},
        Case{"ab-mcts-m", 2}, Case{"ab-mcts-a", 3}, Case{"pair", 2, "best-of-n"},
        Case{"pair", 4, "unmaskfork"}}) {
    SCOPED_TRACE(fmt::format("{} with {} actions", search, actions));
    const Speculation ahead = expect_same_for_all(
        {.search = search, .actions = actions, .pair_method = pair_method}, /*journals=*/true);
    EXPECT_GT(ahead.used, 0) << "nothing that was begun early was of use";
  }
}

TEST(Ahead, EveryBudgetPolicyAndRewardGivesTheSame) {
  const std::function<double(std::string_view)> worths[] = {
      worth_of, in_eighths, [](std::string_view) { return 0.25; },
      [](std::string_view text) {
        return text.size() % 3 == 0 ? std::numeric_limits<double>::quiet_NaN() : worth_of(text);
      }};
  for (const auto& worth : worths) {
    for (const BudgetPolicy policy :
         {BudgetPolicy::kCut, BudgetPolicy::kFinish, BudgetPolicy::kSkip}) {
      for (const long budget : {20, 33, 61, 150})
        expect_same_for_all({.options = {.budget = budget, .policy = policy}, .worth = worth});
    }
  }
}

TEST(Ahead, EveryOptionGivesTheSame) {
  const auto expect_same_with = [](const std::function<void(AheadPlan&)>& change) {
    AheadPlan plan{.options = {.budget = 170}};
    change(plan);
    expect_same_for_all(plan);
  };
  expect_same_with([](AheadPlan& plan) { plan.options.use_cache = false; });
  expect_same_with([](AheadPlan& plan) { plan.options.stop_at_reward = 0.7; });
  expect_same_with([](AheadPlan& plan) { plan.judge_again = true; });
  expect_same_with([](AheadPlan& plan) { plan.options.curve = {10, 20, 55, 90, 169}; });
  expect_same_with([](AheadPlan& plan) {
    plan.options.curve = {30, 70};
    plan.walk.closed_text = true;
  });
  expect_same_with([](AheadPlan& plan) { plan.walk.policy = WindowPolicy::kFixedWindow; });
  expect_same_with([](AheadPlan& plan) { plan.walk.block_length = 5; });
  expect_same_with([](AheadPlan& plan) {
    plan.actions = 2;
    plan.options.budget = LONG_MAX;
    plan.worth = in_eighths;
    plan.parts = 8;
  });
}

TEST(Ahead, ACheckpointOfOneIsContinuedByMany) {
  const TemporaryDirectory directory;
  const AheadPlan plan{.options = {.budget = 150}};
  const AheadReport expected = run(plan, 0, directory / "whole");
  for (std::size_t end = expected.journal.find('\n') + 1; end < expected.journal.size();
       end = expected.journal.find('\n', end) + 1) {
    write_file(directory / "part", expected.journal.substr(0, end));
    const AheadReport resumed = run(plan, 2, directory / "part");
    EXPECT_EQ(resumed.result, expected.result);
    EXPECT_TRUE(journal_entries(resumed.journal) == journal_entries(expected.journal));
    if (HasFailure()) break;
  }
}

// ---- what goes wrong

// Breaks down in about one of `rarity` states: a function of the state, as everything else.
ScriptedModel::Script break_down(int rarity) {
  return [=](std::span<const Token> tokens, int) -> std::vector<float> {
    if (noise_key(9, 9, tokens).low % rarity == 0) throw std::runtime_error("the device is lost");
    return {};
  };
}

TEST(Ahead, AModelThatThrowsEndsTheSearchWhereItWouldHave) {
  int errors = 0;
  for (const int rarity : {3, 40, 120, 200, 400}) {
    SCOPED_TRACE(rarity);
    AheadPlan plan{.options = {.budget = 170}};
    plan.replica = [&] {
      return std::make_unique<ScriptedReplica>(3, plan.walk, break_down(rarity));
    };
    expect_same_for_all(plan);
    errors += run(plan, 2).result.starts_with("error 'the device is lost'");
  }
  EXPECT_GT(errors, 2) << "not an example of it";
}

TEST(Ahead, AJudgeThatThrowsEndsTheSearchWhereItWouldHave) {
  const AheadPlan plan{.options = {.budget = 170}, .worth = [](std::string_view text) {
                         if (worth_of(text) > 0.6) throw std::runtime_error("the judge left");
                         return worth_of(text);
                       }};
  expect_same_for_all(plan);
  EXPECT_THAT(run(plan, 2).result, testing::StartsWith("error 'the judge left'"));
}

TEST(Ahead, AnInterruptEndsTheSearchAndKeepsWhatWasFound) {
  for (const int workers : {1, 2, 4}) {
    std::atomic<int> passes = 0;
    const AheadReport report =
        run({.search = "best-of-n", .actions = 1, .options = {.budget = 1 << 30}}, workers, {},
            [&](const Pass&) { return ++passes < 50; });
    EXPECT_THAT(report.result, testing::StartsWith("interrupted ''"));
    EXPECT_THAT(report.result, testing::HasSubstr("iteration"));
  }
}

TEST(Ahead, WhoWatchesSeesThePassesOfTheTrialsThatTheSearchAsksFor) {
  const AheadPlan plan{.options = {.budget = 170}};
  for (const int workers : {0, 1, 2, 4}) {
    std::mutex mutex;
    std::vector<Trial> seen;
    const AheadReport report = run(plan, workers, {}, [&](const Pass& pass) {
      const std::lock_guard lock(mutex);
      if (seen.empty() || seen.back() != pass.trial) seen.push_back(pass.trial);
      return true;
    });
    // What was finished ahead was not seen.
    auto at = report.walked.begin();
    for (const Trial& trial : seen) {
      at = std::find(at, report.walked.end(), trial);
      ASSERT_NE(at, report.walked.end()) << workers << " workers";
    }
    EXPECT_TRUE(workers > 0 || seen == report.walked);
    EXPECT_FALSE(seen.empty());
  }
}

// ---- two things at once

// Opens for all when `wanted` have come; gives up after a while, so that a failure ends.
class Gate {
 public:
  explicit Gate(int wanted) : wanted_(wanted) {}
  void come() {
    const std::lock_guard lock(mutex_);
    ++come_;
    changed_.notify_all();
  }
  bool wait() {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, std::chrono::seconds(20), [&] { return come_ >= wanted_; });
  }

 private:
  int wanted_, come_ = 0;
  std::mutex mutex_;
  std::condition_variable changed_;
};

TEST(Ahead, TheRootsRolloutsRunTogether) {
  Gate gate(3);
  std::atomic<bool> together = true;
  AheadPlan plan{.options = {.budget = 3 * kAheadWindow}};
  plan.replica = [&] {
    auto first = std::make_shared<std::once_flag>();
    return std::make_unique<ScriptedReplica>(
        3, plan.walk, [&gate, &together, first](auto, int) -> std::vector<float> {
          std::call_once(*first, [&] {
            gate.come();
            if (!gate.wait()) together = false;
          });
          return {};
        });
  };
  run(plan, 3);
  EXPECT_TRUE(together) << "each waits for the others at its first pass";
}

// A plain world that says after which passes the next walk was certain.
class ForcedWalks final : public World {
 public:
  explicit ForcedWalks(World& inner) : inner_(inner) {}
  Place root() const override { return inner_.root(); }
  int actions() const override { return inner_.actions(); }
  int model_of(int action) const override { return inner_.model_of(action); }
  Outcome walk(const Trial& trial, int limit) override {
    const std::vector<Foreseen> next = forecast({});
    Outcome outcome = inner_.walk(trial, limit);
    passes_ += outcome.passes;
    const bool fits = outcome.passes < limit;  // the budget covers more
    certain_after.push_back(!next.empty() && next.front().certain && fits ? passes_ : 0);
    beyond_the_root += certain_after.back() > 0 && next.front().trial.from != 0;
    return outcome;
  }
  Verdict judge(StateId end) override { return inner_.judge(end); }

  AheadWorld::Forecast forecast;
  std::vector<long> certain_after;  // by miss; 0 where it was not certain
  int beyond_the_root = 0;

 private:
  World& inner_;
  long passes_ = 0;
};

ForcedWalks find_forced(const AheadPlan& plan) {
  const auto replica = make_replica(plan);
  States states(replica->setup());
  SharedJudge judge(plan.worth, plan.parts);
  DecodingWorld inner(states, judge, {});
  ForcedWalks world(inner);
  RolloutCache known;
  const auto search =
      make_search(plan.search, {.root = inner.root(), .actions = plan.actions, .cache = &known});
  world.forecast = forecast_of(*search, known, states, judge, true);
  solve(*search, world, known, plan.options);
  world.forecast = {};
  return world;
}

// Every judgement waits until the walk that must come next has made a pass.
TEST(Ahead, WhatMustComeNextIsUnmaskedWhileARewardIsJudged) {
  for (AheadPlan plan :
       {AheadPlan{.search = "best-of-n", .actions = 1, .options = {.budget = 3 * kAheadWindow}},
        AheadPlan{.options = {.budget = 170}, .worth = in_eighths, .parts = 8}}) {
    const auto worth = plan.worth;
    const ForcedWalks forced = find_forced(plan);
    const auto& after = forced.certain_after;
    if (plan.search == "unmaskfork") {
      EXPECT_GT(forced.beyond_the_root, 0);
    }
    std::atomic<long> passes = 0;
    std::atomic<bool> beside = true;
    plan.replica = [&] {
      auto last = std::make_shared<std::vector<Token>>();
      const auto count = [&, last](std::span<const Token> tokens, int) -> std::vector<float> {
        const std::vector<Token> now(tokens.begin(), tokens.end());
        if (now != *last) ++passes;
        *last = now;
        return {};
      };
      return std::make_unique<ScriptedReplica>(plan.actions, plan.walk, count);
    };
    std::size_t judgement = 0;  // one thread judges
    plan.worth = [&](std::string_view text) {
      const long begun = after.at(judgement++);
      for (int i = 0; begun > 0 && passes <= begun; ++i) {
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
        if (i == 20'000) beside = false;
        if (!beside) break;
      }
      return worth(text);
    };
    const AheadReport report = run(plan, 1);
    EXPECT_TRUE(beside) << "it was not begun";
    EXPECT_EQ(report.ahead.forced, std::ranges::count_if(after, [](long n) { return n > 0; }));
    EXPECT_EQ(report.ahead.wasted(), 0) << "one worker begins nothing else";
  }
}

}  // namespace
}  // namespace umf
