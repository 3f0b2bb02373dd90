#include "decode/authorship.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <climits>
#include <random>

#include "decode/walk_testing.h"
#include "search/checkpoints.h"

namespace umf {
namespace {

using testing::ElementsAre;

constexpr int kNoLimit = INT_MAX;

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

// The states of a walk that changes to the next action at every checkpoint, and its actions.
struct Steps {
  std::vector<StateId> path;
  std::vector<int> actions;
};
Steps walk_in_turns(NumberedWalks& walker, const std::vector<int>& turns) {
  Steps steps;
  Place at = walker.states.setup().root();
  for (std::size_t i = 0; at.masks > 0; ++i) {
    const int action = turns[i % turns.size()];
    const Outcome outcome = walker.walk({at.state, action}, kNoLimit);
    if (!outcome.feasible) return {};
    at = outcome.path.front();
    steps.path.push_back(at.state);
    steps.actions.push_back(action);
  }
  return steps;
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
  const Steps steps = walk_in_turns(walker, {0, 1});
  EXPECT_THAT(authorship(walker.states, steps.path, steps.actions),
              ElementsAre(AuthoredText{"aaaaaaaaaa", 0}, AuthoredText{"bbbbbbbbbb", 1}));
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
    const Steps steps = walk_in_turns(walker, turns);
    if (steps.path.empty()) continue;
    const std::vector<AuthoredText> pieces = authorship(walker.states, steps.path, steps.actions);
    EXPECT_EQ(joined(pieces), walker.text(steps.path.back()));
    for (std::size_t i = 1; i < pieces.size(); ++i)
      EXPECT_NE(pieces[i].action, pieces[i - 1].action);
    changes += static_cast<int>(pieces.size());
  }
  EXPECT_GT(changes, 50);
}

TEST(Authorship, OneActionWritesAll) {
  ScriptedModel llada = letter_model(llada_lexicon(), "b", true);
  NumberedWalks walker({{&llada, llada_lexicon().tokenizer, {4}}}, {{}},
                       {.window = 6, .ratios = {500}});
  const Steps steps = walk_in_turns(walker, {0});
  EXPECT_THAT(authorship(walker.states, steps.path, steps.actions),
              ElementsAre(AuthoredText{"bbbbbb", 0}));
}

}  // namespace
}  // namespace umf
