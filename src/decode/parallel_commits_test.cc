// Walks whose passes commit several cells: pure, replayed from every checkpoint, counted in passes.
#include <gtest/gtest.h>

#include <algorithm>
#include <climits>

#include "decode/decoder.h"
#include "decode/walk_testing.h"
#include "search/checkpoints.h"
#include "support/expect_error.h"

namespace umf {
namespace {

const std::vector<int> kRatios(std::begin(kPaperRatios), std::end(kPaperRatios));
constexpr int kNoLimit = INT_MAX;
constexpr int kWindow = 24;

CommitRule tau(float bound) { return {CommitRule::Kind::kTau, bound}; }
CommitRule frechet(float bound) { return {CommitRule::Kind::kFrechet, bound}; }

// Two models of different vocabularies, and every rule.
struct Duo {
  ScriptedModel dream = wishing_model(dream_lexicon(), 1);
  ScriptedModel llada = wishing_model(llada_lexicon(), 2);
  std::vector<Action> actions = {
      {.model = 0, .strategy = Strategy::kEntropy, .commit = tau(0.9f)},
      {.model = 1, .commit = tau(0.5f)},
      {.model = 1, .strategy = Strategy::kMargin, .commit = frechet(0.25f)},
      {.model = 0, .temperature = 1, .commit = tau(0.8f), .seed = 5},
      {.model = 1, .order_temperature = 0.5f, .commit = tau(0.99f)},
      {.model = 0, .commit = frechet(0.6f)}};

