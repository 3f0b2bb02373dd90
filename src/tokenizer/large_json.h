// Untrusted JSON files read strictly: a key we do not know could change the result. JsonFields
// (base/) is not for these: with hundreds of thousands of entries they are too large for Json.
#pragma once

#include <simdjson.h>

#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "tokenizer/utf8.h"

namespace umf {

// `where` is the file and the section; every error starts with it.
[[noreturn]] void fail_at(const std::string& where, const std::string& what);

// A value for messages; arrays and objects are only called that.
std::string excerpt(simdjson::dom::element value);

// A parsed file; its values and their texts live as long as it does.
struct JsonDocument {
  simdjson::dom::parser parser;
  simdjson::dom::element root;
};

// Throws Error on bad syntax, bytes that are not UTF-8, or nesting deeper than 64.
std::shared_ptr<const JsonDocument> parse_large_json(std::string_view text,
                                                     const std::string& where);

class LargeFields {
 public:
  // Throws Error when `value` is not an object, a key is given twice or is none of `known`.
  // `separator` stands between `where` and a key in messages: "file: key", "file: section.key".
  LargeFields(simdjson::dom::element value, std::string where,
              std::initializer_list<std::string_view> known, std::string separator = ".");

  std::string place(std::string_view key) const { return where_ + separator_ + std::string(key); }

  // Nothing when the key is absent or null.
  std::optional<simdjson::dom::element> find(std::string_view key) const;
  simdjson::dom::element get(std::string_view key) const;

  std::string_view string(std::string_view key) const;
  simdjson::dom::array array(std::string_view key) const;
  bool flag(std::string_view key, bool otherwise) const;
  std::int64_t integer(std::string_view key, std::int64_t limit) const;  // 0 <= value < limit

 private:
  simdjson::dom::object object_;
  std::string where_, separator_;
};

}  // namespace umf
