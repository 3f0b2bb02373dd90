#include "reward/spec.h"

#include <fmt/format.h>

#include "base/error.h"

namespace umf {

SpecFields::SpecFields(const Json& spec, std::string where)
    : spec_(spec),
      where_(fmt::format("{}: reward '{}'", where, spec.at("type").get<std::string>())) {}

std::string SpecFields::text(const std::string& key) {
  if (!has(key)) throw Error(fmt::format("{} needs '{}'", where_, key));
  return text(key, "");
}

std::string SpecFields::text(const std::string& key, const std::string& otherwise) {
  asked_.insert(key);
  if (!has(key)) return otherwise;
  if (!spec_[key].is_string()) throw Error(fmt::format("{}: '{}' must be a string", where_, key));
  return spec_[key];
}

double SpecFields::number(const std::string& key, double otherwise, double least, double most) {
  asked_.insert(key);
  if (!has(key)) return otherwise;
  const Json& value = spec_[key];
  if (!value.is_number() || !(value.get<double>() >= least) || !(value.get<double>() <= most)) {
    throw Error(fmt::format("{}: '{}' must be a number from {} to {}", where_, key, least, most));
  }
  return value;
}

std::string SpecFields::choice(const std::string& key, const std::string& otherwise,
                               const std::set<std::string>& choices) {
  const std::string value = text(key, otherwise);
  if (!choices.contains(value)) {
    throw Error(fmt::format("{}: '{}' is one of {}, not '{}'", where_, key,
                            fmt::join(choices, ", "), value));
  }
  return value;
}

const Json& SpecFields::list(const std::string& key) {
  asked_.insert(key);
  if (!has(key) || !spec_[key].is_array())
    throw Error(fmt::format("{} needs '{}', a list", where_, key));
  return spec_[key];
}

void SpecFields::finish() const {
  for (const auto& [key, value] : spec_.items()) {
    if (!asked_.contains(key)) {
      throw Error(
          fmt::format("{} has {}; '{}' is not understood", where_, fmt::join(asked_, ", "), key));
    }
  }
}

}  // namespace umf
