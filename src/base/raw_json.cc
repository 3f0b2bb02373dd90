#include "base/raw_json.h"

#include <fmt/core.h>

#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/json.h"

namespace umf {
namespace {

constexpr int kDepthLimit = 64;

class Scanner {
 public:
  Scanner(std::string_view text, const std::string& where) : text_(text), where_(where) {}

  char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  bool at_end() const { return at_ >= text_.size(); }

  void skip_space() {
    while (peek() == ' ' || peek() == '\t' || peek() == '\n' || peek() == '\r') ++at_;
  }
  void expect(char c) {
    skip_space();
    if (peek() != c || at_end()) fail(fmt::format("'{}' is missing", c));
    ++at_;
  }
  bool take(char c) {
    skip_space();
    if (at_end() || peek() != c) return false;
    ++at_;
    return true;
  }

  // One value; the text it has.
  std::string_view value() {
    skip_space();
    const std::size_t begin = at_;
    std::string open;  // the brackets that are not closed yet
    do {
      skip_space();
      token(open);
    } while (!open.empty());
    return text_.substr(begin, at_ - begin);
  }

  void end() {
    skip_space();
    if (!at_end()) fail("something stands behind the value");
  }

 private:
  // A bracket, comma or colon inside brackets, a string, or a scalar.
  void token(std::string& open) {
    if (at_end()) fail("it ends too early");
    const char c = peek();
    if (c == '"') return string();
    if (c == '[' || c == '{') {
      if (static_cast<int>(open.size()) == kDepthLimit)
        fail(fmt::format("nested deeper than {} levels", kDepthLimit));
      open += c;
    } else if (c == ']' || c == '}') {
      if (open.empty() || open.back() != (c == ']' ? '[' : '{')) fail("brackets do not match");
      open.pop_back();
    } else if (c == ',' || c == ':') {
      if (open.empty()) fail("a value is missing");
    } else {
      return scalar();
    }
    ++at_;
  }

  void string() {
    for (++at_; !at_end(); ++at_) {
      if (peek() == '"') {
        ++at_;
        return;
      }
      if (peek() == '\\') ++at_;
    }
    at_ = text_.size();
    fail("a string does not end");
  }

  void scalar() {
    const std::size_t begin = at_;
    while (!at_end() && (std::isalnum(static_cast<unsigned char>(peek())) != 0 || peek() == '+' ||
                         peek() == '-' || peek() == '.'))
      ++at_;
    if (at_ == begin) fail("a value is missing");
  }

  [[noreturn]] void fail(const std::string& what) const {
    throw Error(fmt::format("{} is not valid JSON at byte {}: {}", where_, at_ + 1, what));
  }

  std::string_view text_;
  const std::string& where_;
  std::size_t at_ = 0;
};

std::string decoded(std::string_view literal, const std::string& where) {
  const Json json = parse_json(literal, where);
  if (!json.is_string()) throw Error(where + " must be a string");
  return json.get<std::string>();
}

}  // namespace

RawObject::RawObject(std::string_view text, std::string where) : where_(std::move(where)) {
  Scanner scanner(text, where_);
  scanner.expect('{');
  if (!scanner.take('}')) {
    do {
      std::string key = decoded(scanner.value(), where_ + ": a key");
      if (has(key)) throw Error(fmt::format("{}: key '{}' is given twice", where_, key));
      scanner.expect(':');
      fields_.emplace(std::move(key), scanner.value());
    } while (scanner.take(','));
    scanner.expect('}');
  }
  scanner.end();
}

std::string_view RawObject::raw(std::string_view key) const {
  const auto field = fields_.find(key);
  if (field == fields_.end()) throw Error(fmt::format("{}: field '{}' is missing", where_, key));
  return field->second;
}

std::string RawObject::text(std::string_view key) const {
  return decoded(raw(key), fmt::format("{}: field '{}'", where_, key));
}

std::string_view RawObject::list(std::string_view key) const {
  const std::string_view value = raw(key);
  if (!value.starts_with('['))
    throw Error(fmt::format("{}: field '{}' must be a list", where_, key));
  return value;
}

std::vector<std::string> RawObject::texts(std::string_view key) const {
  const std::string place = fmt::format("{}: field '{}'", where_, key);
  std::vector<std::string> texts;
  for (const std::string_view element : raw_elements(list(key), place))
    texts.push_back(decoded(element, place));
  return texts;
}

std::vector<std::string_view> raw_elements(std::string_view list, const std::string& where) {
  Scanner scanner(list, where);
  std::vector<std::string_view> elements;
  scanner.expect('[');
  if (!scanner.take(']')) {
    do elements.push_back(scanner.value());
    while (scanner.take(','));
    scanner.expect(']');
  }
  scanner.end();
  return elements;
}

}  // namespace umf
