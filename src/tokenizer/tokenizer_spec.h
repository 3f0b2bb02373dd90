// What a tokenizer's files say, whichever files they are: the common result of both loaders.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/token.h"

namespace umf {

// Ids index tables, so a file that claims a huge one must not decide how much memory we take.
inline constexpr Token kTokenLimit = 4'000'000;
// Twice the largest that is published; parsing takes a multiple of it.
inline constexpr std::size_t kTokenizerFileLimit = 64 << 20;

struct AddedToken {
  Token id = 0;
  std::string content;
  bool special = false;
  bool normalized = false;              // found in the normalised text, not in the raw text
  bool lstrip = false, rstrip = false;  // takes the whitespace before, after it along
  bool single_word = false;             // not inside a word
};

// A regex that cuts text into its matches and what lies between them.
struct SplitRule {
  std::string pattern;
  bool drop_gaps = false;  // what lies between the matches is lost
};

struct TokenizerSpec {
  std::string source;         // the file or files, for messages
  std::string merges_source;  // where the merges stand, if not in `source`

  // Written in the byte alphabet, as in the file.
  std::vector<std::pair<std::string_view, Token>> vocab;
  std::vector<std::pair<std::string_view, std::string_view>> merges;  // by rank
  bool ignore_merges = false;  // a piece that is a token is taken whole

  std::vector<AddedToken> added;
  bool nfc = false;
  bool normalize_first = false;  // the whole text, before any added token is looked for
  std::vector<SplitRule> splits;

  std::map<std::string, std::string> named;  // "eos_token" -> its text
  bool begins_prompts = false;               // the bos_token: whatever the chat template says

  std::vector<std::shared_ptr<const void>> storage;  // what the string_views point into
};

}  // namespace umf
