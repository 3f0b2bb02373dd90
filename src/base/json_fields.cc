#include "base/json_fields.h"

#include <fmt/core.h>

#include <cmath>
#include <limits>

#include "base/error.h"

namespace umf {

const Json* JsonFields::find(const std::string& key) const {
  asked_.insert(key);
  const auto at = object_.find(key);
  return at == object_.end() || (null_ == Null::kIsAbsent && at->is_null()) ? nullptr : &*at;
}

std::optional<std::string> JsonFields::text(const std::string& key) const {
  const Json* value = find(key);
  if (value == nullptr) return std::nullopt;
  if (!value->is_string()) refuse(key, "must be a string");
  return value->get<std::string>();
}

std::optional<bool> JsonFields::flag(const std::string& key) const {
  const Json* value = find(key);
  if (value == nullptr) return std::nullopt;
  if (!value->is_boolean()) refuse(key, "must be true or false");
  return value->get<bool>();
}

std::optional<std::int64_t> JsonFields::integer(const std::string& key, std::int64_t least,
                                                std::int64_t most) const {
  const Json* value = find(key);
  if (value == nullptr) return std::nullopt;
  const bool fits = value->is_number_unsigned()
                        ? value->get<std::uint64_t>() <=
                              static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())
                        : value->is_number_integer();
  if (!fits || value->get<std::int64_t>() < least || value->get<std::int64_t>() > most)
    refuse(key, fmt::format("must be a whole number from {} to {}", least, most));
  return value->get<std::int64_t>();
}

std::optional<double> JsonFields::number(const std::string& key, double least, double most) const {
  const Json* value = find(key);
  if (value == nullptr) return std::nullopt;
  const double given = value->is_number() ? value->get<double>() : std::nan("");
  if (!(given >= least && given <= most))
    refuse(key, fmt::format("must be a number from {} to {}", least, most));
  return given;
}

std::string JsonFields::needed_text(const std::string& key) const {
  if (!has(key)) refuse(key, "must be a string");
  return *text(key);
}

void JsonFields::ignore(std::initializer_list<const char*> keys) const {
  asked_.insert(keys.begin(), keys.end());
}

std::vector<std::string> JsonFields::all_unasked() const {
  std::vector<std::string> keys;
  for (const auto& [key, value] : object_.items()) {
    if (!asked_.contains(key)) keys.push_back(key);
  }
  return keys;
}

std::optional<std::string> JsonFields::unasked() const {
  const std::vector<std::string> keys = all_unasked();
  return keys.empty() ? std::nullopt : std::optional(keys.front());
}

void JsonFields::only(std::initializer_list<const char*> keys, const std::string& has) const {
  ignore(keys);
  if (const auto key = unasked())
    throw Error(fmt::format("{}: {}; '{}' is not understood", where_, has, *key));
}

void JsonFields::refuse(const std::string& key, const std::string& wish) const {
  throw Error(fmt::format("{}: '{}' {}", where_, key, wish));
}

}  // namespace umf
