#include "decode/authors.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <climits>
#include <optional>
#include <random>
#include <set>

#include "decode/walk_testing.h"

namespace umf {
namespace {

// The text that one author wrote, or all of it.
std::string text_by(const States& states, const WindowState& state, const std::vector<int>& authors,
                    std::optional<int> author) {
  std::string text;
  for (std::size_t i = 0; i < state.cells.size(); ++i) {
    if (!author || authors[i] == *author) text += text_of(states.lexicon_of(state), state.cells[i]);
  }
  return text;
}

// Dream's and LLaDA's words, so that every switch is one of tokenizers.
struct AuthorsOfASearch : testing::Test {
  ScriptedModel dream = hashing_model(dream_lexicon(), 1);
  ScriptedModel llada = hashing_model(llada_lexicon(), 2);
  NumberedWalks walker{
      {{&dream, dream_lexicon().tokenizer, {1}}, {&llada, llada_lexicon().tokenizer, {1}}},
      {{.model = 0}, {.model = 1}},
      {.window = 24, .ratios = {750, 500, 250}}};
  Authors authors{walker.states};

  // Rollouts from states that others have passed; `see` comes before they are learned.
  void search(const std::function<void(const Trial&, const Outcome&)>& see) {
    std::mt19937 rng(3);
    std::vector<StateId> open = {0};
    for (int rollout = 0; rollout < 40; ++rollout) {
      const Trial trial{open[rng() % open.size()], static_cast<int>(rng() % 2)};
      const Outcome outcome = walker.walk(trial, INT_MAX);
      if (!outcome.feasible) continue;
      see(trial, outcome);
      authors.learn(trial, outcome);
      for (const Place& place : outcome.path) {
        if (place.masks > 0) open.push_back(place.state);
      }
    }
  }
};

TEST_F(AuthorsOfASearch, WhatARolloutWroteIsItsOwn) {
  int rollouts = 0;
  search([&](const Trial& trial, const Outcome& outcome) {
    const WindowState end = walker.states.at(outcome.path.back().state);
    const std::vector<int> by = authors.of(trial, walker.states.lexicon_of(end), end.cells);
    for (const Write& write : outcome.writes) EXPECT_EQ(by[write.cell], trial.action);
    rollouts += !outcome.writes.empty();
  });
  EXPECT_GT(rollouts, 5);
}

TEST_F(AuthorsOfASearch, TextKeepsItsAuthorThroughAChangeOfTokenizer) {
  int changes = 0;
  search([&](const Trial& trial, const Outcome& outcome) {
    if (trial.from == 0) return;
    const WindowState from = walker.states.at(trial.from);
    const WindowState entered = walker.states.enter(trial).value();
    const std::vector<int> before =
        authors.of(trial, walker.states.lexicon_of(entered), entered.cells);
    std::set<int> writers(before.begin(), before.end());
    writers.erase(kNobody);
    if (writers.size() != 1 || *writers.begin() == trial.action) return;
    const WindowState end = walker.states.at(outcome.path.back().state);
    EXPECT_EQ(
        text_by(walker.states, end, authors.of(trial, walker.states.lexicon_of(end), end.cells),
                *writers.begin()),
        text_by(walker.states, from, {}, std::nullopt));
    ++changes;
  });
  EXPECT_GT(changes, 2);
}

TEST_F(AuthorsOfASearch, MasksAreNobodys) {
  const std::vector<Token> window(24, dream_lexicon().tokens.mask);
  EXPECT_EQ(authors.of({0, 0}, dream_lexicon(), window), std::vector<int>(24, kNobody));
}

// Writes one letter everywhere, from the left or from the right.
ScriptedModel letter_model(const Lexicon& lexicon, const char* letter, bool from_left) {
  const Token wanted = lexicon.tokenizer->encode_bytes(letter).front();
  const int vocabulary = lexicon.tokenizer->size();
  return {{.name = letter, .tokens = lexicon.tokens, .vocabulary = vocabulary, .max_length = 4096},
          [=](std::span<const Token>, int position) {
            std::vector<float> logits(vocabulary, 0.0f);
            logits[wanted] = 20.0f + (from_left ? -0.01f : 0.01f) * static_cast<float>(position);
            return logits;
          }};
}

// The end of a walk that changes to the next action at every checkpoint; the root where a window
// did not fit.
StateId walk_in_turns(NumberedWalks& walker, const std::vector<int>& turns, Authors& authors) {
  Place at = walker.states.setup().root();
  for (std::size_t i = 0; at.masks > 0; ++i) {
    const int action = turns[i % turns.size()];
    const Outcome outcome = walker.walk({at.state, action}, INT_MAX);
    if (!outcome.feasible) return 0;
    authors.learn({at.state, action}, outcome);
    at = outcome.path.front();
  }
  return at.state;
}

std::string joined(const std::vector<AuthoredText>& pieces) {
  std::string text;
  for (const AuthoredText& piece : pieces) text += piece.bytes;
  return text;
}

TEST(Authorship, EveryLetterBelongsToTheModelThatWroteIt) {
  ScriptedModel dream = letter_model(dream_lexicon(), "a", true);
  ScriptedModel llada = letter_model(llada_lexicon(), "b", false);
  NumberedWalks walker(
      {{&dream, dream_lexicon().tokenizer, {1, 2}}, {&llada, llada_lexicon().tokenizer, {4}}},
      {{.model = 0}, {.model = 1}}, {.window = 20, .ratios = {500}});
  Authors authors(walker.states);
  const StateId end = walk_in_turns(walker, {0, 1}, authors);
  EXPECT_THAT(authors.text(end, kNobody),
              testing::ElementsAre(AuthoredText{"aaaaaaaaaa", 0}, AuthoredText{"bbbbbbbbbb", 1}));
}

TEST(Authorship, PiecesMakeUpTheTextWhateverTheTokenizers) {
  ScriptedModel dream = hashing_model(dream_lexicon(), 1);
  ScriptedModel llada = hashing_model(llada_lexicon(), 2);
  NumberedWalks walker(
      {{&dream, dream_lexicon().tokenizer, {1, 2}}, {&llada, llada_lexicon().tokenizer, {4}}},
      {{.model = 0}, {.model = 1}, {.model = 0, .temperature = 1, .seed = 3}},
      {.window = 24, .ratios = {900, 800, 600, 400, 200}});
  std::mt19937 rng(7);
  int changes = 0;
  for (int round = 0; round < 50; ++round) {
    std::vector<int> turns(6);
    for (int& turn : turns) turn = static_cast<int>(rng() % 3);
    Authors authors(walker.states);
    const StateId end = walk_in_turns(walker, turns, authors);
    if (end == 0) continue;
    const std::vector<AuthoredText> pieces = authors.text(end, kNobody);
    EXPECT_EQ(joined(pieces), walker.text(end));
    for (std::size_t i = 1; i < pieces.size(); ++i)
      EXPECT_NE(pieces[i].author, pieces[i - 1].author);
    changes += static_cast<int>(pieces.size());
  }
  EXPECT_GT(changes, 50);
}

TEST(Authorship, OneActionWritesAll) {
  ScriptedModel llada = letter_model(llada_lexicon(), "b", true);
  NumberedWalks walker({{&llada, llada_lexicon().tokenizer, {4}}}, {{}},
                       {.window = 6, .ratios = {500}});
  Authors authors(walker.states);
  const StateId end = walk_in_turns(walker, {0}, authors);
  EXPECT_THAT(authors.text(end, kNobody), testing::ElementsAre(AuthoredText{"bbbbbb", 0}));
}

}  // namespace
}  // namespace umf
