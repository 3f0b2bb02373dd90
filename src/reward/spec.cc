#include "reward/spec.h"

#include <fmt/format.h>

#include "base/error.h"

namespace umf {

SpecFields::SpecFields(const Json& spec, const std::string& where)
    : JsonFields(spec, fmt::format("{}: reward '{}'", where, spec.at("type").get<std::string>())) {
  ignore({"type"});
}

std::string SpecFields::choice(const std::string& key, const std::string& otherwise,
                               const std::set<std::string>& choices) const {
  const std::string value = text(key).value_or(otherwise);
  if (!choices.contains(value))
    refuse(key, fmt::format("is one of {}, not '{}'", fmt::join(choices, ", "), value));
  return value;
}

const Json& SpecFields::needed_list(const std::string& key) const {
  const Json* list = find(key);
  if (list == nullptr || !list->is_array())
    throw Error(fmt::format("{} needs '{}', a list", where(), key));
  return *list;
}

void SpecFields::finish() const {
  if (const auto key = unasked())
    throw Error(
        fmt::format("{} has {}; '{}' is not understood", where(), fmt::join(asked(), ", "), *key));
}

void SpecFields::refuse(const std::string& key, const std::string& wish) const {
  if (!has(key)) throw Error(fmt::format("{} needs '{}'", where(), key));
  JsonFields::refuse(key, wish);
}

}  // namespace umf
