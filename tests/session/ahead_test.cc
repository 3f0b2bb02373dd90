// Working ahead changes when something is done, and nothing else.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <climits>
#include <condition_variable>
#include <mutex>

#include "base/files.h"
#include "search/pair.h"
#include "session/ahead_world.h"
#include "session/decoding_world.h"
#include "solve/searches.h"
#include "solve/solve.h"
#include "support/engine_fixture.h"
#include "support/journal_entries.h"
#include "support/judged_walks.h"

namespace umf {
namespace {

using testing::HasSubstr;

constexpr int kWindow = 20;

// A judge that several threads may ask, worth `worth` of the text.
class SharedJudge final : public Reward {
 public:
  explicit SharedJudge(std::function<double(std::string_view)> worth, int parts = 0)
      : worth_(std::move(worth)), parts_(parts) {}
  Verdict judge(std::string_view answer) override { return {worth_(answer), "as it is"}; }
  int parts() const override { return parts_; }
  bool cheap() const override { return true; }  // texts may be opened again

 private:
  std::function<double(std::string_view)> worth_;
  int parts_;
};

double in_eighths(std::string_view answer) { return std::floor(8.99 * worth_of(answer)) / 8; }

// Models of one worker, and walks with them.
struct Replica {
  virtual ~Replica() = default;
  virtual const WalkSetup& setup() const = 0;
};
using MakeReplica = std::function<std::unique_ptr<Replica>()>;

struct ScriptedReplica final : Replica {
  explicit ScriptedReplica(int actions, WalkOptions options = {.window = kWindow},
                           ScriptedModel::Script before = {}) {
    options.ratios = {900, 800, 700, 600, 500, 400, 200};
    const Lexicon* const lexicons[] = {&dream_lexicon(), &llada_lexicon(), &sdc_lexicon()};
    std::vector<Participant> participants;
    std::vector<Action> list = {{.strategy = Strategy::kEntropy, .temperature = 0.5f},
                                {.model = 1},
                                {.model = 1, .strategy = Strategy::kOrigin, .temperature = 1},
                                {.model = 2}};
    list.resize(actions);
    for (int i = 0; i < 3; ++i) {
      models.push_back(std::make_unique<ScriptedModel>(hashing_model(*lexicons[i], 5 + i)));
      if (before) models.back() = with(before, std::move(models.back()));
      participants.push_back(
          {models.back().get(), lexicons[i]->tokenizer, lexicons[i]->tokenizer->encode_bytes("?")});
    }
    setup_.emplace(participants, list, options);
  }
  const WalkSetup& setup() const override { return *setup_; }

  // Calls `before` first; what it gives is not used.
  static std::unique_ptr<ScriptedModel> with(const ScriptedModel::Script& before,
                                             std::unique_ptr<ScriptedModel> model) {
    const ModelInfo info = model->info();
    std::shared_ptr<ScriptedModel> inner = std::move(model);
    return std::make_unique<ScriptedModel>(info, [=](std::span<const Token> tokens, int position) {
      before(tokens, position);
      return inner->logits(tokens, position);
    });
  }

