#include "tokenizer/large_json.h"

#include <fmt/core.h>

#include <algorithm>
#include <vector>

#include "base/error.h"

namespace umf {

void fail_at(const std::string& where, const std::string& what) {
  throw Error(where + ": " + what);
}

std::string excerpt(simdjson::dom::element value) {
  // Only scalars are printed: a hostile array could be the whole file.
  if (value.is_array()) return "an array";
  if (value.is_object()) return "an object";
  return excerpt(simdjson::minify(value));
}

std::shared_ptr<const JsonDocument> parse_large_json(std::string_view text,
                                                     const std::string& where) {
  constexpr std::size_t kDepthLimit = 64;
  auto document = std::make_shared<JsonDocument>();
  simdjson::error_code reason = document->parser.allocate(text.size(), kDepthLimit);
  if (reason == simdjson::SUCCESS) {
    reason = document->parser.parse(simdjson::padded_string(text)).get(document->root);
  }
  if (reason != simdjson::SUCCESS) {
    fail_at(where, fmt::format("not valid JSON: {}", simdjson::error_message(reason)));
  }
  return document;
}

LargeFields::LargeFields(simdjson::dom::element value, std::string where,
                         std::initializer_list<std::string_view> known, std::string separator)
    : where_(std::move(where)), separator_(std::move(separator)) {
  if (value.get(object_) != simdjson::SUCCESS) {
    fail_at(where_, fmt::format("expected an object, found {}", excerpt(value)));
  }
  std::vector<std::string_view> seen;
  for (const auto field : object_) {
    if (std::find(known.begin(), known.end(), field.key) == known.end()) {
      fail_at(where_, fmt::format("key '{}' is not supported", excerpt(field.key)));
    }
    if (std::find(seen.begin(), seen.end(), field.key) != seen.end()) {
      fail_at(where_, fmt::format("key '{}' is given twice", excerpt(field.key)));
    }
    seen.push_back(field.key);
  }
}

std::optional<simdjson::dom::element> LargeFields::find(std::string_view key) const {
  simdjson::dom::element value;
  if (object_.at_key(key).get(value) != simdjson::SUCCESS || value.is_null()) return std::nullopt;
  return value;
}

simdjson::dom::element LargeFields::get(std::string_view key) const {
  const auto value = find(key);
  if (!value) fail_at(where_, fmt::format("'{}' is missing", key));
  return *value;
}

std::string_view LargeFields::string(std::string_view key) const {
  std::string_view text;
  const auto value = get(key);
  if (value.get(text) != simdjson::SUCCESS) {
    fail_at(place(key), fmt::format("expected a string, found {}", excerpt(value)));
  }
  return text;
}

simdjson::dom::array LargeFields::array(std::string_view key) const {
  simdjson::dom::array items;
  const auto value = get(key);
  if (value.get(items) != simdjson::SUCCESS) {
    fail_at(place(key), fmt::format("expected an array, found {}", excerpt(value)));
  }
  return items;
}

bool LargeFields::flag(std::string_view key, bool otherwise) const {
  const auto value = find(key);
  bool result = otherwise;
  if (value && value->get(result) != simdjson::SUCCESS) {
    fail_at(place(key), fmt::format("expected true or false, found {}", excerpt(*value)));
  }
  return result;
}

std::int64_t LargeFields::integer(std::string_view key, std::int64_t limit) const {
  const auto value = get(key);
  std::int64_t result = 0;
  if (value.get(result) != simdjson::SUCCESS || result < 0 || result >= limit) {
    fail_at(place(key), fmt::format("expected a whole number from 0 to {}, found {}", limit - 1,
                                    excerpt(value)));
  }
  return result;
}

}  // namespace umf
