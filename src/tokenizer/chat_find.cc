// Where a checkpoint keeps its chat template.
#include <fmt/core.h>

#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/json.h"
#include "tokenizer/chat.h"

namespace umf {

namespace {

constexpr std::size_t kTemplateLimit = 1 << 20;
constexpr std::size_t kConfigLimit = 1 << 26;

}  // namespace

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
