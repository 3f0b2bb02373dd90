#include "tokenizer/chat_prompt.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

namespace umf {

MarkedText render_chat(const ChatTemplate& chat_template, const std::vector<Message>& messages,
                       bool add_generation_prompt,
                       const std::map<std::string, std::string>& special_texts) {
  OrderedJson user = {{"messages", OrderedJson::array()}};
  for (const Message& message : messages) {
    OrderedJson entry;  // role first: a template may print the whole message
    entry["role"] = message.role;
    entry["content"] = message.content;
    user["messages"].push_back(std::move(entry));
  }
  OrderedJson trusted;
  // Defined as none, as Hugging Face gives them to a template when the caller does not.
  trusted["tools"] = nullptr;
  trusted["documents"] = nullptr;
  trusted["add_generation_prompt"] = add_generation_prompt;
  for (const auto& [name, text] : special_texts) trusted[name] = text;
  return chat_template.render_marked(trusted, user);
}

std::vector<PromptPiece> split_at_specials(
    const MarkedText& prompt, const std::vector<std::pair<Token, std::string>>& specials) {
  std::array<std::vector<const std::pair<Token, std::string>*>, 256> by_first_byte;
  for (const auto& special : specials) {
    if (!special.second.empty()) {
      by_first_byte[static_cast<unsigned char>(special.second[0])].push_back(&special);
    }
  }
  for (auto& candidates : by_first_byte) {
    std::stable_sort(candidates.begin(), candidates.end(), [](const auto* a, const auto* b) {
      return a->second.size() > b->second.size();
    });
  }
  std::vector<PromptPiece> pieces;
  std::string between;
  const auto flush = [&] {
    if (!between.empty()) pieces.push_back({std::nullopt, std::exchange(between, {})});
  };
  const std::string_view text = prompt.text;
  for (std::size_t at = 0; at < text.size();) {
    const auto& candidates = by_first_byte[static_cast<unsigned char>(text[at])];
    const auto found = std::find_if(candidates.begin(), candidates.end(), [&](const auto* special) {
      const std::string& spelling = special->second;
      return !prompt.user[at] && text.substr(at).starts_with(spelling) &&
             !prompt.user[at + spelling.size() - 1];
    });
    if (found == candidates.end()) {
      between += text[at++];
      continue;
    }
    flush();
    pieces.push_back({(*found)->first, (*found)->second});
    at += (*found)->second.size();
  }
  flush();
  return pieces;
}

}  // namespace umf
