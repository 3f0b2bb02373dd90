// tokenizer_config.json and special_tokens_map.json: names for special tokens, and what the files
// of a slow tokenizer leave unsaid.
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
  std::vector<std::string> additional;       // additional_special_tokens
  std::vector<AddedToken> added;             // added_tokens_decoder, by id
  bool add_prefix_space = false;
};

// A folder that has neither file gives an empty configuration. Throws Error on a broken file.
TokenizerConfig read_tokenizer_config(const Folder& folder);

}  // namespace umf