  std::vector<std::unique_ptr<ScriptedModel>> models;
  std::optional<WalkSetup> setup_;
};

struct Plan {
  std::string search = "unmaskfork";
  int actions = 3;
  SolveOptions options = {.budget = 8 * kWindow + 7};
  WalkOptions walk = {.window = kWindow};
  std::function<double(std::string_view)> worth = worth_of;
  int parts = 0;
  bool judge_again = false;  // a text that was judged before
  std::string pair_method;
  MakeReplica replica = {};
};

struct Report {
  std::string result, trace, journal;
  Speculation ahead;
  std::vector<Trial> walked;  // not taken from the cache
};

std::string describe(const Ledger& ledger) {
  std::string text = fmt::format("nfe {} hits {} misses {} saved {}/{} spared {} judged {}",
                                 ledger.nfe, ledger.hits, ledger.misses, ledger.saved_full,
                                 ledger.saved_capped, ledger.spared, ledger.judged);
  for (const ActionUse& use : ledger.actions)
    text += fmt::format(" [{} {}]", use.nfe, use.best_reward.value_or(-1));
  return text;
}

std::string describe(const std::optional<Candidate>& best, const States& states) {
  if (!best) return "nothing";
  return fmt::format("state {} {} complete {} iteration {} path {} why '{}' text '{}'", best->end,
                     best->reward, best->complete, best->iteration, fmt::join(best->actions, ""),
                     best->why, states.text(best->end));
}

std::string describe(const Solution& solution, const States& states) {
  std::string text = fmt::format("{} '{}' nodes {} depth {} | {} | {}", name_of(solution.stopped),
                                 solution.message, solution.nodes, solution.depth,
                                 describe(solution.best, states), describe(solution.ledger));
  for (const CurvePoint& point : solution.curve)
    text += fmt::format(" | {} {} {}", point.budget, describe(point.best, states),
                        describe(point.ledger));
  return text;
}

std::unique_ptr<Replica> make_replica(const Plan& plan) {
  return plan.replica ? plan.replica() : std::make_unique<ScriptedReplica>(plan.actions, plan.walk);
}

// Searches with `workers` walkers; 0 is the plain world that does only what it is asked.
Report run(const Plan& plan, int workers, const std::filesystem::path& journal_path = {},
           const WalkObserver& observer = {}) {
  std::vector<std::unique_ptr<Replica>> replicas;
  std::vector<Walker> walkers;
  const auto home = make_replica(plan);
  States states(home->setup());
  for (int i = 0; i < workers; ++i) {
    replicas.push_back(make_replica(plan));
    walkers.emplace_back(replicas.back()->setup());
  }
  SharedJudge judge(plan.worth, plan.parts);
  RememberingReward remembering(judge, RememberingReward::Failures::kKept);
  Reward& reward = plan.judge_again ? static_cast<Reward&>(judge) : remembering;
  RolloutCache known;
  SearchSetup setup{.root = states.setup().root(),
                    .actions = static_cast<int>(states.setup().actions().size()),
                    .seed = 3,
                    .budget = plan.options.budget,
                    .cache = &known};
  setup.options.set<Pair>({.method = plan.pair_method});
  const auto search = make_search(plan.search, setup);
  std::optional<DecodingWorld> plain;
  std::optional<AheadWorld> ahead;
  if (workers == 0) {
    plain.emplace(states, reward, observer);
  } else {
    ahead.emplace(states, std::move(walkers), reward, observer);
    ahead->set_forecast(forecast_of(*search, known, states, reward, plan.options.use_cache));
  }
  World& inner = ahead ? static_cast<World&>(*ahead) : *plain;
  std::optional<Journal> journal;
  if (!journal_path.empty())
    journal.emplace(inner, journal_path, Json{{"plan", 1}}, journal_states(states, remembering));
  World& world = journal ? static_cast<World&>(*journal) : inner;
  Report report;
  const Solution solution =
      solve(*search, world, known, plan.options, [&](const RolloutEvent& event) {
        if (!event.outcome.cached) report.walked.push_back(event.trial);
        report.trace +=
            fmt::format("{} {} {} {} {} {} {} {}\n", event.trial.from, event.trial.action,
                        event.trial.draw, event.outcome.cached, event.outcome.path.front().state,
                        event.outcome.path.back().state, event.outcome.reward, event.ledger.nfe);
        for (const Opening& opening : event.outcome.openings)
          report.trace += fmt::format("  {} {}\n", name_of(opening.kind), opening.place.state);
        return true;
      });
  if (ahead) report.ahead = ahead->finish();
  report.result = describe(solution, states);
  if (journal) report.journal = read_file(journal_path);
  return report;
}

// The same for every number of workers; gives back what four of them did ahead. Journals are synced
// after every line, which takes longer than everything else here.
Speculation expect_same_for_all(const Plan& plan, bool journals = false) {
  const TemporaryDirectory directory;
  const auto file = [&](int workers) {
    return journals ? directory / std::to_string(workers) : std::filesystem::path();
  };
  const Report expected = run(plan, 0, file(0));
  Speculation ahead;
  for (const int workers : {1, 2, 4}) {
    SCOPED_TRACE(fmt::format("{} workers", workers));
    const Report report = run(plan, workers, file(workers));
    EXPECT_EQ(report.result, expected.result);
    EXPECT_EQ(report.trace, expected.trace);
    EXPECT_TRUE(journal_entries(report.journal) == journal_entries(expected.journal));
    EXPECT_GE(report.ahead.wasted(), 0);
    ahead = report.ahead;
  }
  return ahead;
}

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
  const auto expect_same_with = [](const std::function<void(Plan&)>& change) {
    Plan plan{.options = {.budget = 170}};
    change(plan);
    expect_same_for_all(plan);
  };
  expect_same_with([](Plan& plan) { plan.options.use_cache = false; });
  expect_same_with([](Plan& plan) { plan.options.stop_at_reward = 0.7; });
  expect_same_with([](Plan& plan) { plan.judge_again = true; });
  expect_same_with([](Plan& plan) { plan.options.curve = {10, 20, 55, 90, 169}; });
  expect_same_with([](Plan& plan) {
    plan.options.curve = {30, 70};
    plan.walk.closed_text = true;
  });
  expect_same_with([](Plan& plan) { plan.walk.policy = WindowPolicy::kFixedWindow; });
  expect_same_with([](Plan& plan) { plan.walk.block_length = 5; });
  expect_same_with([](Plan& plan) {
    plan.actions = 2;
    plan.options.budget = LONG_MAX;
    plan.worth = in_eighths;
    plan.parts = 8;
  });
}

TEST(Ahead, ACheckpointOfOneIsContinuedByMany) {
  const TemporaryDirectory directory;
  const Plan plan{.options = {.budget = 150}};
  const Report expected = run(plan, 0, directory / "whole");
  for (std::size_t end = expected.journal.find('\n') + 1; end < expected.journal.size();
       end = expected.journal.find('\n', end) + 1) {
    write_file(directory / "part", expected.journal.substr(0, end));
    const Report resumed = run(plan, 2, directory / "part");
    EXPECT_EQ(resumed.result, expected.result);
    EXPECT_TRUE(journal_entries(resumed.journal) == journal_entries(expected.journal));
    if (HasFailure()) break;
  }
}

// Actions whose passes commit several cells, alone and together.
struct TogetherReplica final : Replica {
  explicit TogetherReplica(int actions, WalkOptions options) {
    options.ratios = {900, 800, 700, 600, 500, 400, 200};
    const CommitRule tau{CommitRule::Kind::kTau, 0.9f}, frechet{CommitRule::Kind::kFrechet, 0.4f};
    std::vector<Action> list = {
        {.commit = tau, .ensemble = Ensemble::kRelay, .others = {{.model = 1, .commit = tau}}},
        {.model = 1, .commit = tau},
        {.strategy = Strategy::kEntropy, .temperature = 0.5f, .commit = frechet, .seed = 4},
        {.model = 1, .commit = tau, .ensemble = Ensemble::kPoll, .others = {{.commit = tau}}}};
    list.resize(actions);
    setup_.emplace(
        std::vector<Participant>{
            {&dream, dream_lexicon().tokenizer, dream_lexicon().tokenizer->encode_bytes("?")},
            {&llada, llada_lexicon().tokenizer, llada_lexicon().tokenizer->encode_bytes("?")}},
        list, options);
  }
  const WalkSetup& setup() const override { return *setup_; }

