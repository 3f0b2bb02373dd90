#include "decode/convert.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "decode/walk_testing.h"
#include "support/expect_error.h"
#include "tokenizer/tokenizer_testing.h"

namespace umf {
namespace {

// The window as bytes, each special cell as one character that text cannot hold: the order of both.
std::string reading(const Lexicon& lexicon, std::span<const Token> cells) {
  std::string text;
  for (const Token cell : cells) {
    const CellRole role = role_of(lexicon, cell);
    if (role == CellRole::kText) {
      for (const char byte : lexicon.tokenizer->bytes(cell)) (text += 't') += byte;
    } else {
      text += role == CellRole::kMask ? 'M' : 'E';
    }
  }
  return text;
}

int masks_in(const Lexicon& lexicon, const std::vector<Token>& cells) {
  return static_cast<int>(std::count(cells.begin(), cells.end(), lexicon.tokens.mask));
}

std::vector<Token> cells_of(const Lexicon& lexicon, std::string_view text) {
  return lexicon.tokenizer->encode_bytes(text);
}

std::vector<Token> joined(std::vector<Token> a, const std::vector<Token>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

std::string bytes_of(const Lexicon& lexicon, const std::vector<Token>& cells) {
  return lexicon.tokenizer->decode(cells, /*skip_special=*/true);
}

TEST(Convert, TheFamiliesHaveDifferentLexiconsAndEachIsItsOwn) {
  const Lexicon* all[] = {&llada_lexicon(), &dream_lexicon(), &sdc_lexicon()};
  for (const Lexicon* a : all) {
    for (const Lexicon* b : all) EXPECT_EQ(same_lexicon(*a, *b), a == b);
  }
}

TEST(Convert, CopiesOfOneTokenizerAreTheSameLexicon) {
  const TemporaryDirectory folder;
  write_tiny_tokenizer(TinyFamily::kDream, folder.path());
  const Tokenizer copy = Tokenizer::load(folder.path());
  EXPECT_TRUE(same_lexicon({&copy, dream_lexicon().tokens}, dream_lexicon()));
  SpecialTokens other = dream_lexicon().tokens;
  other.mask = other.end_of_text;
  EXPECT_FALSE(same_lexicon({&copy, other}, dream_lexicon()));
}

TEST(Convert, TokenizersThatDifferInAMergeAloneAreToldApart) {
  Json fewer = small_tokenizer();
  fewer["model"]["merges"].erase(fewer["model"]["merges"].size() - 1);
  const Tokenizer whole = parse(small_tokenizer()), less = parse(fewer);
  const SpecialTokens tokens{.mask = 1, .end_of_text = 2, .ends = {2}};
  EXPECT_FALSE(same_lexicon({&whole, tokens}, {&less, tokens}));
}

// docs/algorithm.md#conversion-there-and-back
TEST(Convert, TheSameLexiconIsTheIdentity) {
  std::mt19937 rng(1);
  for (int i = 0; i < 100; ++i) {
    const std::vector<Token> cells = random_window(dream_lexicon(), 20, rng);
    EXPECT_EQ(convert_cells(cells, dream_lexicon(), dream_lexicon()), cells);
  }
}

// docs/algorithm.md#conversion-keeps-bytes
// docs/algorithm.md#conversion-there-and-back
TEST(Convert, BytesAndSpecialCellsOfRandomWindowsSurviveThereAndBack) {
  std::mt19937 rng(2);
  const Lexicon* all[] = {&llada_lexicon(), &dream_lexicon(), &sdc_lexicon()};
  for (int i = 0; i < 10000; ++i) {
    const Lexicon &from = *all[i % 3], &to = *all[(i + 1 + i / 3 % 2) % 3];
    const std::vector<Token> cells = random_window(from, 1 + static_cast<int>(rng() % 40), rng);
    const std::vector<Token> there = convert_cells(cells, from, to);
    const std::vector<Token> back = convert_cells(there, to, from);
    ASSERT_EQ(reading(to, there), reading(from, cells)) << "window " << i;
    ASSERT_EQ(reading(from, back), reading(from, cells)) << "window " << i;
  }
}

TEST(Convert, SpecialCellsKeepTheirRoles) {
  const SpecialTokens &dream = dream_lexicon().tokens, &llada = llada_lexicon().tokens;
  const std::vector<Token> cells = {dream.mask, *dream.end_of_turn, dream.end_of_text, dream.mask};
  EXPECT_EQ(convert_cells(cells, dream_lexicon(), llada_lexicon()),
            (std::vector<Token>{llada.mask, *llada.end_of_turn, llada.end_of_text, llada.mask}));
}

TEST(Convert, PaddingStaysPaddingAndAMissingEndOfTurnBecomesTheEndOfText) {
  const SpecialTokens &sdc = sdc_lexicon().tokens, &llada = llada_lexicon().tokens;
  EXPECT_EQ(convert_cells(std::vector<Token>{*sdc.padding, sdc.end_of_text}, sdc_lexicon(),
                          llada_lexicon()),
            (std::vector<Token>{*llada.padding, llada.end_of_text}));
  EXPECT_EQ(convert_cells(std::vector<Token>{*llada.end_of_turn}, llada_lexicon(), sdc_lexicon()),
            (std::vector<Token>{sdc.end_of_text}));
}

TEST(Convert, ASpecialTokenWithoutCounterpartBecomesPadding) {
  const Token bos = tiny_tokens(TinyFamily::kLlada).bos;
  EXPECT_EQ(convert_cells(std::vector<Token>{bos}, llada_lexicon(), sdc_lexicon()),
            (std::vector<Token>{*sdc_lexicon().tokens.padding}));
}

TEST(Convert, ASplitCharacterIsJoinedInsideARunAndStaysSplitAtAMask) {
  const Lexicon &from = dream_lexicon(), &to = llada_lexicon();
  const std::vector<Token> split = cells_of(from, "\xC3\xA9");  // an e with an accent, two tokens
  ASSERT_EQ(split.size(), 2);
  EXPECT_EQ(bytes_of(to, convert_cells(split, from, to)), "\xC3\xA9");
  const std::vector<Token> apart = {split[0], from.tokens.mask, split[1]};
  const std::vector<Token> converted = convert_cells(apart, from, to);
  ASSERT_EQ(converted.size(), 3);
  EXPECT_EQ(to.tokenizer->bytes(converted[0]), "\xC3");
  EXPECT_EQ(converted[1], to.tokens.mask);
  EXPECT_EQ(to.tokenizer->bytes(converted[2]), "\xA9");
}

TEST(Convert, RunsAreNotJoinedAcrossAMask) {
  const Lexicon &from = dream_lexicon(), &to = llada_lexicon();
  std::vector<Token> cells = joined(cells_of(from, " t"), {from.tokens.mask});
  cells = joined(cells, cells_of(from, "he"));
  EXPECT_EQ(convert_cells(cells, from, to),
            joined(joined(cells_of(to, " t"), {to.tokens.mask}), cells_of(to, "he")));
}

// docs/algorithm.md#conversion-of-any-bytes
TEST(Convert, EveryKindOfTextKeepsItsBytes) {
  using namespace std::string_literals;
  for (const std::string& text :
       {" leading"s, "   "s, "\r\n\t"s, "a\0b"s, "<|endoftext|><|mdm_mask|>"s, "e\xCC\x81"s,
        "\xFF\xFE\xC3"s, "<tool_call>"s, ""s}) {
    for (const auto& [from, to] : {std::pair{&dream_lexicon(), &llada_lexicon()},
                                   {&llada_lexicon(), &dream_lexicon()},
                                   {&dream_lexicon(), &sdc_lexicon()}}) {
      const std::vector<Token> converted = convert_cells(cells_of(*from, text), *from, *to);
      EXPECT_EQ(to->tokenizer->decode(converted, false), text);
      for (const Token id : converted) EXPECT_FALSE(to->tokenizer->is_special(id)) << text;
    }
  }
}

TEST(Convert, AnAddedTokenThatIsNotSpecialIsText) {
  const Token call = *dream_lexicon().tokenizer->find("<tool_call>");
  const std::vector<Token> converted =
      convert_cells(std::vector<Token>{call}, dream_lexicon(), llada_lexicon());
  EXPECT_EQ(bytes_of(llada_lexicon(), converted), "<tool_call>");
}

TEST(Convert, AnIdThatTheTokenizerDoesNotKnowHasNoBytes) {
  const std::vector<Token> cells = {cells_of(llada_lexicon(), "a")[0], 310,
                                    cells_of(llada_lexicon(), "b")[0]};
  EXPECT_EQ(bytes_of(dream_lexicon(), convert_cells(cells, llada_lexicon(), dream_lexicon())),
            "ab");
}

// docs/algorithm.md#conversion-of-any-bytes
TEST(Convert, EveryByteHasATokenOfItsOwn) {
  std::string all;
  for (int byte = 0; byte < 256; ++byte) all += static_cast<char>(byte);
  for (const Lexicon* lexicon : {&llada_lexicon(), &dream_lexicon(), &sdc_lexicon()}) {
    const std::vector<Token> ids = single_byte_tokens(*lexicon->tokenizer, all);
    EXPECT_EQ(ids.size(), 256);
    EXPECT_EQ(bytes_of(*lexicon, ids), all);
  }
}

// docs/algorithm.md#window-policies
TEST(Convert, PreservedMasksKeepTheirNumberInEveryWindow) {
  std::mt19937 rng(3);
  for (int i = 0; i < 500; ++i) {
    const std::vector<Token> cells = random_window(dream_lexicon(), 24, rng);
    const auto converted =
        convert(cells, dream_lexicon(), llada_lexicon(), {.window = 24, .context = 999});
    ASSERT_TRUE(converted);
    EXPECT_EQ(masks_in(llada_lexicon(), *converted), masks_in(dream_lexicon(), cells));
  }
}

// docs/algorithm.md#window-policies
TEST(Convert, AFixedWindowKeepsItsLengthAndItsTextOrIsInfeasible) {
  std::mt19937 rng(4);
  int feasible = 0, infeasible = 0;
  for (int i = 0; i < 2000; ++i) {
    std::vector<Token> cells = random_window(dream_lexicon(), 24, rng);
    cells.resize(24);
    const int masks = masks_in(dream_lexicon(), cells);
    if (masks == 0) continue;
    const int least = 1 + static_cast<int>(rng() % masks);
    const auto converted = convert(
        cells, dream_lexicon(), sdc_lexicon(),
        {.policy = WindowPolicy::kFixedWindow, .window = 24, .least_masks = least, .context = 24});
    ++(converted ? feasible : infeasible);
    if (!converted) continue;
    EXPECT_EQ(converted->size(), 24);
    EXPECT_GE(masks_in(sdc_lexicon(), *converted), least);
    EXPECT_LE(masks_in(sdc_lexicon(), *converted), masks);
    EXPECT_EQ(bytes_of(sdc_lexicon(), *converted), bytes_of(dream_lexicon(), cells));
  }
  EXPECT_GT(feasible, 100);
  EXPECT_GT(infeasible, 100);
}

TEST(Convert, AWindowTooLongForTheContextDropsPaddingAndThenGivesUp) {
  const SpecialTokens& dream = dream_lexicon().tokens;
  const std::vector<Token> cells = {dream.mask, dream.end_of_text, dream.end_of_text,
                                    dream.end_of_text};
  const auto converted = [&](int context) {
    return convert(cells, dream_lexicon(), llada_lexicon(), {.window = 4, .context = context});
  };
  EXPECT_EQ(converted(4)->size(), 4);
  EXPECT_EQ(converted(2)->size(), 2);
  EXPECT_FALSE(converted(1)) << "a mask or the only end of text was dropped";
}

TEST(Convert, WindowPoliciesHaveNames) {
  EXPECT_EQ(parse_window_policy("preserve-masks"), WindowPolicy::kPreserveMasks);
  EXPECT_EQ(parse_window_policy("fixed-window"), WindowPolicy::kFixedWindow);
  for (const char* name : {"preserve-masks", "fixed-window"})
    EXPECT_STREQ(name_of(parse_window_policy(name)), name);
  EXPECT_ERROR(parse_window_policy("elastic"), "no window policy 'elastic'");
}

}  // namespace
}  // namespace umf
