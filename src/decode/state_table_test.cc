#include "decode/state_table.h"

#include <gtest/gtest.h>

namespace umf {
namespace {

constexpr Token kMask = 9, kOtherMask = 5;

StateTable table_of(int window) { return StateTable(window, {kMask, kOtherMask}); }

TEST(StateTable, TheRootIsStateZeroInEveryLexicon) {
  StateTable table = table_of(3);
  EXPECT_EQ(table.masks(0), 3);
  EXPECT_EQ(table.intern({0, {kMask, kMask, kMask}}), 0);
  EXPECT_EQ(table.intern({1, {kOtherMask, kOtherMask, kOtherMask}}), 0);
  EXPECT_EQ(table.at(0), (WindowState{0, {kMask, kMask, kMask}}));
  EXPECT_EQ(table.size(), 1);
}

TEST(StateTable, AllMasksWithStepsSpentOrAnotherLengthIsNotTheRoot) {
  StateTable table = table_of(3);
  EXPECT_NE(table.intern({0, {kMask, kMask, kMask}, 2}), 0);
  EXPECT_NE(table.intern({0, {kMask, kMask}}), 0);
}

TEST(StateTable, EqualStatesHaveEqualIds) {
  StateTable table = table_of(2);
  const StateId id = table.intern({0, {1, kMask}});
  EXPECT_EQ(table.intern({0, {1, kMask}}), id);
  EXPECT_EQ(table.size(), 2);
  EXPECT_EQ(table.masks(id), 1);
  EXPECT_EQ(table.at(id), (WindowState{0, {1, kMask}, 0}));
}

TEST(StateTable, LexiconStepsLengthAndEveryCellTellStatesApart) {
  StateTable table = table_of(2);
  const WindowState states[] = {{0, {1, 2}}, {1, {1, 2}}, {0, {1, 2}, 1}, {0, {1, 2, 2}},
                                {0, {1}},    {0, {2, 1}}, {0, {}}};
  StateId id = 1;
  for (const WindowState& state : states) EXPECT_EQ(table.intern(state), id++);
  id = 1;
  for (const WindowState& state : states) EXPECT_EQ(table.at(id++), state);
}

TEST(StateTable, ManyStatesAreFoundAgain) {
  StateTable table = table_of(4);
  const auto state = [](int i) { return WindowState{0, {i % 7, i % 11, i % 13, kMask}}; };
  for (int i = 0; i < 1001; ++i) EXPECT_EQ(table.intern(state(i)), i + 1);
  for (int i = 0; i < 1001; ++i) EXPECT_EQ(table.intern(state(i)), i + 1);
}

}  // namespace
}  // namespace umf
