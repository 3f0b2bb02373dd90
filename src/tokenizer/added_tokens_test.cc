#include "tokenizer/added_tokens.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace umf {
namespace {

using ::testing::ElementsAre;

AddedToken token(Token id, const std::string& content) { return {.id = id, .content = content}; }

// "text" for text, "text#id" for a token.
std::vector<std::string> cut(const AddedTokens& tokens, std::string_view text,
                             SpecialText special = SpecialText::kParse) {
  std::vector<std::string> parts;
  for (const auto& part : tokens.cut(text, special)) {
    parts.emplace_back(part.text);
    if (part.token) parts.back().append("#").append(std::to_string(*part.token));
  }
  return parts;
}

TEST(AddedTokens, LongestAtAPlaceCounts) {
  const AddedTokens tokens({token(1, "<a"), token(2, "<a><b>"), token(3, "b>")});
  EXPECT_THAT(cut(tokens, "x<a><b>y"), ElementsAre("x", "<a><b>#2", "y"));
  EXPECT_THAT(cut(tokens, "<a><c>b>"), ElementsAre("<a#1", "><c>", "b>#3"));
  EXPECT_THAT(cut(tokens, "<a<a"), ElementsAre("<a#1", "<a#1"));
  EXPECT_THAT(cut(tokens, "<"), ElementsAre("<"));
  EXPECT_THAT(cut(tokens, ""), ElementsAre());
}

TEST(AddedTokens, PlainTextHasNoSpecialTokensButTheOthers) {
  AddedToken special = token(1, "<s>");
  special.special = true;
  const AddedTokens tokens({special, token(2, "<t>"), token(3, "s>")});
  EXPECT_THAT(cut(tokens, "<s><t>s>", SpecialText::kPlain), ElementsAre("<s>", "<t>#2", "s>#3"));
  EXPECT_THAT(cut(tokens, "<s><t>", SpecialText::kParse), ElementsAre("<s>#1", "<t>#2"));
}

TEST(AddedTokens, StripTakesWhitespaceAlong) {
  AddedToken left = token(1, "[L]"), right = token(2, "[R]");
  left.lstrip = right.rstrip = true;
  const AddedTokens tokens({left, right});
  EXPECT_THAT(cut(tokens, "a \u3000\n[L] b"), ElementsAre("a", " \u3000\n[L]#1", " b"));
  EXPECT_THAT(cut(tokens, "a [R]\t\u00A0b"), ElementsAre("a ", "[R]\t\u00A0#2", "b"));
  EXPECT_THAT(cut(tokens, "[R]  [L]"), ElementsAre("[R]  #2", "[L]#1"));
}

TEST(AddedTokens, SingleWordIsNotFoundInsideAWord) {
  AddedToken word = token(1, "word");
  word.single_word = true;
  const AddedTokens tokens({word});
  EXPECT_THAT(cut(tokens, "word, word!"), ElementsAre("word#1", ", ", "word#1", "!"));
  EXPECT_THAT(cut(tokens, "words sword wordé éword word_ 1word"),
              ElementsAre("words sword wordé éword word_ 1word"));
}

}  // namespace
}  // namespace umf
