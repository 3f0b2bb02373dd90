// The steps from a conversation to a prompt that need no tokenizer.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/token.h"
#include "jinja/chat_template.h"

namespace umf {

struct Message {
  std::string role, content;
};

// Roles and contents are marked as user text. `special_texts` are variables of the template by
// name: "bos_token", "eos_token", ...
MarkedText render_chat(const ChatTemplate& chat_template, const std::vector<Message>& messages,
                       bool add_generation_prompt,
                       const std::map<std::string, std::string>& special_texts);

struct PromptPiece {
  std::optional<Token> special;
  std::string text;  // of the special token, or what stands between two of them; never empty
  bool operator==(const PromptPiece&) const = default;
};

// Cuts at the special tokens, the longest first at each place. A special token begins and ends in
// template text; between, a template may put a role, as in "<|" ~ role ~ "|>". The tokens' lstrip
// and rstrip flags are not heeded: no checkpoint we read sets them on a special token.
std::vector<PromptPiece> split_at_specials(
    const MarkedText& prompt, const std::vector<std::pair<Token, std::string>>& specials);

}  // namespace umf
