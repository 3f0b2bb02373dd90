// The tokenizers of the tiny checkpoints: 256 bytes, two dozen merges, and each family's special
// tokens.
#pragma once

#include <filesystem>
#include <string>

#include "base/token.h"
#include "tiny/tiny_models.h"

namespace umf {

// Ids that config.json has to repeat; -1 where the family has no such token.
struct TinyTokens {
  Token bos = -1, eos = -1, pad = -1, mask = -1, end_of_turn = -1;
  int size = 0;  // one past the highest id
};

TinyTokens tiny_tokens(TinyFamily family);

// LLaDA, Stable-DiffCoder, iLLaDA: tokenizer.json; the others: vocab.json, merges.txt,
// added_tokens.json. All: tokenizer_config.json and special_tokens_map.json. DiffuCoder's chat
// template stands in chat_template.jinja, that of the others in tokenizer_config.json.
void write_tiny_tokenizer(TinyFamily family, const std::filesystem::path& directory);

}  // namespace umf
