// What the ids in the cells of a window mean: a tokenizer and the roles of its special tokens.
#pragma once

#include <string_view>

#include "model/model.h"
#include "tokenizer/tokenizer.h"

namespace umf {

// The tokenizer must outlive it.
struct Lexicon {
  const Tokenizer* tokenizer = nullptr;
  SpecialTokens tokens;

  // The token that fills cells without text; a model without one uses the end of text.
  Token padding() const { return tokens.padding.value_or(tokens.end_of_text); }
};

enum class CellRole {
  kText,  // an ordinary token; an id that the tokenizer does not know is text without bytes
  kMask,
  kEndOfText,
  kEndOfTurn,
  kPadding,
  kOtherSpecial,  // a special token that other vocabularies have no counterpart for
};

// Where one id has several roles, the first of: mask, end of text, end of turn, padding.
CellRole role_of(const Lexicon& lexicon, Token id);
// The id of a special role; kOtherSpecial is padding, and where there is no end of turn it is the
// end of text.
Token token_of(const Lexicon& lexicon, CellRole role);

// The bytes of a token of text; none of any other.
std::string_view text_of(const Lexicon& lexicon, Token id);

// Whether the token ends the answer.
bool ends_text(const SpecialTokens& tokens, Token id);

// Whether both give every window the same meaning and encode text alike. Compares ids, bytes and
// roles of all tokens and the encodings of a few thousand texts made of them, since models of one
// family come with copies of one tokenizer.
bool same_lexicon(const Lexicon& a, const Lexicon& b);

}  // namespace umf
