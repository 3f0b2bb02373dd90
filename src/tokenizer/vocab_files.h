// vocab.json, merges.txt and tokenizer_config.json: what checkpoints of the Dream family ship
// instead of a tokenizer.json. The files do not say how to cut and normalise; the tokenizer's class
// does.
#pragma once

#include "tokenizer/tokenizer_config.h"
#include "tokenizer/tokenizer_spec.h"

namespace umf {

// Throws Error naming the file and what is broken, or the class when it is not one we know.
TokenizerSpec read_vocab_files(const Folder& folder, const TokenizerConfig& config);

}  // namespace umf
