// Text as templates see it: Unicode strings that remember which bytes the caller's messages gave.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace umf::jinja {

// UTF-8 bytes, each marked as template text or user text. Every operation on strings is built from
// append() and substr(), so a mark stays with its byte through slicing, replacing and joining.
class Text {
 public:
  Text() = default;
  explicit Text(std::string bytes, bool user = false)
      : bytes_(std::move(bytes)), user_(user ? bytes_.size() : 0, '\1') {}

  const std::string& bytes() const { return bytes_; }
  std::size_t size() const { return bytes_.size(); }
  bool empty() const { return bytes_.empty(); }
  bool user_at(std::size_t at) const { return !user_.empty() && user_[at] != 0; }

  void append(std::string_view bytes, bool user = false);
  void append(const Text& other) { append(other, 0, other.size()); }
  void append(const Text& other, std::size_t from, std::size_t count);
  Text substr(std::size_t from, std::size_t count) const;

  friend bool operator==(const Text& a, const Text& b) { return a.bytes_ == b.bytes_; }

 private:
  std::string bytes_;
  std::string user_;  // empty when nothing is user text, else one flag per byte
};

// What stands at `at`, which is inside `bytes`. A byte that begins no UTF-8 sequence counts as one
// character with a value past the end of Unicode, so that any bytes can pass through a template.
struct CodePoint {
  char32_t value;
  std::size_t length;
};
CodePoint code_point_at(std::string_view bytes, std::size_t at);
void append_utf8(std::string& bytes, char32_t value);
bool is_valid_utf8(std::string_view bytes);

// Where `part` stands in `text` at or after `from`, else npos. Takes linear time, which
// std::string::find does not promise: both may be long and hostile.
std::size_t find_part(std::string_view text, std::string_view part, std::size_t from);

// Offsets of the characters, and of the end.
std::vector<std::size_t> character_offsets(std::string_view bytes);
std::size_t count_characters(std::string_view bytes);

// The first place at or after `at` that is not white space.
std::size_t skip_space(std::string_view bytes, std::size_t at);

// As Python's str.isspace() and str.isprintable() for one character.
bool is_space(char32_t value);
bool is_printable(char32_t value);
bool is_cased(char32_t value);
bool is_upper(char32_t value);
bool is_lower(char32_t value);

// Python's upper(), lower(), title() and capitalize(), with one-to-one case mappings and the sharp
// s.
Text to_upper(const Text& text);
Text to_lower(const Text& text);
Text to_title(const Text& text);
Text capitalize(const Text& text);

// strip(): the characters in `chars`, or white space when it is null.
enum class Side { kLeft, kRight, kBoth };
Text strip(const Text& text, Side side, const std::string* chars);

// splitlines(): without the line ends.
std::vector<Text> split_lines(const Text& text);

Text replace(const Text& text, const Text& old, const Text& fresh, std::size_t at_most);

}  // namespace umf::jinja
