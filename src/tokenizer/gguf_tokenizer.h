// The tokenizer in a GGUF file: byte-level BPE as arrays of tokens, types and merges, or a whole
// tokenizer.json.
#pragma once

#include <span>
#include <string_view>

#include "gguf/metadata.h"
#include "tokenizer/tokenizer_spec.h"

namespace umf {

// Throws Error naming the key and what is missing, broken or not supported. Views of the result
// point into the file.
TokenizerSpec read_gguf_tokenizer(const GgufMetadata& metadata);

// What tokenizer.ggml.pre stands for. The first name of a pattern is the one to write.
struct GgufSplit {
  std::string_view name, pattern;
  bool nfc = false;         // the checkpoints' own tokenizers normalise, though the file cannot say
  bool take_whole = false;  // a piece that is a token needs no merges
};
std::span<const GgufSplit> gguf_splits();

// The key of a token by its role, "bos_token": the format's own spelling.
struct GgufRole {
  const char *role, *key;
};
std::span<const GgufRole> gguf_roles();

// tokenizer.ggml.token_type
enum class GgufTokenType : int { kNormal = 1, kUnknown, kControl, kUserDefined, kUnused, kByte };

}  // namespace umf
