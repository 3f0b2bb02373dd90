// From a conversation to prompt tokens, with user text that never becomes special tokens.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tokenizer/chat_prompt.h"
#include "tokenizer/tokenizer.h"

namespace umf {

// Renders `template_source` with `messages` and encodes it. Template text may spell special tokens;
// the text of messages may not, whatever it contains. `prefill` is how the answer begins: text
// behind the generation prompt, encoded together with what the template puts before it.
std::vector<Token> encode_chat(const Tokenizer& tokenizer, const std::string& template_source,
                               const std::vector<Message>& messages, bool add_generation_prompt,
                               const std::string& prefill = "");

// The checkpoint's own template: chat_template.jinja, else tokenizer_config.json's chat_template
// (a string, or a list of named ones: "default"). Absent: nullopt.
std::optional<std::string> find_chat_template(const Folder& folder);

}  // namespace umf
