// The tokenizer of a checkpoint's directory, whichever files it has.
#pragma once

#include "base/folder.h"
#include "tokenizer/tokenizer_spec.h"

namespace umf {

// Reads tokenizer.json, or vocab.json + merges.txt + tokenizer_config.json, and the tokens that
// tokenizer_config.json and added_tokens.json add. Throws Error naming the file and what is wrong
// or not supported.
TokenizerSpec read_tokenizer(const Folder& folder);

}  // namespace umf
