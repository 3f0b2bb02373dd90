// Working ahead with actions beyond the paper's: parallel commits, ensembles, openings, anchors,
// blocks of their own, growing windows, masking again.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <climits>

#include "support/ahead_runs.h"
#include "support/engine_fixture.h"

namespace umf {
namespace {

using testing::HasSubstr;

struct WishingReplica final : Replica {
  WishingReplica(const std::vector<Action>& actions, WalkOptions options) {
    options.ratios = {900, 800, 700, 600, 500, 400, 200};
    setup_.emplace(
        std::vector<Participant>{
            {&dream, dream_lexicon().tokenizer, dream_lexicon().tokenizer->encode_bytes("?")},
            {&llada, llada_lexicon().tokenizer, llada_lexicon().tokenizer->encode_bytes("?")}},
        actions, options);
  }
  const WalkSetup& setup() const override { return *setup_; }

  ScriptedModel dream = wishing_model(dream_lexicon(), 3),
                llada = wishing_model(llada_lexicon(), 4);
  std::optional<WalkSetup> setup_;
};

AheadPlan plan_of(const std::string& search, const std::vector<Action>& actions,
                  const WalkOptions& walk) {
  AheadPlan plan{.search = search, .options = {.budget = 120}};
  plan.replica = [=] { return std::make_unique<WishingReplica>(actions, walk); };
  return plan;
}

// Actions whose passes commit several cells, alone and together.
AheadPlan together(const std::string& search, int actions,
                   const WalkOptions& walk = {.window = 48}) {
  const CommitRule tau{CommitRule::Kind::kTau, 0.9f}, frechet{CommitRule::Kind::kFrechet, 0.4f};
  std::vector<Action> list = {
      {.commit = tau, .ensemble = Ensemble::kRelay, .others = {{.model = 1, .commit = tau}}},
      {.model = 1, .commit = tau},
      {.strategy = Strategy::kEntropy, .temperature = 0.5f, .commit = frechet, .seed = 4},
      {.model = 1, .commit = tau, .ensemble = Ensemble::kPoll, .others = {{.commit = tau}}}};
  list.resize(actions);
  return plan_of(search, list, walk);
}

// The published loops of families that go by blocks, grow their windows or mask again.
AheadPlan as_published(const std::string& search, const WalkOptions& walk = {.window = 48}) {
  const CommitRule tau{CommitRule::Kind::kTau, 0.9f};
  AheadPlan plan = plan_of(search,
                           {{.commit = tau, .block = 8},
                            {.model = 1, .block = 16, .grow = true},
                            {.remask = Remask::kP2},
                            {.model = 1, .temperature = 0.5f, .remask = Remask::kP2, .seed = 4}},
                           walk);
  plan.options.budget = 300;
  return plan;
}

// What the whole run comes to.
AheadReport expect_to_go_on_after_any_break(const AheadPlan& plan, int least_breaks) {
  const TemporaryDirectory directory;
  const AheadReport expected = run(plan, 0, directory / "whole");
  int breaks = 0;
  for (std::size_t end = expected.journal.find('\n') + 1; end < expected.journal.size();
       end = expected.journal.find('\n', end) + 1) {
    write_file(directory / "part", expected.journal.substr(0, end));
    const AheadReport resumed = run(plan, 2, directory / "part");
    EXPECT_EQ(resumed.result, expected.result);
    EXPECT_EQ(resumed.trace, expected.trace);
    EXPECT_TRUE(journal_entries(resumed.journal) == journal_entries(expected.journal));
    if (testing::Test::HasFailure()) break;
    ++breaks;
  }
  EXPECT_GE(breaks, least_breaks);
  return expected;
}

TEST(AheadActions, ParallelCommitsEnsemblesAndOpeningsGiveTheSame) {
  for (const char* search : {"unmaskfork", "odds", "ab-mcts-a", "ab-mcts-m"}) {
    SCOPED_TRACE(search);
    expect_same_for_all(together(search, 4), /*journals=*/true);
  }
  for (const char* search : {"best-of-n", "dts"}) expect_same_for_all(together(search, 1));
  for (const WalkOptions& walk : {WalkOptions{.window = 48, .block_length = 8},
                                  WalkOptions{.window = 48, .policy = WindowPolicy::kFixedWindow},
                                  WalkOptions{.window = 48, .closed_text = true}}) {
    expect_same_for_all(together("odds", 4, walk));
    AheadPlan plan = together("unmaskfork", 4, walk);
    expect_same_for_all(plan);
    for (const BudgetPolicy policy : {BudgetPolicy::kFinish, BudgetPolicy::kSkip}) {
      plan.options.policy = policy;
      plan.options.curve = {7, 20, 33, 70};
      expect_same_for_all(plan);
    }
  }
}

TEST(AheadActions, ParallelCommitsEnsemblesAndOpeningsGoOnAfterAnyBreak) {
  for (const char* search : {"unmaskfork", "odds"}) {
    SCOPED_TRACE(search);
    const AheadReport expected = expect_to_go_on_after_any_break(together(search, 4), 25);
    if (std::string_view(search) == "odds") {
      for (const char* kind : {"line", "suffix"}) EXPECT_THAT(expected.trace, HasSubstr(kind));
    }
  }
}

TEST(AheadActions, PublishedLoopsGiveTheSameAndGoOnAfterAnyBreak) {
  for (const char* search : {"unmaskfork", "odds", "ab-mcts-a"}) {
    SCOPED_TRACE(search);
    expect_same_for_all(as_published(search), /*journals=*/true);
  }
  expect_same_for_all(as_published("unmaskfork", {.window = 48, .closed_text = true}));
  expect_to_go_on_after_any_break(as_published("unmaskfork"), 5);
}

TEST(AheadActions, WithoutTheCacheParallelCommitsAndEnsemblesFindTheSame) {
  for (const int actions : {2, 3}) {
    AheadPlan plan = together("unmaskfork", actions, {.window = 24});
    plan.options.budget = LONG_MAX;
    const AheadReport cached = run(plan, 0);
    plan.options.use_cache = false;
    const AheadReport walked = run(plan, 0);
    const auto found = [](const AheadReport& report) {
      return report.result.substr(0, report.result.find(" | nfe"));
    };
    EXPECT_EQ(found(walked), found(cached));
    EXPECT_LT(cached.walked.size(), walked.walked.size()) << "there was nothing to take";
  }
}

TEST(AheadActions, TransformersGiveTheSameOnEveryNumberOfThreads) {
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
                     WalkOptions{.window = kAheadWindow, .ratios = {900, 800, 700, 500, 200}});
    }
    const WalkSetup& setup() const override { return *setup_; }
    std::vector<std::unique_ptr<Loaded>> models;
    std::optional<WalkSetup> setup_;
  };
  for (const auto& names : {std::vector<std::string>{"tiny-dream", "tiny-llada"},
                            {"tiny-dream", "tiny-llada", "tiny-diffucoder"}}) {
    AheadPlan plan{.options = {.budget = 170}};
    plan.replica = [&] { return std::make_unique<Tiny>(names, 1); };
    const AheadReport expected = run(plan, 0);
    for (const int threads : {1, 2}) {
      plan.replica = [&] { return std::make_unique<Tiny>(names, threads); };
      for (const int workers : {1, 2, 4}) {
        const AheadReport report = run(plan, workers);
        EXPECT_EQ(report.result, expected.result) << workers << " workers, " << threads;
        EXPECT_EQ(report.trace, expected.trace);
      }
    }
  }
}

}  // namespace
}  // namespace umf
