#include "jinja/text.h"

#include <utf8proc.h>

#include <algorithm>
#include <cstring>

namespace umf::jinja {

void Text::append(std::string_view bytes, bool user) {
  if (user || !user_.empty()) {
    user_.resize(bytes_.size(), '\0');
    user_.append(bytes.size(), user ? '\1' : '\0');
  }
  bytes_.append(bytes);
}

void Text::append(const Text& other, std::size_t from, std::size_t count) {
  if (!other.user_.empty()) {
    user_.resize(bytes_.size(), '\0');
    user_.append(other.user_, from, count);
  } else if (!user_.empty()) {
    user_.append(count, '\0');
  }
  bytes_.append(other.bytes_, from, count);
}

Text Text::substr(std::size_t from, std::size_t count) const {
  Text part;
  part.append(*this, from, count);
  return part;
}

CodePoint code_point_at(std::string_view bytes, std::size_t at) {
  constexpr char32_t kPastUnicode = 0x110000;
  const auto first = static_cast<unsigned char>(bytes[at]);
  if (first < 0x80) return {first, 1};
  utf8proc_int32_t value = -1;
  const auto* data = reinterpret_cast<const utf8proc_uint8_t*>(bytes.data() + at);
  const utf8proc_ssize_t length =
      utf8proc_iterate(data, std::min<std::size_t>(bytes.size() - at, 4), &value);
  if (length <= 0) return {kPastUnicode + first, 1};
  return {static_cast<char32_t>(value), static_cast<std::size_t>(length)};
}

void append_utf8(std::string& bytes, char32_t value) {
  utf8proc_uint8_t encoded[4];
  const auto length = utf8proc_encode_char(static_cast<utf8proc_int32_t>(value), encoded);
  bytes.append(reinterpret_cast<const char*>(encoded), length);
}

bool is_valid_utf8(std::string_view bytes) {
  for (std::size_t at = 0; at < bytes.size();) {
    const CodePoint next = code_point_at(bytes, at);
    if (next.value >= 0x110000) return false;
    at += next.length;
  }
  return true;
}

std::size_t find_part(std::string_view text, std::string_view part, std::size_t from) {
  if (from > text.size()) return std::string_view::npos;
  if (part.empty()) return from;
  const void* found = memmem(text.data() + from, text.size() - from, part.data(), part.size());
  return found == nullptr ? std::string_view::npos : static_cast<const char*>(found) - text.data();
}

std::vector<std::size_t> character_offsets(std::string_view bytes) {
  std::vector<std::size_t> offsets;
  offsets.reserve(bytes.size() + 1);
  for (std::size_t at = 0; at < bytes.size(); at += code_point_at(bytes, at).length) {
    offsets.push_back(at);
  }
  offsets.push_back(bytes.size());
  return offsets;
}

std::size_t count_characters(std::string_view bytes) {
  std::size_t count = 0;
  for (std::size_t at = 0; at < bytes.size(); at += code_point_at(bytes, at).length) ++count;
  return count;
}

bool is_space(char32_t value) {
  return (value >= 0x09 && value <= 0x0D) || (value >= 0x1C && value <= 0x20) || value == 0x85 ||
         value == 0xA0 || value == 0x1680 || (value >= 0x2000 && value <= 0x200A) ||
         value == 0x2028 || value == 0x2029 || value == 0x202F || value == 0x205F ||
         value == 0x3000;
}

std::size_t skip_space(std::string_view bytes, std::size_t at) {
  while (at < bytes.size()) {
    const CodePoint next = code_point_at(bytes, at);
    if (!is_space(next.value)) break;
    at += next.length;
  }
  return at;
}

namespace {

utf8proc_category_t category(char32_t value) {
  return value < 0x110000 ? utf8proc_category(static_cast<utf8proc_int32_t>(value))
                          : UTF8PROC_CATEGORY_CN;
}

enum class Case { kUpper, kLower, kTitle };

void append_in_case(Text& result, const Text& text, std::size_t at, CodePoint from, Case wanted) {
  if (from.value >= 0x110000) return result.append(text, at, from.length);
  const bool user = text.user_at(at);
  // The sharp s has no single capital letter.
  if (from.value == 0xDF && wanted != Case::kLower) {
    return result.append(wanted == Case::kUpper ? "SS" : "Ss", user);
  }
  const auto value = static_cast<utf8proc_int32_t>(from.value);
  const utf8proc_int32_t mapped = wanted == Case::kUpper   ? utf8proc_toupper(value)
                                  : wanted == Case::kLower ? utf8proc_tolower(value)
                                                           : utf8proc_totitle(value);
  std::string encoded;
  append_utf8(encoded, static_cast<char32_t>(mapped));
  result.append(encoded, user);
}

// `wanted(character, index)` names the case of each character.
template <class Choose>
Text map_case(const Text& text, Choose&& wanted) {
  Text result;
  for (std::size_t at = 0, index = 0; at < text.size(); ++index) {
    const CodePoint next = code_point_at(text.bytes(), at);
    append_in_case(result, text, at, next, wanted(next.value, index));
    at += next.length;
  }
  return result;
}

}  // namespace

// utf8proc numbers the categories: what is not assigned, then letters to symbols, then separators
// and controls.
bool is_printable(char32_t value) {
  const utf8proc_category_t found = category(value);
  return value == ' ' || (found >= UTF8PROC_CATEGORY_LU && found <= UTF8PROC_CATEGORY_SO);
}

bool is_upper(char32_t value) { return category(value) == UTF8PROC_CATEGORY_LU; }
bool is_lower(char32_t value) { return category(value) == UTF8PROC_CATEGORY_LL; }
bool is_cased(char32_t value) {
  return is_upper(value) || is_lower(value) || category(value) == UTF8PROC_CATEGORY_LT;
}

Text to_upper(const Text& text) {
  return map_case(text, [](char32_t, std::size_t) { return Case::kUpper; });
}

Text to_lower(const Text& text) {
  return map_case(text, [](char32_t, std::size_t) { return Case::kLower; });
}

Text to_title(const Text& text) {
  bool in_word = false;
  return map_case(text, [&](char32_t value, std::size_t) {
    const Case wanted = in_word ? Case::kLower : Case::kTitle;
    in_word = is_cased(value);
    return wanted;
  });
}

Text capitalize(const Text& text) {
  return map_case(
      text, [](char32_t, std::size_t index) { return index == 0 ? Case::kTitle : Case::kLower; });
}

Text strip(const Text& text, Side side, const std::string* chars) {
  const std::string& bytes = text.bytes();
  std::vector<char32_t> wanted;
  for (std::size_t at = 0; chars != nullptr && at < chars->size();) {
    const CodePoint next = code_point_at(*chars, at);
    wanted.push_back(next.value);
    at += next.length;
  }
  std::sort(wanted.begin(), wanted.end());
  const auto strips = [&](char32_t value) {
    return chars == nullptr ? is_space(value)
                            : std::binary_search(wanted.begin(), wanted.end(), value);
  };
  std::size_t begin = 0;
  while (side != Side::kRight && begin < bytes.size()) {
    const CodePoint next = code_point_at(bytes, begin);
    if (!strips(next.value)) break;
    begin += next.length;
  }
  if (side == Side::kLeft) return text.substr(begin, bytes.size() - begin);
  std::size_t end = begin;  // past the last character that stays
  for (std::size_t at = begin; at < bytes.size();) {
    const CodePoint next = code_point_at(bytes, at);
    at += next.length;
    if (!strips(next.value)) end = at;
  }
  return text.substr(begin, end - begin);
}

std::vector<Text> split_lines(const Text& text) {
  const std::string& bytes = text.bytes();
  std::vector<Text> lines;
  std::size_t begin = 0;
  for (std::size_t at = 0; at < bytes.size();) {
    const CodePoint next = code_point_at(bytes, at);
    const std::size_t line_end = at;
    at += next.length;
    const bool ends = (next.value >= 0x0A && next.value <= 0x0D) ||
                      (next.value >= 0x1C && next.value <= 0x1E) || next.value == 0x85 ||
                      next.value == 0x2028 || next.value == 0x2029;
    if (!ends) continue;
    if (next.value == '\r' && at < bytes.size() && bytes[at] == '\n') ++at;
    lines.push_back(text.substr(begin, line_end - begin));
    begin = at;
  }
  if (begin < bytes.size()) lines.push_back(text.substr(begin, bytes.size() - begin));
  return lines;
}

Text replace(const Text& text, const Text& old, const Text& fresh, std::size_t at_most) {
  Text result;
  std::size_t from = 0;
  for (std::size_t done = 0; done < at_most; ++done) {
    // An empty `old` stands before every character and at the end, as in Python.
    const std::size_t found = old.empty() ? from : find_part(text.bytes(), old.bytes(), from);
    if (found == std::string::npos) break;
    result.append(text, from, found - from);
    result.append(fresh);
    from = found + old.size();
    if (!old.empty()) continue;
    if (from == text.size()) return result;
    const std::size_t length = code_point_at(text.bytes(), from).length;
    result.append(text, from, length);
    from += length;
  }
  result.append(text, from, text.size() - from);
  return result;
}

}  // namespace umf::jinja
