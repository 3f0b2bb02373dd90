// A tokenizer as the keys of a GGUF file.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "gguf/gguf_writer.h"
#include "tokenizer/tokenizer.h"
#include "tokenizer/tokenizer_spec.h"

namespace umf {

// `rows` of the embedding: ids without a token become "[PAD7]". Where the arrays of the format
// cannot say all that `spec` does, `tokenizer_json` (if there is one) goes along and counts.
void write_gguf_tokenizer(const TokenizerSpec& spec, int rows,
                          const std::optional<std::string>& tokenizer_json, GgufKeyWriter& keys);

// The tokens by role, "bos_token".
void write_gguf_roles(const std::map<std::string, Token>& roles, GgufKeyWriter& keys);

}  // namespace umf
