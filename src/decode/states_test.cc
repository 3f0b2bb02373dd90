#include "decode/states.h"

#include <gtest/gtest.h>

#include "decode/walk_testing.h"

namespace umf {
namespace {

class StatesByNumber : public testing::Test {
 protected:
  States states_of(int window) {
    return States(
        {{{&dream_, dream_lexicon().tokenizer, {}}, {&llada_, llada_lexicon().tokenizer, {}}},
         {{}},
         {.window = window}});
  }
  ScriptedModel dream_ = hashing_model(dream_lexicon(), 1),
                llada_ = hashing_model(llada_lexicon(), 2);
  const Token mask_ = dream_lexicon().tokens.mask, other_mask_ = llada_lexicon().tokens.mask;
};

TEST_F(StatesByNumber, TheRootIsStateZeroInEveryLexicon) {
  States states = states_of(3);
  EXPECT_EQ(states.masks(0), 3);
  EXPECT_EQ(states.intern({0, {mask_, mask_, mask_}}), 0);
  EXPECT_EQ(states.intern({1, {other_mask_, other_mask_, other_mask_}}), 0);
  EXPECT_EQ(states.at(0), (WindowState{0, {mask_, mask_, mask_}}));
  EXPECT_EQ(states.size(), 1);
}

TEST_F(StatesByNumber, AllMasksWithStepsSpentOrAnotherLengthIsNotTheRoot) {
  States states = states_of(3);
  EXPECT_NE(states.intern({0, {mask_, mask_, mask_}, 2}), 0);
  EXPECT_NE(states.intern({0, {mask_, mask_}}), 0);
}

TEST_F(StatesByNumber, EqualStatesHaveEqualIds) {
  States states = states_of(2);
  const StateId id = states.intern({0, {1, mask_}});
  EXPECT_EQ(states.intern({0, {1, mask_}}), id);
  EXPECT_EQ(states.size(), 2);
  EXPECT_EQ(states.masks(id), 1);
  EXPECT_EQ(states.at(id), (WindowState{0, {1, mask_}, 0}));
}

TEST_F(StatesByNumber, LexiconStepsLengthAndEveryCellTellStatesApart) {
  States states = states_of(2);
  const WindowState different[] = {{0, {1, 2}}, {1, {1, 2}}, {0, {1, 2}, 1}, {0, {1, 2, 2}},
                                   {0, {1}},    {0, {2, 1}}, {0, {}}};
  StateId id = 1;
  for (const WindowState& state : different) EXPECT_EQ(states.intern(state), id++);
  id = 1;
  for (const WindowState& state : different) EXPECT_EQ(states.at(id++), state);
}

TEST_F(StatesByNumber, ManyStatesAreFoundAgain) {
  States states = states_of(4);
  const auto state = [&](int i) { return WindowState{0, {i % 7, i % 11, i % 13, mask_}}; };
  for (int i = 0; i < 1001; ++i) EXPECT_EQ(states.intern(state(i)), i + 1);
  for (int i = 0; i < 1001; ++i) EXPECT_EQ(states.intern(state(i)), i + 1);
}

}  // namespace
}  // namespace umf
