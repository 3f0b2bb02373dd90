// The ids of a model's special tokens, from the files that speak of them.
#pragma once

#include <string>
#include <vector>

#include "model/family.h"
#include "model/model.h"
#include "tokenizer/tokenizer.h"

namespace umf {

struct TokenSources {
  const Config& config;      // config.json
  const Config& generation;  // generation_config.json; empty where there is none
  const Tokenizer& tokenizer;
};

// The mask decides what is computed: sources that contradict each other are an Error. Ends that
// generation_config.json adds count where they are special tokens; what else it says of ends and
// padding and is not followed is told in `warnings`. `vocabulary` is the number of rows.
SpecialTokens resolve_tokens(const TokenSources& sources, const Family& family, int vocabulary,
                             std::vector<std::string>& warnings);

}  // namespace umf
