#include "server/fields.h"

#include <fmt/core.h>

#include <cmath>
#include <limits>

#include "tokenizer/utf8.h"

namespace umf {

Fields::Fields(const Json& object, std::string path) : object_(object), path_(std::move(path)) {
  if (object.is_object()) return;
  throw path_.empty() ? bad_request("", "the request must be a JSON object")
                      : bad_request(path_, "must be an object");
}

const Json* Fields::find(const std::string& key) {
  asked_.insert(key);
  const auto at = object_.find(key);
  return at == object_.end() || at->is_null() ? nullptr : &*at;
}

std::optional<std::string> Fields::text(const std::string& key) {
  const Json* value = find(key);
  if (value == nullptr) return std::nullopt;
  if (!value->is_string()) throw bad_request(name(key), "must be a string");
  return value->get<std::string>();
}

std::optional<bool> Fields::flag(const std::string& key) {
  const Json* value = find(key);
  if (value == nullptr) return std::nullopt;
  if (!value->is_boolean()) throw bad_request(name(key), "must be true or false");
  return value->get<bool>();
}

std::optional<std::int64_t> Fields::integer(const std::string& key, std::int64_t least,
                                            std::int64_t most) {
  const Json* value = find(key);
  if (value == nullptr) return std::nullopt;
  const bool fits = value->is_number_unsigned()
                        ? value->get<std::uint64_t>() <=
                              static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())
                        : value->is_number_integer();
  if (!fits || value->get<std::int64_t>() < least || value->get<std::int64_t>() > most)
    throw bad_request(name(key), fmt::format("must be a whole number from {} to {}", least, most));
  return value->get<std::int64_t>();
}

std::optional<std::uint64_t> Fields::seed(const std::string& key) {
  const Json* value = find(key);
  if (value == nullptr) return std::nullopt;
  if (!value->is_number_unsigned())
    throw bad_request(name(key), "must be a whole number from 0 to 18446744073709551615");
  return value->get<std::uint64_t>();
}

std::optional<double> Fields::number(const std::string& key, double least, double most) {
  const Json* value = find(key);
  if (value == nullptr) return std::nullopt;
  const double given = value->is_number() ? value->get<double>() : std::nan("");
  if (!(given >= least && given <= most))
    throw bad_request(name(key), fmt::format("must be a number from {} to {}", least, most));
  return given;
}

std::vector<std::string> Fields::texts(const std::string& key, std::size_t at_most) {
  const Json* value = find(key);
  if (value == nullptr) return {};
  if (value->is_string()) return {value->get<std::string>()};
  bool fits = value->is_array() && value->size() <= at_most;
  if (fits) {
    for (const Json& item : *value) fits = fits && item.is_string();
  }
  if (!fits)
    throw bad_request(name(key), fmt::format("must be a string or a list of up to {}", at_most));
  return value->get<std::vector<std::string>>();
}

void Fields::ignore(std::initializer_list<const char*> keys) {
  asked_.insert(keys.begin(), keys.end());
}

void Fields::neutral(const std::string& key, std::initializer_list<Json> values) {
  const Json* given = find(key);
  if (given == nullptr) return;
  for (const Json& value : values) {
    if (*given == value) return;
  }
  throw bad_request(name(key), "is not supported by this server; leave it out");
}

void Fields::finish() const {
  for (const auto& [key, value] : object_.items()) {
    if (!asked_.contains(key))
      throw bad_request(name(excerpt(key)), "is not a field that this server knows; leave it out");
  }
}

}  // namespace umf
