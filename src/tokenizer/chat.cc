#include "tokenizer/chat.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/files.h"
#include "base/json.h"

namespace umf {

namespace {

constexpr std::size_t kTemplateLimit = 1 << 20;
constexpr std::size_t kConfigLimit = 1 << 26;

// What Hugging Face's special_tokens_map can hold.
constexpr std::string_view kSpecialRoles[] = {"bos_token", "eos_token", "unk_token", "sep_token",
                                              "pad_token", "cls_token", "mask_token"};

std::map<std::string, std::string> special_texts(
    const Tokenizer& tokenizer, const std::vector<std::pair<Token, std::string>>& specials) {
  std::map<std::string, std::string> texts;
  for (const std::string_view role : kSpecialRoles) {
    const auto id = tokenizer.named(role);
    if (!id) continue;
    const auto found = std::find_if(specials.begin(), specials.end(),
                                    [&](const auto& special) { return special.first == *id; });
    texts.emplace(role,
                  found != specials.end() ? found->second : std::string(tokenizer.bytes(*id)));
  }
  return texts;
}

}  // namespace

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

std::vector<Token> encode_chat(const Tokenizer& tokenizer, const std::string& template_source,
                               const std::vector<Message>& messages, bool add_generation_prompt) {
  const auto specials = tokenizer.specials();
  const MarkedText prompt = render_chat(ChatTemplate(template_source), messages,
                                        add_generation_prompt, special_texts(tokenizer, specials));
  std::vector<Token> tokens;
  for (const PromptPiece& piece : split_at_specials(prompt, specials)) {
    if (piece.special) {
      tokens.push_back(*piece.special);
    } else {
      const auto encoded = tokenizer.encode(piece.text, SpecialText::kPlain);
      tokens.insert(tokens.end(), encoded.begin(), encoded.end());
    }
  }
  return tokens;
}

std::optional<std::string> find_chat_template(const std::filesystem::path& directory) {
  const auto file = directory / "chat_template.jinja";
  if (std::filesystem::exists(file)) return read_file(file, kTemplateLimit);
  const auto config_file = directory / "tokenizer_config.json";
  if (!std::filesystem::exists(config_file)) return std::nullopt;
  const Json config = parse_json(read_file(config_file, kConfigLimit), config_file.string());
  if (!config.is_object() || !config.contains("chat_template")) return std::nullopt;
  const Json& found = config["chat_template"];
  if (found.is_null()) return std::nullopt;
  if (found.is_string()) return found.get<std::string>();
  const auto fail = [&](std::string_view what) {
    return Error(fmt::format("{}: {}", config_file.string(), what));
  };
  if (!found.is_array()) throw fail("chat_template is neither a string nor a list");
  for (const Json& entry : found) {
    const bool is_named = entry.is_object() && entry.contains("name") &&
                          entry["name"].is_string() && entry.contains("template") &&
                          entry["template"].is_string();
    if (!is_named) throw fail("an entry of chat_template lacks its name or its template");
    if (entry["name"] == "default") return entry["template"].get<std::string>();
  }
  throw fail("chat_template has no template named 'default'");
}

}  // namespace umf
