#include "model/advice.h"

#include <fmt/core.h>

#include "base/error.h"
#include "base/json_fields.h"

namespace umf {
namespace {

constexpr const char* kFile = "umf.json";
constexpr std::size_t kLimit = 1 << 16;
constexpr int kMostWindow = 1 << 24;

std::string value_text(const Json& value, const std::string& key, const std::string& where) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_number() || value.is_boolean()) return value.dump();
  throw Error(fmt::format("{}: action '{}' must be a string, a number, true or false", where, key));
}

}  // namespace

Advice parse_advice(const std::string& text, const std::string& where) {
  const Json json = parse_json(text, where);
  if (!json.is_object()) throw Error(where + ": expected an object with 'window' and 'action'");
  Advice advice{.where = where};
  const JsonFields fields(json, where);
  fields.only({"window", "action"}, "there are 'window' and 'action'");
  advice.window = static_cast<int>(fields.integer("window", 1, kMostWindow).value_or(0));
  if (const Json* action = fields.find("action")) {
    if (!action->is_object()) fields.refuse("action", "must be an object");
    for (const auto& [name, value] : action->items())
      advice.action.emplace_back(name, value_text(value, name, where));
  }
  return advice;
}

Advice read_advice(const Folder& folder) {
  if (!folder.contains(kFile)) return {};
  return parse_advice(folder.read(kFile, kLimit), folder.place(kFile));
}

}  // namespace umf
