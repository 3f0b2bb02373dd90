#include "decode/openings.h"

#include <gtest/gtest.h>

#include <climits>

#include "decode/authors.h"
#include "decode/walk_testing.h"

namespace umf {
namespace {

// A finished window: the text, its end, and padding up to `size` cells.
std::vector<Token> finished(const std::string& text, int size) {
  const Lexicon& lexicon = llada_lexicon();
  std::vector<Token> cells;
  for (const char byte : text)
    cells.push_back(lexicon.tokenizer->encode_bytes(std::string(1, byte)).front());
  cells.resize(size, lexicon.tokens.end_of_text);
  return cells;
}

// The window with masks as '_' and ends as '.'.
std::string shown(const std::vector<Token>& cells) {
  const Lexicon& lexicon = llada_lexicon();
  std::string text;
  for (const Token cell : cells) {
    if (cell == lexicon.tokens.mask)
      text += '_';
    else if (ends_text(lexicon.tokens, cell))
      text += '.';
    else
      text += text_of(lexicon, cell);
  }
  return text;
}

std::vector<std::string> all_opened(const std::vector<Token>& cells, const Verdict& verdict = {}) {
  std::vector<std::string> windows;
  for (const Opening& opening : openings_of(cells, llada_lexicon(), verdict)) {
    const WindowState state = opened({0, cells, 3, 1}, opening, llada_lexicon().tokens.mask);
    EXPECT_EQ(state.cells.size(), cells.size());
    EXPECT_EQ(state.steps_left, 0);
    EXPECT_EQ(state.writer, -1);
    windows.push_back(std::string(name_of(opening.kind)) + " " + shown(state.cells));
  }
  return windows;
}

TEST(Openings, AreLinesWithAndWithoutRoomAndWhatFollows) {
  EXPECT_EQ(all_opened(finished("ab\ncd\ne", 12)),
            (std::vector<std::string>{"line __\ncd\ne.....", "borrowed ______\ncd\ne.",
                                      "line ab\n__\ne.....", "borrowed ab\n______\ne.",
                                      "suffix ab\n_________", "line ab\ncd\n_.....",
                                      "borrowed ab\ncd\n_____.", "suffix ab\ncd\n______"}));
}

TEST(Openings, BorrowOnlyWhereTheTextKeepsItsEnd) {
  for (const std::string& window : all_opened(finished("ab\nc", 8)))
    EXPECT_FALSE(window.starts_with("borrowed")) << window;
  EXPECT_EQ(all_opened(finished("ab\nc", 9))[1], "borrowed ______\nc.");
}

TEST(Openings, EmptyLinesAndEmptyTextsHaveNone) {
  EXPECT_TRUE(all_opened(finished("", 6)).empty());
  EXPECT_TRUE(all_opened(finished("\n\n", 6)).empty());
  EXPECT_EQ(all_opened(finished("a\n\nb", 5)),
            (std::vector<std::string>{"line _\n\nb.", "line a\n\n_.", "suffix a\n\n__"}));
}

Verdict naming(const std::vector<std::vector<std::string>>& lines) {
  Verdict verdict;
  for (const std::vector<std::string>& of_test : lines)
    verdict.tests.push_back({"test", TestOutcome::kError, "raised", of_test});
  return verdict;
}

TEST(Openings, OfLinesThatFailingTestsNameComeFirst) {
  const std::vector<Token> cells = finished("ab\n  cd \nab\ne", 15);
  const std::size_t others = all_opened(cells).size();
  auto windows = all_opened(cells, naming({{}, {"e", "cd"}, {"e", "cd"}, {"ab"}}));
  EXPECT_EQ(windows.size(), 3 + others);
  windows.resize(3);
  EXPECT_EQ(windows,
            (std::vector<std::string>{"named ab\n_____\nab\n_..", "named ab\n_____\nab\ne..",
                                      "named __\n  cd \n__\ne.."}));
}

TEST(Openings, OfLinesThatAreNotInTheTextAreNone) {
  const std::vector<Token> cells = finished("ab\ncd", 8);
  EXPECT_EQ(all_opened(cells, naming({{"a", "b", "", "ab\ncd", "x"}})), all_opened(cells));
}

// Whatever walks end with: an opening keeps what it does not mask, and its authors.
TEST(Openings, KeepTheRestOfTheTextAndItsAuthors) {
  ScriptedModel dream = wishing_model(dream_lexicon(), 1),
                llada = wishing_model(llada_lexicon(), 2);
  NumberedWalks walker(
      {{&dream, dream_lexicon().tokenizer, {1}}, {&llada, llada_lexicon().tokenizer, {1}}},
      {{.model = 0}, {.model = 1}}, {.window = 96, .ratios = {500}});
  Authors authors(walker.states);
  int openings = 0;
  for (int action = 0; action < 2; ++action) {
    Outcome outcome = walker.walk({0, action}, INT_MAX);
    const StateId end = outcome.path.back().state;
    outcome.openings = walker.states.openings(end, {});
    authors.learn({0, action}, outcome);
    for (const Opening& opening : outcome.openings) {
      ++openings;
      const WindowState state = walker.states.at(opening.place.state);
      EXPECT_EQ(opening.place.masks, static_cast<int>(opening.cells.size()) + opening.inserted);
      EXPECT_EQ(walker.states.setup().masks_in(state), opening.place.masks);
      const Outcome filled = walker.walk({opening.place.state, 1 - action}, INT_MAX);
      if (!filled.feasible) continue;
      EXPECT_TRUE(filled.complete);
      authors.learn({opening.place.state, 1 - action}, filled);
      std::string text;
      for (const AuthoredText& piece : authors.text(filled.path.back().state, kNobody)) {
        EXPECT_NE(piece.author, kNobody);
        text += piece.bytes;
      }
      EXPECT_EQ(text, walker.text(filled.path.back().state));
    }
  }
  EXPECT_GT(openings, 5);
}

}  // namespace
}  // namespace umf
