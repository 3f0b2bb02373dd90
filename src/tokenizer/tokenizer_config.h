// tokenizer_config.json, special_tokens_map.json and added_tokens.json: names for special tokens,
// and tokens that the other files leave unsaid.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/folder.h"
#include "tokenizer/tokenizer_spec.h"

namespace umf {

struct TokenizerConfig {
  std::string tokenizer_class;               // empty when not given
  std::map<std::string, std::string> named;  // "eos_token" -> its text
  std::vector<std::string> additional;       // additional_special_tokens, extra_special_tokens
  // added_tokens_decoder by id, then what only added_tokens.json has; special where they are named.
  std::vector<AddedToken> added;
  bool add_prefix_space = false;
};

// A folder that has none of the files gives an empty configuration. Throws Error on a broken file.
TokenizerConfig read_tokenizer_config(const Folder& folder);

}  // namespace umf
