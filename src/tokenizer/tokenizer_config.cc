#include "tokenizer/tokenizer_config.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>
#include <unordered_map>
#include <unordered_set>

#include "base/error.h"
#include "base/json.h"
#include "tokenizer/large_json.h"
#include "tokenizer/tokenizer_json.h"

namespace umf {
namespace {

Json read_object(const Folder& folder, const std::string& name) {
  if (!folder.contains(name)) return Json::object();
  Json json = parse_json(folder.read(name, kTokenizerFileLimit), folder.place(name));
  if (!json.is_object()) throw Error(fmt::format("{}: expected an object", folder.place(name)));
  return json;
}

// A token's text: "..." or {"content": "...", ...}. Other values name no token.
std::optional<std::string> token_text(const Json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_object() && value.contains("content") && value["content"].is_string()) {
    return value["content"].get<std::string>();
  }
  return std::nullopt;
}

void add_names(const Json& file, TokenizerConfig& config) {
  for (const auto& [role, value] : file.items()) {
    const auto text = token_text(value);
    if (role.ends_with("_token") && text) config.named.emplace(role, *text);
  }
  // The list of transformers 4, and that of 5, which may give the tokens names.
  for (const char* key : {"additional_special_tokens", "extra_special_tokens"}) {
    const auto additional = file.find(key);
    if (additional == file.end() || !additional->is_structured()) continue;
    for (const Json& value : *additional) {
      if (const auto text = token_text(value)) config.additional.push_back(*text);
    }
  }
}

bool flag(const Json& object, const char* key, bool otherwise, const std::string& where) {
  const auto found = object.find(key);
  if (found == object.end() || found->is_null()) return otherwise;
  if (!found->is_boolean()) throw Error(fmt::format("{}.{}: expected true or false", where, key));
  return found->get<bool>();
}

AddedToken parse_added(const std::string& key, const Json& value, const std::string& where) {
  AddedToken token;
  const auto [end, reason] = std::from_chars(key.data(), key.data() + key.size(), token.id);
  if (reason != std::errc() || end != key.data() + key.size() || token.id < 0 ||
      token.id >= kTokenLimit) {
    throw Error(
        fmt::format("{}: '{}' is not an id from 0 to {}", where, excerpt(key), kTokenLimit - 1));
  }
  const std::string place = fmt::format("{}.{}", where, key);
  const auto text = token_text(value);
  if (!text || !value.is_object()) throw Error(fmt::format("{}: 'content' is missing", place));
  token.content = *text;
  token.special = flag(value, "special", false, place);
  token.normalized = flag(value, "normalized", !token.special, place);
  token.lstrip = flag(value, "lstrip", false, place);
  token.rstrip = flag(value, "rstrip", false, place);
  token.single_word = flag(value, "single_word", false, place);
  return token;
}

// It gives text and id only.
void add_tokens_of(const Folder& folder, const std::string& name, TokenizerConfig& config) {
  const std::string place = folder.place(name);
  const auto document = parse_large_json(folder.read(name, kTokenizerFileLimit), place);
  std::unordered_map<Token, std::string> known;
  for (const AddedToken& token : config.added) known.emplace(token.id, token.content);
  for (const auto& [text, id] : parse_vocab(document->root, place)) {
    const auto other = known.find(id);
    if (other == known.end()) {
      config.added.push_back({.id = id, .content = std::string(text)});
    } else if (other->second != text) {
      throw Error(fmt::format("{}: id {} is '{}' here and '{}' in tokenizer_config.json", place, id,
                              excerpt(text), excerpt(other->second)));
    }
  }
}

void mark_named_as_special(TokenizerConfig& config) {
  std::unordered_set<std::string_view> special(config.additional.begin(), config.additional.end());
  for (const auto& [role, text] : config.named) special.insert(text);
  for (AddedToken& token : config.added) {
    if (special.contains(token.content)) token.special = true;
  }
}

}  // namespace

TokenizerConfig read_tokenizer_config(const Folder& folder) {
  TokenizerConfig config;
  const std::string place = folder.place("tokenizer_config.json");
  const Json file = read_object(folder, "tokenizer_config.json");
  if (const auto name = file.find("tokenizer_class"); name != file.end() && name->is_string()) {
    config.tokenizer_class = name->get<std::string>();
  }
  config.add_prefix_space = flag(file, "add_prefix_space", false, place);
  if (const auto added = file.find("added_tokens_decoder"); added != file.end()) {
    const std::string where = place + ": added_tokens_decoder";
    if (!added->is_object()) throw Error(fmt::format("{}: expected an object", where));
    for (const auto& [key, value] : added->items()) {
      config.added.push_back(parse_added(key, value, where));
    }
    std::sort(config.added.begin(), config.added.end(),
              [](const AddedToken& a, const AddedToken& b) { return a.id < b.id; });
  }
  add_names(file, config);
  // For what is not named yet.
  add_names(read_object(folder, "special_tokens_map.json"), config);
  const std::string added_file = "added_tokens.json";
  if (folder.contains(added_file)) add_tokens_of(folder, added_file, config);
  mark_named_as_special(config);
  return config;
}

}  // namespace umf
