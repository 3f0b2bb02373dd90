#include "server/request_fields.h"

#include <fmt/core.h>

#include "server/api_error.h"
#include "tokenizer/utf8.h"

namespace umf {

RequestFields::RequestFields(const Json& object, const std::string& path)
    : JsonFields(object, path, Null::kIsAbsent) {
  if (object.is_object()) return;
  throw path.empty() ? bad_request("", "the request must be a JSON object")
                     : bad_request(path, "must be an object");
}

std::vector<std::string> RequestFields::texts(const std::string& key, std::size_t at_most) const {
  const Json* value = find(key);
  if (value == nullptr) return {};
  if (value->is_string()) return {value->get<std::string>()};
  bool fits = value->is_array() && value->size() <= at_most;
  if (fits) {
    for (const Json& item : *value) fits = fits && item.is_string();
  }
  if (!fits) refuse(key, fmt::format("must be a string or a list of up to {}", at_most));
  return value->get<std::vector<std::string>>();
}

void RequestFields::neutral(const std::string& key, std::initializer_list<Json> values) const {
  const Json* given = find(key);
  if (given == nullptr) return;
  for (const Json& value : values) {
    if (*given == value) return;
  }
  refuse(key, "is not supported by this server; leave it out");
}

void RequestFields::finish() const {
  if (const auto key = unasked())
    refuse(excerpt(*key), "is not a field that this server knows; leave it out");
}

void RequestFields::refuse(const std::string& key, const std::string& wish) const {
  throw bad_request(name(key), wish);
}

}  // namespace umf
