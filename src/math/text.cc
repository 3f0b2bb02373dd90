#include "math/text.h"

#include <algorithm>

namespace umf {

void replace_all(std::string& text, std::string_view from, std::string_view to) {
  if (text.find(from) == std::string::npos) return;
  std::string result;
  std::size_t at = 0;
  for (std::size_t hit; (hit = text.find(from, at)) != std::string::npos; at = hit + from.size()) {
    result.append(text, at, hit - at).append(to);
  }
  text = result.append(text, at);
}

bool contains(std::string_view text, std::string_view what) {
  return text.find(what) != std::string_view::npos;
}

std::vector<std::string> split_at(std::string_view text, std::string_view separator) {
  std::vector<std::string> parts;
  std::size_t at = 0;
  for (std::size_t hit; (hit = text.find(separator, at)) != std::string_view::npos;
       at = hit + separator.size()) {
    parts.emplace_back(text.substr(at, hit - at));
  }
  parts.emplace_back(text.substr(at));
  return parts;
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  return text;
}

std::size_t character_length(std::string_view text, std::size_t at) {
  std::size_t length = 1;
  if (static_cast<unsigned char>(text[at]) < 0xC0) return length;
  while (at + length < text.size() && length < 4 && (text[at + length] & 0xC0) == 0x80) ++length;
  return length;
}

std::size_t count_characters(std::string_view text) {
  std::size_t count = 0;
  for (std::size_t at = 0; at < text.size(); at += character_length(text, at)) ++count;
  return count;
}

std::string lower_case(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return lower;
}

std::string braced(std::string_view inside) {
  std::string text = "{";
  return text.append(inside).append("}");
}

std::size_t after_closing_brace(std::string_view text, std::size_t open) {
  int depth = 0;
  for (std::size_t at = open; at < text.size(); ++at) {
    if (text[at] == '{') ++depth;
    if (text[at] == '}' && --depth == 0) return at + 1;
  }
  return std::string_view::npos;
}

}  // namespace umf
