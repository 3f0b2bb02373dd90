// tokenizer.json, the file of the `tokenizers` library: the part of it that byte-level BPE needs.
#pragma once

#include <simdjson.h>

#include <string>
#include <string_view>

#include "tokenizer/tokenizer_spec.h"

namespace umf {

// Throws Error naming `where`, the section and the value for whatever is broken or not supported.
TokenizerSpec parse_tokenizer_json(std::string_view text, const std::string& where);

// {"token": id, ...}: as in vocab.json, and in tokenizer.json's model.
std::vector<std::pair<std::string_view, Token>> parse_vocab(simdjson::dom::element value,
                                                            const std::string& where);

}  // namespace umf
