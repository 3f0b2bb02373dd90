#include "decode/window_authors.h"

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
  WindowAuthors authors{walker.states};

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
    const std::vector<int> by = authors.of(trial, end.cells);
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
    const std::vector<int> before = authors.of(trial, walker.states.enter(trial)->cells);
    std::set<int> writers(before.begin(), before.end());
    writers.erase(kNobody);
    if (writers.size() != 1 || *writers.begin() == trial.action) return;
    const WindowState end = walker.states.at(outcome.path.back().state);
    EXPECT_EQ(text_by(walker.states, end, authors.of(trial, end.cells), *writers.begin()),
              text_by(walker.states, from, {}, std::nullopt));
    ++changes;
  });
  EXPECT_GT(changes, 2);
}

TEST_F(AuthorsOfASearch, MasksAreNobodys) {
  const std::vector<Token> window(24, dream_lexicon().tokens.mask);
  EXPECT_EQ(authors.of({0, 0}, window), std::vector<int>(24, kNobody));
}

}  // namespace
}  // namespace umf
