#include "decode/lexicon.h"

#include <algorithm>
#include <string>

#include "base/random.h"

namespace umf {
namespace {

bool same_tokens(const SpecialTokens& a, const SpecialTokens& b) {
  return a.mask == b.mask && a.end_of_text == b.end_of_text && a.end_of_turn == b.end_of_turn &&
         a.padding == b.padding && a.ends == b.ends;
}

bool same_ids(const Tokenizer& a, const Tokenizer& b) {
  if (a.size() != b.size()) return false;
  for (Token id = 0; id < a.size(); ++id) {
    if (a.contains(id) != b.contains(id) || a.is_special(id) != b.is_special(id) ||
        a.bytes(id) != b.bytes(id)) {
      return false;
    }
  }
  return true;
}

// A few tokens joined: their bytes cross the borders at which merges and cuts are decided.
std::string probe(const Tokenizer& tokenizer, int number) {
  std::string text;
  for (int i = 0; i < 4; ++i) {
    const std::uint32_t word = noise_word({}, static_cast<std::uint32_t>(number), i);
    text +=
        tokenizer.bytes(static_cast<Token>(word % static_cast<std::uint32_t>(tokenizer.size())));
  }
  return text;
}

// Merges and pre-tokenizers cannot be seen from outside; what they do can.
bool same_encodings(const Tokenizer& a, const Tokenizer& b) {
  const char* const texts[] = {"it's  12345 + 6,789\n\n\tif x==1:  \r\n",
                               "Don'T\u00a0na\u00efve \u4e2d\u6587!?\n "};
  for (const char* text : texts) {
    if (a.encode_bytes(text) != b.encode_bytes(text)) return false;
  }
  for (int number = 0; number < 4096; ++number) {
    const std::string text = probe(a, number);
    if (a.encode_bytes(text) != b.encode_bytes(text)) return false;
  }
  return true;
}

}  // namespace

CellRole role_of(const Lexicon& lexicon, Token id) {
  const SpecialTokens& tokens = lexicon.tokens;
  if (id == tokens.mask) return CellRole::kMask;
  if (id == tokens.end_of_text) return CellRole::kEndOfText;
  if (id == tokens.end_of_turn) return CellRole::kEndOfTurn;
  if (id == tokens.padding) return CellRole::kPadding;
  return lexicon.tokenizer->is_special(id) ? CellRole::kOtherSpecial : CellRole::kText;
}

Token token_of(const Lexicon& lexicon, CellRole role) {
  const SpecialTokens& tokens = lexicon.tokens;
  switch (role) {
    case CellRole::kMask:
      return tokens.mask;
    case CellRole::kEndOfText:
      return tokens.end_of_text;
    case CellRole::kEndOfTurn:
      return tokens.end_of_turn.value_or(tokens.end_of_text);
    default:
      return lexicon.padding();
  }
}

std::string_view text_of(const Lexicon& lexicon, Token id) {
  return role_of(lexicon, id) == CellRole::kText ? lexicon.tokenizer->bytes(id)
                                                 : std::string_view();
}

bool ends_text(const SpecialTokens& tokens, Token id) {
  return std::find(tokens.ends.begin(), tokens.ends.end(), id) != tokens.ends.end();
}

bool same_lexicon(const Lexicon& a, const Lexicon& b) {
  if (!same_tokens(a.tokens, b.tokens)) return false;
  if (a.tokenizer == b.tokenizer) return true;
  return same_ids(*a.tokenizer, *b.tokenizer) && same_encodings(*a.tokenizer, *b.tokenizer);
}

}  // namespace umf
