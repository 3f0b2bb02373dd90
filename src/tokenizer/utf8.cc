#include "tokenizer/utf8.h"

#include <fmt/core.h>

#include "tokenizer/tokenizer.h"

namespace umf {

// The table of well-formed sequences (Unicode, table 3-7): only the second byte has a range of its
// own, which keeps out overlong forms, surrogates and what lies past U+10FFFF.
Utf8Char utf8_char(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned lead = byte(at);
  if (lead < 0x80) return {lead, 1, true};
  if (lead < 0xC2 || lead > 0xF4) return {0, 1, false};
  const int length = lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
  unsigned low = 0x80, high = 0xBF;
  if (lead == 0xE0) low = 0xA0;
  if (lead == 0xED) high = 0x9F;
  if (lead == 0xF0) low = 0x90;
  if (lead == 0xF4) high = 0x8F;
  char32_t code = lead & (0xFF >> (length + 1));
  for (int i = 1; i < length; ++i) {
    if (at + i >= text.size() || byte(at + i) < low || byte(at + i) > high) return {0, i, false};
    code = code << 6 | (byte(at + i) & 0x3F);
    low = 0x80;
    high = 0xBF;
  }
  return {code, length, true};
}

std::size_t valid_utf8_end(std::string_view text, std::size_t begin) {
  while (begin < text.size()) {
    const Utf8Char c = utf8_char(text, begin);
    if (!c.valid) break;
    begin += c.length;
  }
  return begin;
}

std::string to_valid_utf8(std::string_view bytes) {
  std::string text;
  text.reserve(bytes.size());
  for (std::size_t at = 0; at < bytes.size();) {
    const std::size_t end = valid_utf8_end(bytes, at);
    text.append(bytes.substr(at, end - at));
    at = end;
    if (at == bytes.size()) break;
    // One mark for each longest broken beginning, as Python's errors="replace" does.
    at += utf8_char(bytes, at).length;
    text += "\xEF\xBF\xBD";
  }
  return text;
}

std::string excerpt(std::string_view bytes, std::size_t limit) {
  std::string line;
  for (const char c : to_valid_utf8(bytes.substr(0, limit))) {
    const auto byte = static_cast<unsigned char>(c);
    byte < 0x20 || byte == 0x7F ? line += fmt::format("\\x{:02X}", byte) : line += c;
  }
  return bytes.size() <= limit ? line : line + "...";
}

}  // namespace umf
