#include "setup/option_file.h"

#include <fmt/core.h>

#include <algorithm>
#include <cctype>
#include <nlohmann/json.hpp>

#include "base/error.h"

namespace umf {
namespace {

std::string word_of(const Json& value, const std::string& where, const std::string& key) {
  if (value.is_string()) return value;
  if (value.is_number()) return value.dump();
  throw Error(
      fmt::format("{}: '{}' takes text, numbers, lists of them, true or false", where, key));
}

}  // namespace

std::vector<std::string> words_of(const Json& options, const std::string& where) {
  std::vector<std::string> words;
  for (const auto& [key, value] : options.items()) {
    if (key == "name" || key == "about") continue;
    const std::string option = fmt::format("--{}", key);
    const bool repeated = key == "model" || key == "action";
    if (value.is_boolean()) {
      words.push_back(option + (value == true ? "=true" : "=false"));
    } else if (value.is_array() && repeated) {
      for (const Json& one : value) words.insert(words.end(), {option, word_of(one, where, key)});
    } else if (value.is_array()) {
      std::string list;
      for (const Json& one : value) {
        if (!list.empty()) list += ',';
        list += word_of(one, where, key);
      }
      words.insert(words.end(), {option, list});
    } else {
      words.insert(words.end(), {option, word_of(value, where, key)});
    }
  }
  return words;
}

bool is_plain_name(const std::string& name) {
  return !name.empty() && name.size() <= 100 && !name.starts_with('.') &&
         std::ranges::all_of(name, [](unsigned char c) {
           return std::isalnum(c) != 0 || c == '.' || c == '_' || c == '-';
         });
}

std::string plain_name(const Json& options, const std::string& otherwise,
                       const std::string& where) {
  const Json name = options.value("name", Json(otherwise));
  if (!name.is_string()) throw Error(fmt::format("{}: 'name' must be text", where));
  if (!is_plain_name(name))
    throw Error(fmt::format("{}: a name has letters, digits, '.', '_' and '-'; '{}' is none", where,
                            name.get<std::string>()));
  return name;
}

}  // namespace umf
