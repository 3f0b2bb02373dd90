#include "model/advice.h"

#include <fmt/core.h>

#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/json.h"

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
  for (const auto& [key, value] : json.items()) {
    if (key == "window") {
      if (!value.is_number_unsigned() || value < 1 || value > kMostWindow)
        throw Error(
            fmt::format("{}: 'window' must be a whole number from 1 to {}", where, kMostWindow));
      advice.window = value.get<int>();
    } else if (key == "action") {
      if (!value.is_object()) throw Error(where + ": 'action' must be an object");
      for (const auto& [name, field] : value.items())
        advice.action.emplace_back(name, value_text(field, name, where));
    } else {
      throw Error(
          fmt::format("{}: there are 'window' and 'action'; '{}' is not understood", where, key));
    }
  }
  return advice;
}

Advice read_advice(const Folder& folder) {
  if (!folder.contains(kFile)) return {};
  return parse_advice(folder.read(kFile, kLimit), folder.place(kFile));
}

}  // namespace umf