  ScriptedModel dream = wishing_model(dream_lexicon(), 3),
                llada = wishing_model(llada_lexicon(), 4);
  std::optional<WalkSetup> setup_;
};

Plan together(const std::string& search, int actions, const WalkOptions& walk = {.window = 48}) {
  Plan plan{.search = search, .options = {.budget = 120}};
  plan.replica = [=] { return std::make_unique<TogetherReplica>(actions, walk); };
  return plan;
}

TEST(Ahead, ParallelCommitsEnsemblesAndOpeningsGiveTheSame) {
  for (const char* search : {"unmaskfork", "odds", "ab-mcts-a", "ab-mcts-m"}) {
    SCOPED_TRACE(search);
    expect_same_for_all(together(search, 4), /*journals=*/true);
  }
  for (const char* search : {"best-of-n", "dts"}) expect_same_for_all(together(search, 1));
  for (const WalkOptions& walk : {WalkOptions{.window = 48, .block_length = 8},
                                  WalkOptions{.window = 48, .policy = WindowPolicy::kFixedWindow},
                                  WalkOptions{.window = 48, .closed_text = true}}) {
    expect_same_for_all(together("odds", 4, walk));
    Plan plan = together("unmaskfork", 4, walk);
    expect_same_for_all(plan);
    for (const BudgetPolicy policy : {BudgetPolicy::kFinish, BudgetPolicy::kSkip}) {
      plan.options.policy = policy;
      plan.options.curve = {7, 20, 33, 70};
      expect_same_for_all(plan);
    }
  }
}

TEST(Ahead, ParallelCommitsEnsemblesAndOpeningsGoOnAfterAnyBreak) {
  for (const char* search : {"unmaskfork", "odds"}) {
    SCOPED_TRACE(search);
    const TemporaryDirectory directory;
    const Plan plan = together(search, 4);
    const Report expected = run(plan, 0, directory / "whole");
    int breaks = 0;
    for (std::size_t end = expected.journal.find('\n') + 1; end < expected.journal.size();
         end = expected.journal.find('\n', end) + 1) {
      write_file(directory / "part", expected.journal.substr(0, end));
      const Report resumed = run(plan, 2, directory / "part");
      EXPECT_EQ(resumed.result, expected.result);
      EXPECT_EQ(resumed.trace, expected.trace);
      EXPECT_TRUE(journal_entries(resumed.journal) == journal_entries(expected.journal));
      if (HasFailure()) break;
      ++breaks;
    }
    EXPECT_GE(breaks, 25);
    if (plan.search == "odds") {
      for (const char* kind : {"line", "suffix"}) EXPECT_THAT(expected.trace, HasSubstr(kind));
    }
  }
}

TEST(Ahead, WithoutTheCacheParallelCommitsAndEnsemblesFindTheSame) {
  for (const int actions : {2, 3}) {
    Plan plan = together("unmaskfork", actions, {.window = 24});
    plan.options.budget = LONG_MAX;
    const Report cached = run(plan, 0);
    plan.options.use_cache = false;
    const Report walked = run(plan, 0);
    const auto found = [](const Report& report) {
      return report.result.substr(0, report.result.find(" | nfe"));
    };
    EXPECT_EQ(found(walked), found(cached));
    EXPECT_LT(cached.walked.size(), walked.walked.size()) << "there was nothing to take";
  }
}

TEST(Ahead, TransformersGiveTheSameOnEveryNumberOfThreads) {
  struct Tiny final : Replica {
    Tiny(std::vector<std::string> names, int threads) {
      std::vector<Participant> participants;
      std::vector<Action> actions;
      for (const std::string& name : names) {
        models.push_back(
            std::make_unique<Loaded>(tiny_checkpoint(name), make_cpu_backend(threads, "")));
        LanguageModel& model = models.back()->model;
        participants.push_back(
            {&model, &model.tokenizer(), model.tokenizer().encode("Say it.", SpecialText::kPlain)});
        actions.push_back(recommended_action(model.info()));
        actions.back().model = static_cast<int>(actions.size()) - 1;
      }
      set_fields(actions.back(), "anchor=checkpoint");
      setup_.emplace(participants, actions,
                     WalkOptions{.window = kWindow, .ratios = {900, 800, 700, 500, 200}});
    }
    const WalkSetup& setup() const override { return *setup_; }
    std::vector<std::unique_ptr<Loaded>> models;
    std::optional<WalkSetup> setup_;
  };
  for (const auto& names : {std::vector<std::string>{"tiny-dream", "tiny-llada"},
                            {"tiny-dream", "tiny-llada", "tiny-diffucoder"}}) {
    Plan plan{.options = {.budget = 170}};
    plan.replica = [&] { return std::make_unique<Tiny>(names, 1); };
    const Report expected = run(plan, 0);
    for (const int threads : {1, 2}) {
      plan.replica = [&] { return std::make_unique<Tiny>(names, threads); };
      for (const int workers : {1, 2, 4}) {
        const Report report = run(plan, workers);
        EXPECT_EQ(report.result, expected.result) << workers << " workers, " << threads;
        EXPECT_EQ(report.trace, expected.trace);
      }
    }
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
    Plan plan{.options = {.budget = 170}};
    plan.replica = [&] {
      return std::make_unique<ScriptedReplica>(3, plan.walk, break_down(rarity));
    };
    expect_same_for_all(plan);
    errors += run(plan, 2).result.starts_with("error 'the device is lost'");
  }
  EXPECT_GT(errors, 2) << "not an example of it";
}

TEST(Ahead, AJudgeThatThrowsEndsTheSearchWhereItWouldHave) {
  const Plan plan{.options = {.budget = 170}, .worth = [](std::string_view text) {
                    if (worth_of(text) > 0.6) throw std::runtime_error("the judge left");
                    return worth_of(text);
                  }};
  expect_same_for_all(plan);
  EXPECT_THAT(run(plan, 2).result, testing::StartsWith("error 'the judge left'"));
}

TEST(Ahead, AnInterruptEndsTheSearchAndKeepsWhatWasFound) {
  for (const int workers : {1, 2, 4}) {
    std::atomic<int> passes = 0;
    const Report report = run({.search = "best-of-n", .actions = 1, .options = {.budget = 1 << 30}},
                              workers, {}, [&](const Pass&) { return ++passes < 50; });
    EXPECT_THAT(report.result, testing::StartsWith("interrupted ''"));
    EXPECT_THAT(report.result, testing::HasSubstr("iteration"));
  }
}

TEST(Ahead, WhoWatchesSeesThePassesOfTheTrialsThatTheSearchAsksFor) {
  const Plan plan{.options = {.budget = 170}};
  for (const int workers : {0, 1, 2, 4}) {
    std::mutex mutex;
    std::vector<Trial> seen;
    const Report report = run(plan, workers, {}, [&](const Pass& pass) {
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
  Plan plan{.options = {.budget = 3 * kWindow}};
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

ForcedWalks find_forced(const Plan& plan) {
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
  for (Plan plan : {Plan{.search = "best-of-n", .actions = 1, .options = {.budget = 3 * kWindow}},
                    Plan{.options = {.budget = 170}, .worth = in_eighths, .parts = 8}}) {
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
    const Report report = run(plan, 1);
    EXPECT_TRUE(beside) << "it was not begun";
    EXPECT_EQ(report.ahead.forced, std::ranges::count_if(after, [](long n) { return n > 0; }));
    EXPECT_EQ(report.ahead.wasted(), 0) << "one worker begins nothing else";
  }
}

}  // namespace
}  // namespace umf