  NumberedWalks walker(const WalkOptions& options) {
    return NumberedWalks({{&dream, dream_lexicon().tokenizer, {1, 2, 3}},
                          {&llada, llada_lexicon().tokenizer, {4, 5}}},
                         actions, options);
  }
  int forward_passes() const { return dream.forward_passes() + llada.forward_passes(); }
};

// From the root, and from the first checkpoints of all actions.
std::vector<Trial> some_trials(NumberedWalks& walker) {
  std::vector<Trial> trials;
  for (int action = 0; action < walker.actions(); ++action) trials.push_back({0, action});
  for (int first = 0; first < walker.actions(); ++first) {
    const StateId from = walker.walk({0, first}, kNoLimit).path.front().state;
    for (int action = 0; action < walker.actions(); ++action) trials.push_back({from, action});
  }
  return trials;
}

TEST(ParallelCommits, StayingWithTheActionAtACheckpointRepeatsTheRestOfTheWalk) {
  for (const WalkOptions& options : every_way_to_walk(kWindow)) {
    Duo duo;
    NumberedWalks walker = duo.walker(options);
    for (const Trial& trial : some_trials(walker)) {
      const Outcome whole = walker.walk(trial, kNoLimit);
      if (!whole.feasible) continue;
      ASSERT_EQ(whole.passes_at.size(), whole.path.size());
      EXPECT_EQ(whole.passes_at.back(), whole.passes);
      for (std::size_t i = 0; i + 1 < whole.path.size(); ++i) {
        const Outcome rest = walker.walk({whole.path[i].state, trial.action}, kNoLimit);
        EXPECT_EQ(rest.path, std::vector(whole.path.begin() + i + 1, whole.path.end()));
        EXPECT_EQ(rest.passes, whole.passes - whole.passes_at[i]);
      }
    }
  }
}

TEST(ParallelCommits, PassesAreThoseThatModelsMadeAndFewerThanMasks) {
  Duo duo;
  NumberedWalks walker = duo.walker({.window = kWindow, .ratios = kRatios});
  for (int action = 0; action < walker.actions(); ++action) {
    const int before = duo.forward_passes();
    const Outcome outcome = walker.walk({0, action}, kNoLimit);
    EXPECT_EQ(duo.forward_passes() - before, outcome.passes);
    EXPECT_LT(outcome.passes, kWindow) << "action " << action << " never commits two";
    EXPECT_TRUE(outcome.complete);
  }
}

TEST(ParallelCommits, ACheckpointIsTheFirstStateAtOrBelowItsTarget) {
  Duo duo;
  NumberedWalks walker = duo.walker({.window = kWindow, .ratios = kRatios});
  const std::vector<int>& targets = walker.states.setup().targets();
  bool jumped = false;
  for (int action = 0; action < walker.actions(); ++action) {
    std::vector<int> expected;
    int target = targets.front();
    walker.walk({0, action}, kNoLimit, [&](const Pass& pass) {
      const auto masks =
          static_cast<int>(std::ranges::count(pass.window, pass.lexicon.tokens.mask));
      if (masks > target) return true;
      expected.push_back(masks);
      target = next_target(targets, masks);
      return true;
    });
    std::vector<int> seen;
    for (const Place& place : walker.walk({0, action}, kNoLimit).path) seen.push_back(place.masks);
    EXPECT_EQ(seen, expected);
    jumped = jumped || seen.size() <= targets.size();
  }
  EXPECT_TRUE(jumped) << "no pass jumped a checkpoint: the test shows nothing";
}

TEST(ParallelCommits, ALimitGivesAPrefixThatCanBeTakenUpAgain) {
  for (const WalkOptions& options : every_way_to_walk(kWindow)) {
    Duo duo;
    NumberedWalks walker = duo.walker(options);
    for (int action = 0; action < walker.actions(); ++action) {
      const Outcome whole = walker.walk({0, action}, kNoLimit);
      for (int limit = 0; limit <= whole.passes; ++limit) {
        const Outcome cut = walker.walk({0, action}, limit);
        EXPECT_EQ(cut.passes, limit);
        EXPECT_TRUE(std::equal(cut.path.begin(), cut.path.end() - 1, whole.path.begin()));
        EXPECT_EQ(walker.walk({cut.path.back().state, action}, kNoLimit).path.back(),
                  whole.path.back());
      }
    }
  }
}

TEST(ParallelCommits, PlainDecodingGoesTheSameWay) {
  for (const int block : {0, 8}) {
    Duo duo;
    NumberedWalks walker =
        duo.walker({.window = kWindow, .ratios = kRatios, .block_length = block});
    for (const int action : {0, 3, 5}) {
      const Outcome outcome = walker.walk({0, action}, kNoLimit);
      const Decoding plain = decode(duo.dream, std::vector<Token>{1, 2, 3}, duo.actions[action],
                                    {.length = kWindow, .block_length = block},
                                    [](const auto&, auto) { return true; });
      if (action == 3) continue;  // its number is part of the noise
      EXPECT_EQ(walker.states.at(outcome.path.back().state).cells, plain.window);
      EXPECT_EQ(outcome.passes, plain.passes);
    }
  }
}

TEST(ParallelCommits, NoPassWritesTextAndItsEndTogether) {
  // Every cell is sure: the left half of its letter, the right half of the end.
  const Lexicon& lexicon = llada_lexicon();
  const SpecialTokens& tokens = lexicon.tokens;
  ModelInfo info{.name = "sure", .fingerprint = "sure", .tokens = tokens, .max_length = 64};
  ScriptedModel model(info, [&](std::span<const Token>, int position) {
    std::vector<float> logits(lexicon.tokenizer->size(), 0.0f);
    logits[position < 8 ? 50 : tokens.end_of_text] = position < 8 ? 20.0f : 40.0f;
    return logits;
  });
  const Action action{.commit = tau(0.9f)};
  std::vector<std::size_t> sizes;
  const Decoding decoding = decode(model, {}, action, {.length = 16},
                                   [&](const Decoding&, std::span<const Commit> commits) {
                                     sizes.push_back(commits.size());
                                     return true;
                                   });
  EXPECT_EQ(sizes, (std::vector<std::size_t>{8, 8}));
  EXPECT_EQ(decoding.window[0], 50);
  EXPECT_EQ(decoding.window[15], tokens.end_of_text);
}

TEST(ParallelCommits, TheBarIsNotTheActionsTemperature) {
  // At T = 0.1 the candidate has nearly all probability; at 1, where the bar is, it has not.
  const Lexicon& lexicon = llada_lexicon();
  ModelInfo info{.name = "unsure",
                 .fingerprint = "unsure",
                 .tokens = lexicon.tokens,
                 .max_length = 64,
                 .tempered_scores = true};
  ScriptedModel model(info, [&](std::span<const Token>, int) {
    std::vector<float> logits(lexicon.tokenizer->size(), -50.0f);
    logits[50] = 1, logits[51] = 0;
    return logits;
  });
  const auto passes = [&](float bound) {
    const Action action{.temperature = 0.1f, .commit = tau(bound)};
    return decode(model, {}, action, {.length = 8}, [](const auto&, auto) { return true; }).passes;
  };
  EXPECT_EQ(passes(0.9f), 8);  // 1 / (1 + 1/e) is 0.73
  EXPECT_EQ(passes(0.7f), 1);
}

TEST(ParallelCommits, WhatDecidesByChanceOrByQuotaRefusesThem) {
  Action action;
  set_fields(action, "commit=tau:0.9");
  EXPECT_ERROR(set_fields(action, "strategy=random"), "commit=tau:0.9 does not go with random");
  EXPECT_ERROR(set_fields(action, "remask=cap"), "commit=tau:0.9 does not go with remask");
  ScriptedModel model = hashing_model(llada_lexicon(), 1);
  const auto run = [&](const DecodeOptions& options) {
    decode(model, {}, action, options, [](const auto&, auto) { return true; });
  };
  EXPECT_ERROR(run({.length = 8, .per_step = 2}), "commit=tau:0.9 says how many");
  EXPECT_ERROR(run({.length = 8, .schedule = Schedule::kLlada}), "commit=tau:0.9 says how many");
  EXPECT_ERROR(run({.length = 8, .threshold = 0.5f}), "commit=tau:0.9 says how many");
}

}  // namespace
}  // namespace umf
