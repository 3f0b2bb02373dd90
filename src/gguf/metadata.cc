#include "gguf/metadata.h"

#include <fmt/core.h>

#include "base/error.h"
#include "gguf/value_reader.h"

namespace umf {
namespace {

// The integer, or nothing where the value is none or does not fit.
std::optional<std::int64_t> as_integer(const GgufValue& value) {
  if (const auto* whole = std::get_if<std::int64_t>(&value)) return *whole;
  const auto* natural = std::get_if<std::uint64_t>(&value);
  if (natural == nullptr || *natural > static_cast<std::uint64_t>(INT64_MAX)) return std::nullopt;
  return static_cast<std::int64_t>(*natural);
}

}  // namespace

void GgufMetadata::fail(const std::string& key, const std::string& what) const {
  throw Error(fmt::format("{}: key '{}' {}", where_, printable(key), what));
}

const GgufValue* GgufMetadata::find(const std::string& key) const {
  asked_.insert(key);
  const auto found = keys_.find(key);
  return found == keys_.end() ? nullptr : &found->second;
}

std::optional<std::string_view> GgufMetadata::text(const std::string& key) const {
  const GgufValue* value = find(key);
  if (value == nullptr) return std::nullopt;
  if (const auto* text = std::get_if<std::string_view>(value)) return *text;
  fail(key, "must be a string");
}

std::optional<bool> GgufMetadata::flag(const std::string& key) const {
  const GgufValue* value = find(key);
  if (value == nullptr) return std::nullopt;
  if (const auto* flag = std::get_if<bool>(value)) return *flag;
  fail(key, "must be a bool");
}

std::optional<std::int64_t> GgufMetadata::integer(const std::string& key, std::int64_t least,
                                                  std::int64_t most) const {
  const GgufValue* value = find(key);
  if (value == nullptr) return std::nullopt;
  const auto integer = as_integer(*value);
  if (!integer || *integer < least || *integer > most)
    fail(key, fmt::format("must be an integer from {} to {}", least, most));
  return integer;
}

const GgufArray* GgufMetadata::array(const std::string& key, std::uint64_t most) const {
  const GgufValue* value = find(key);
  if (value == nullptr) return nullptr;
  const auto* array = std::get_if<GgufArray>(value);
  if (array == nullptr) fail(key, "must be an array");
  if (array->count > most)
    fail(key, fmt::format("has {} elements; {} are allowed", array->count, most));
  return array;
}

std::optional<std::vector<std::string_view>> GgufMetadata::texts(const std::string& key,
                                                                 std::uint64_t most) const {
  const GgufArray* array = this->array(key, most);
  if (array == nullptr) return std::nullopt;
  if (array->kind != GgufKind::kString) fail(key, "must be an array of strings");
  GgufValueReader reader(array->bytes, where_);
  std::vector<std::string_view> texts;
  texts.reserve(array->count);  // each has eight bytes in the file at least
  for (std::uint64_t i = 0; i < array->count; ++i) texts.push_back(reader.text(key));
  return texts;
}

std::optional<std::vector<std::int64_t>> GgufMetadata::integers(const std::string& key,
                                                                std::uint64_t most) const {
  const GgufArray* array = this->array(key, most);
  if (array == nullptr) return std::nullopt;
  GgufValueReader reader(array->bytes, where_);
  std::vector<std::int64_t> integers;
  for (std::uint64_t i = 0; i < array->count; ++i) {
    const auto integer = as_integer(reader.scalar(array->kind, key));
    if (!integer) fail(key, "must be an array of integers");
    integers.push_back(*integer);
  }
  return integers;
}

std::vector<std::string> GgufMetadata::unasked(std::string_view prefix) const {
  std::vector<std::string> keys;
  for (const auto& [key, value] : keys_) {
    if (key.starts_with(prefix) && !asked_.contains(key)) keys.push_back(key);
  }
  return keys;
}

}  // namespace umf
