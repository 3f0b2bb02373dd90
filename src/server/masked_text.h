// A window that is not finished, for people who watch it.
#pragma once

#include <span>

#include "base/json.h"
#include "model/model.h"
#include "tokenizer/tokenizer.h"

namespace umf {

// The answer so far from the left: a string for each stretch of text, a number for each stretch of
// masks. Nothing behind a token that ends the text.
Json masked_text(std::span<const Token> window, const Tokenizer& tokenizer,
                 const SpecialTokens& tokens);

// How many tokens of the answer are there: those before its end that are not masked.
int answer_tokens(std::span<const Token> window, const SpecialTokens& tokens);

// Whether a token in the window ends the text.
bool has_end(std::span<const Token> window, const SpecialTokens& tokens);

}  // namespace umf
