// Small text operations that the answer checkers share.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace umf {

// Every `from` becomes `to`, left to right, without looking again at what was put in.
void replace_all(std::string& text, std::string_view from, std::string_view to);
inline void delete_all(std::string& text, std::string_view what) { replace_all(text, what, ""); }

bool contains(std::string_view text, std::string_view what);
std::vector<std::string> split_at(std::string_view text, std::string_view separator);
std::string_view trimmed(std::string_view text);

// Bytes of the character at `at` (stray bytes count as one); characters in all of `text`.
std::size_t character_length(std::string_view text, std::size_t at);
std::size_t count_characters(std::string_view text);

inline bool is_digit(char c) { return c >= '0' && c <= '9'; }
inline bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
inline bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
// Of a character of several bytes: char has a sign on some machines and none on others.
inline bool is_beyond_ascii(char c) { return static_cast<unsigned char>(c) >= 0x80; }
inline bool is_word(char c) {
  return is_digit(c) || is_letter(c) || c == '_' || is_beyond_ascii(c);
}
std::string lower_case(std::string_view text);  // ASCII letters alone

// {inside}
std::string braced(std::string_view inside);

// One past the brace that closes the one at `open`, or npos.
std::size_t after_closing_brace(std::string_view text, std::size_t open);

}  // namespace umf
