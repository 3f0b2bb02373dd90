#include "tokenizer/chat.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "base/error.h"
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

std::vector<Token> encode_chat(const Tokenizer& tokenizer, const std::string& template_source,
                               const std::vector<Message>& messages, bool add_generation_prompt,
                               const std::string& prefill) {
  const auto specials = tokenizer.specials();
  MarkedText prompt = render_chat(ChatTemplate(template_source), messages, add_generation_prompt,
                                  special_texts(tokenizer, specials));
  prompt.text += prefill;
  prompt.user.resize(prompt.text.size(), true);
  std::vector<Token> tokens;
  for (const PromptPiece& piece : split_at_specials(prompt, specials)) {
    if (piece.special) {
      tokens.push_back(*piece.special);
    } else {
      const auto encoded = tokenizer.encode(piece.text, SpecialText::kPlain);
      tokens.insert(tokens.end(), encoded.begin(), encoded.end());
    }
  }
  const std::optional<Token> begin = tokenizer.prompt_begin();
  if (begin && (tokens.empty() || tokens.front() != *begin)) tokens.insert(tokens.begin(), *begin);
  return tokens;
}

std::optional<std::string> find_chat_template(const Folder& folder) {
  const std::string file = "chat_template.jinja", config_file = "tokenizer_config.json";
  if (folder.contains(file)) return folder.read(file, kTemplateLimit);
  if (!folder.contains(config_file)) return std::nullopt;
  const std::string place = folder.place(config_file);
  const Json config = parse_json(folder.read(config_file, kConfigLimit), place);
  if (!config.is_object() || !config.contains("chat_template")) return std::nullopt;
  const Json& found = config["chat_template"];
  if (found.is_null()) return std::nullopt;
  if (found.is_string()) return found.get<std::string>();
  const auto fail = [&](std::string_view what) {
    return Error(fmt::format("{}: {}", place, what));
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
