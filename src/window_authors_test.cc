#include "window_authors.h"

#include <gtest/gtest.h>

#include <set>

#include "decode/walk_testing.h"
#include "decoding_world.h"
#include "search/searches.h"

namespace umf {
namespace {

struct LongerIsBetter final : Reward {
  Verdict judge(std::string_view answer) override {
    return {std::min(static_cast<double>(answer.size()) / 200, 0.9), ""};
  }
};

// The text that one author wrote, or all of it.
std::string text_by(const Walker& walker, const WindowState& state, const std::vector<int>& authors,
                    std::optional<int> author) {
  const Lexicon& lexicon = walker.lexicon_of(state);
  std::string text;
  for (std::size_t i = 0; i < state.cells.size(); ++i) {
    if (role_of(lexicon, state.cells[i]) == CellRole::kText && (!author || authors[i] == *author))
      text += lexicon.tokenizer->bytes(state.cells[i]);
  }
  return text;
}

// Dream's and LLaDA's words, so that every switch is one of tokenizers.
struct AuthorsOfASearch : testing::Test {
  ScriptedModel dream = hashing_model(dream_lexicon(), 1);
  ScriptedModel llada = hashing_model(llada_lexicon(), 2);
  Walker walker{
      {{&dream, dream_lexicon().tokenizer, {1}}, {&llada, llada_lexicon().tokenizer, {1}}},
      {{.model = 0}, {.model = 1}},
      {.window = 24, .ratios = {750, 500, 250}}};
  WindowAuthors authors{walker};

  void search(const Observer& observer) {
    LongerIsBetter reward;
    DecodingWorld world(walker, reward, {});
    RolloutCache known;
    const auto tree = make_search(
        "unmaskfork", {.root = walker.root(), .actions = 2, .seed = 3, .cache = &known});
    solve(*tree, world, known, {.budget = 600}, [&](const RolloutEvent& event) {
      observer(event);
      authors.learn(event);
      return true;
    });
  }
};

TEST_F(AuthorsOfASearch, WhatARolloutWroteIsItsOwn) {
  int rollouts = 0;
  search([&](const RolloutEvent& event) {
    if (event.outcome.cached) return true;
    const WindowState end = walker.state(event.outcome.path.back().state);
    const std::vector<int> by = authors.of(event.trial, end.cells);
    for (const Write& write : event.outcome.writes) EXPECT_EQ(by[write.cell], event.trial.action);
    ++rollouts;
    return true;
  });
  EXPECT_GT(rollouts, 5);
}

TEST_F(AuthorsOfASearch, TextKeepsItsAuthorThroughAChangeOfTokenizer) {
  int changes = 0;
  search([&](const RolloutEvent& event) {
    if (event.outcome.cached || event.trial.from == 0) return true;
    const WindowState from = walker.state(event.trial.from);
    const std::vector<int> before =
        authors.of({event.trial.from, event.trial.action}, walker.enter(event.trial)->cells);
    std::set<int> writers(before.begin(), before.end());
    writers.erase(kNobody);
    if (writers.size() != 1 || *writers.begin() == event.trial.action) return true;
    const WindowState end = walker.state(event.outcome.path.back().state);
    EXPECT_EQ(text_by(walker, end, authors.of(event.trial, end.cells), *writers.begin()),
              text_by(walker, from, {}, std::nullopt));
    ++changes;
    return true;
  });
  EXPECT_GT(changes, 2);
}

TEST_F(AuthorsOfASearch, MasksAreNobodys) {
  const std::vector<Token> window(24, dream_lexicon().tokens.mask);
  EXPECT_EQ(authors.of({0, 0}, window), std::vector<int>(24, kNobody));
}

}  // namespace
}  // namespace umf
