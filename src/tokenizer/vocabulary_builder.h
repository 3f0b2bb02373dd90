// From what the files say to tables that encoding can trust: every id once, every byte a token,
// every merge between tokens there are.
#pragma once

#include <cstdint>
#include <vector>

#include "tokenizer/bpe.h"
#include "tokenizer/tokenizer_spec.h"
#include "tokenizer/vocabulary.h"

namespace umf {

struct TokenTables {
  Vocabulary vocabulary;
  MergeTable merges;
  std::vector<std::uint8_t> special;  // by id
};

// Throws Error naming `spec.source` and what contradicts what.
TokenTables build_tables(const TokenizerSpec& spec);

}  // namespace umf
