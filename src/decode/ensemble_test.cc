// Relays and polls of models with tables of their own.
#include "decode/ensemble.h"

#include <gtest/gtest.h>

#include <climits>
#include <map>
#include <set>

#include "decode/authors.h"
#include "decode/walk_testing.h"
#include "search/checkpoints.h"
#include "support/expect_error.h"

namespace umf {
namespace {

const std::vector<int> kRatios(std::begin(kPaperRatios), std::end(kPaperRatios));
constexpr int kNoLimit = INT_MAX, kWindow = 24;

CommitRule tau(float bound) { return {CommitRule::Kind::kTau, bound}; }

Action together(Ensemble ensemble, std::vector<int> models, CommitRule commit) {
  Action action{.model = models.front(), .commit = commit, .ensemble = ensemble};
  for (std::size_t i = 1; i < models.size(); ++i)
    action.others.push_back({.model = models[i], .commit = commit});
  return action;
}

// Three models, two of which have the same words; relays and polls beside single actions.
struct Trio {
  ScriptedModel dream = wishing_model(dream_lexicon(), 1);
  ScriptedModel llada = wishing_model(llada_lexicon(), 2);
  ScriptedModel second = wishing_model(dream_lexicon(), 3);
  std::vector<Action> actions = {
      together(Ensemble::kRelay, {0, 1, 2}, tau(0.95f)),
      together(Ensemble::kRelay, {2, 1}, {CommitRule::Kind::kFrechet, 0.5f}),
      together(Ensemble::kPoll, {0, 2}, tau(0.9f)),
      together(Ensemble::kPoll, {1, 0}, tau(0.9f)),
      together(Ensemble::kRelay, {1, 0}, {}),
      {.model = 1, .commit = tau(0.9f)},
      {.model = 0}};
  NumberedWalks walker(const WalkOptions& options, WalkMemo* memo = nullptr) {
    return NumberedWalks({{&dream, dream_lexicon().tokenizer, {1, 2, 3}},
                          {&llada, llada_lexicon().tokenizer, {4, 5}},
                          {&second, dream_lexicon().tokenizer, {6}}},
                         actions, options, memo);
  }
  int forward_passes() const {
    return dream.forward_passes() + llada.forward_passes() + second.forward_passes();
  }
};

std::vector<Trial> some_trials(NumberedWalks& walker) {
  std::vector<Trial> trials;
  for (int action = 0; action < walker.actions(); ++action) trials.push_back({0, action});
  for (int first = 0; first < walker.actions(); ++first) {
    const Outcome outcome = walker.walk({0, first}, kNoLimit);
    const StateId from = outcome.path[outcome.path.size() / 2].state;
    for (int action = 0; action < walker.actions(); ++action) trials.push_back({from, action});
  }
  return trials;
}

TEST(Ensembles, StayingWithTheActionAtACheckpointRepeatsTheRestOfTheWalk) {
  for (const WalkOptions& options : every_way_to_walk(kWindow)) {
    Trio trio;
    NumberedWalks walker = trio.walker(options);
    for (const Trial& trial : some_trials(walker)) {
      const Outcome whole = walker.walk(trial, kNoLimit);
      if (!whole.feasible) continue;
      EXPECT_TRUE(whole.complete);
      for (std::size_t i = 0; i + 1 < whole.path.size(); ++i) {
        const Outcome rest = walker.walk({whole.path[i].state, trial.action}, kNoLimit);
        EXPECT_EQ(rest.path, std::vector(whole.path.begin() + i + 1, whole.path.end()));
        EXPECT_EQ(rest.passes, whole.passes - whole.passes_at[i]);
      }
    }
  }
}

TEST(Ensembles, EveryLookIsAPassAndIsPaid) {
  Trio trio;
  NumberedWalks walker = trio.walker({.window = kWindow, .ratios = kRatios});
  for (int action = 0; action < walker.actions(); ++action) {
    const int before = trio.forward_passes();
    int seen = 0;
    const Outcome outcome = walker.walk({0, action}, kNoLimit, [&](const Pass& pass) {
      EXPECT_EQ(&pass.lexicon, &walker.walker.setup().lexicon_of_model(pass.model));
      return ++seen > 0;
    });
    EXPECT_EQ(trio.forward_passes() - before, outcome.passes);
    EXPECT_EQ(seen, outcome.passes);
  }
}

TEST(Ensembles, ALimitCutsTheWalkAtItsLastCommit) {
  for (const WalkOptions& options : every_way_to_walk(kWindow)) {
    Trio trio;
    NumberedWalks walker = trio.walker(options);
    for (int action = 0; action < walker.actions(); ++action) {
      const Outcome whole = walker.walk({0, action}, kNoLimit);
      for (int limit = 0; limit <= whole.passes; ++limit) {
        const Outcome cut = walker.walk({0, action}, limit);
        EXPECT_EQ(cut.passes, limit);
        EXPECT_EQ(cut.complete, limit == whole.passes);
        ASSERT_FALSE(cut.path.empty());
        for (std::size_t i = 1; i < cut.path.size(); ++i)
          EXPECT_LT(cut.path[i].masks, cut.path[i - 1].masks);
        EXPECT_EQ(walker.walk({cut.path.back().state, action}, kNoLimit).path.back(),
                  whole.path.back());
      }
    }
  }
}

TEST(Ensembles, MasksFallWithEveryCommitAndTheTextStays) {
  for (const WalkOptions& options : every_way_to_walk(kWindow)) {
    Trio trio;
    NumberedWalks walker = trio.walker(options);
    for (int action = 0; action < 5; ++action) {
      int left = kWindow;
      walker.walk({0, action}, kNoLimit, [&](const Pass& pass) {
        const auto masks =
            static_cast<int>(std::ranges::count(pass.window, pass.lexicon.tokens.mask));
        if (!pass.commits.empty()) {
          EXPECT_LT(masks, left);
          left = masks;
        }
        return true;
      });
    }
  }
}

// A model that is sure of its letter in some cells, half sure in others.
ScriptedModel letters(const Lexicon& lexicon, const char* letter, std::set<int> sure,
                      float otherwise) {
  const Token wanted = lexicon.tokenizer->encode_bytes(letter).front();
  const int vocabulary = lexicon.tokenizer->size();
  ModelInfo info{.name = letter,
                 .fingerprint = letter,
                 .tokens = lexicon.tokens,
                 .vocabulary = vocabulary,
                 .max_length = 64};
  return {info, [=](std::span<const Token>, int position) {
            std::vector<float> logits(vocabulary, 0.0f);
            logits[wanted] = sure.contains(position) ? 30.0f : otherwise;
            return logits;
          }};
}

struct Pair {
  Pair(std::set<int> a_sure, float a_otherwise, std::set<int> b_sure, float b_otherwise,
       Ensemble ensemble)
      : a(letters(dream_lexicon(), "a", std::move(a_sure), a_otherwise)),
        b(letters(llada_lexicon(), "b", std::move(b_sure), b_otherwise)),
        walker({{&a, dream_lexicon().tokenizer, {}}, {&b, llada_lexicon().tokenizer, {}}},
               {together(ensemble, {0, 1}, tau(0.9f))}, {.window = 6, .ratios = {500}}) {}
  ScriptedModel a, b;
  NumberedWalks walker;
};

TEST(Relay, WhoeverIsSureWritesAndTheOthersTheRest) {
  Pair pair({0, 1, 2}, 0, {3, 4, 5}, 0, Ensemble::kRelay);
  const Outcome outcome = pair.walker.walk({0, 0}, kNoLimit);
  EXPECT_EQ(pair.walker.text(outcome.path.back().state), "aaabbb");
  // a writes three; a is unsure; b writes three.
  EXPECT_EQ(outcome.passes, 3);
  EXPECT_EQ(outcome.writes[2].model, 0);
  EXPECT_EQ(outcome.writes[3].model, 1);
  EXPECT_EQ(outcome.writes[2].pass, 1);
  EXPECT_EQ(outcome.writes[3].pass, 3);
}

TEST(Relay, WhereNobodyIsSureTheSurestOfAllWritesOneCell) {
  // b is surer than a, everywhere alike: its cells from the left, two looks each.
  Pair pair({}, 5, {}, 6, Ensemble::kRelay);
  const Outcome outcome = pair.walker.walk({0, 0}, kNoLimit);
  EXPECT_EQ(pair.walker.text(outcome.path.back().state), "bbbbbb");
  EXPECT_EQ(outcome.passes, 12);
  for (int i = 0; i < 6; ++i) EXPECT_EQ(outcome.writes[i].cell, i);
}

TEST(Relay, OfEquallySureModelsTheEarlierInTheListWrites) {
  // The same words, so that probabilities are equal to the bit.
  ScriptedModel a = letters(dream_lexicon(), "a", {}, 5), b = letters(dream_lexicon(), "b", {}, 5);
  for (const bool reversed : {false, true}) {
    NumberedWalks walker(
        {{&a, dream_lexicon().tokenizer, {}}, {&b, dream_lexicon().tokenizer, {}}},
        {together(Ensemble::kRelay, reversed ? std::vector{1, 0} : std::vector{0, 1}, tau(0.9f))},
        {.window = 4, .ratios = {500}});
    const Outcome outcome = walker.walk({0, 0}, kNoLimit);
    EXPECT_EQ(walker.text(outcome.path.back().state), reversed ? "bbbb" : "aaaa");
  }
}

TEST(Poll, EachCellGoesToWhoeverIsSurest) {
  Pair pair({0, 2, 4}, 0, {1, 3, 5}, 0, Ensemble::kPoll);
  const Outcome outcome = pair.walker.walk({0, 0}, kNoLimit);
  EXPECT_EQ(pair.walker.text(outcome.path.back().state), "ababab");
  EXPECT_EQ(outcome.passes, 2);
  for (const Write& write : outcome.writes) EXPECT_EQ(write.model, write.cell % 2);
}

TEST(Ensembles, AuthorsAreKnownByCellWhateverTheTokenizers) {
  for (const WalkOptions& options : every_way_to_walk(kWindow)) {
    Trio trio;
    NumberedWalks walker = trio.walker(options);
    Authors authors(walker.states);
    const int most = walker.states.setup().author(4, 0);  // the last of the last ensemble
    for (const Trial& trial : some_trials(walker)) {
      std::vector<std::vector<int>> live;
      const Outcome outcome = walker.walk(trial, kNoLimit, [&](const Pass& pass) {
        live.push_back(authors.of(trial, pass.lexicon, pass.window, pass.writers));
        return true;
      });
      if (!outcome.feasible) continue;
      authors.learn(trial, outcome);
      const StateId end = outcome.path.back().state;
      std::string text;
      for (const AuthoredText& piece : authors.text(end, kNobody)) {
        text += piece.bytes;
        ASSERT_GE(piece.author, 0);
        ASSERT_LE(piece.author, most);
      }
      EXPECT_EQ(text, walker.text(end));
    }
  }
}

TEST(Ensembles, WhatWasWrittenCanBeReplayed) {
  for (const WalkOptions& options : every_way_to_walk(kWindow)) {
    Trio trio;
    NumberedWalks walker = trio.walker(options);
    int changes = 0;
    for (const Trial& trial : some_trials(walker)) {
      const Outcome outcome = walker.walk(trial, kNoLimit);
      if (!outcome.feasible) continue;
      Replay replay(walker.states, trial, outcome);
      for (; !replay.done(); replay.write()) changes += replay.changes_ids();
      EXPECT_EQ(replay.window().cells, walker.states.at(outcome.path.back().state).cells);
    }
    EXPECT_GT(changes, 10);
  }
}

TEST(Ensembles, AuthorsAreCountedBehindTheActions) {
  Trio trio;
  const NumberedWalks walker = trio.walker({.window = kWindow, .ratios = kRatios});
  const WalkSetup& setup = walker.states.setup();
  EXPECT_EQ(setup.author(5, 1), 5);
  EXPECT_EQ(setup.author(0, 0), 7);
  EXPECT_EQ(setup.author(0, 2), 9);
  EXPECT_EQ(setup.author(1, 2), 10);
  EXPECT_EQ(setup.author(4, 0), 17);
}

TEST(Ensembles, AMemoGivesTheSameWalks) {
  Trio trio;
  WalkMemo memo;
  NumberedWalks plain = trio.walker({.window = kWindow, .ratios = kRatios});
  NumberedWalks filling = trio.walker({.window = kWindow, .ratios = kRatios}, &memo);
  NumberedWalks using_it = trio.walker({.window = kWindow, .ratios = kRatios}, &memo);
  const std::vector<Trial> trials = some_trials(plain);
  for (const Trial& trial : some_trials(filling)) filling.walk(trial, kNoLimit);
  some_trials(using_it);
  for (const Trial& trial : trials) {
    const Outcome expected = plain.walk(trial, kNoLimit), found = using_it.walk(trial, kNoLimit);
    EXPECT_EQ(found.path, expected.path);
    EXPECT_EQ(found.writes, expected.writes);
    EXPECT_EQ(found.passes, expected.passes);
  }
}

TEST(Ensembles, MistakesAreNamed) {
  ScriptedModel model = wishing_model(llada_lexicon(), 1);
  const auto setup = [&](const Action& action) {
    return WalkSetup(
        {{&model, llada_lexicon().tokenizer, {}}, {&model, llada_lexicon().tokenizer, {}}},
        {action}, {.window = 4});
  };
  EXPECT_ERROR(setup({.ensemble = Ensemble::kRelay}), "rule=relay is for several models");
  EXPECT_ERROR(setup({.others = {{.model = 1}}}), "needs rule=relay or rule=poll");
  EXPECT_ERROR(setup({.ensemble = Ensemble::kPoll, .others = {{.model = 0}}}), "named twice");
  EXPECT_ERROR(setup({.ensemble = Ensemble::kPoll, .others = {{.model = 2}}}), "names model 2");
  Action action{.ensemble = Ensemble::kRelay, .others = {{.model = 1, .remask = Remask::kCap}}};
  EXPECT_ERROR(setup(action), "mask nothing again");
}

}  // namespace
}  // namespace umf
