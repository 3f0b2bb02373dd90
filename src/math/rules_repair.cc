#include "math/rules_repair.h"

#include <algorithm>

#include "math/text.h"

namespace umf {
namespace {

bool is_plain_integer(std::string_view text) {
  if (!text.empty() && text[0] == '-') {
    text.remove_prefix(1);
    if (text == "0") return false;
  }
  if (text.empty() || (text[0] == '0' && text.size() > 1)) return false;
  return std::ranges::all_of(text, is_digit);
}

}  // namespace

std::string repair_fractions(const std::string& text) {
  const std::vector<std::string> parts = split_at(text, "\\frac");
  std::string result = parts[0];
  for (std::size_t i = 1; i < parts.size(); ++i) {
    const std::string& part = parts[i];
    if (part.empty()) throw NotNormalisable();
    result += "\\frac";
    if (part[0] == '{') {
      result += part;
      continue;
    }
    const std::size_t first = character_length(part, 0);
    if (first == part.size()) return text;
    const std::size_t second = character_length(part, first);
    result += braced(part.substr(0, first));
    if (part[first] == '{')
      result += part.substr(first);
    else
      result.append(braced(part.substr(first, second))).append(part.substr(first + second));
  }
  return result;
}

std::string repair_roots(const std::string& text) {
  const std::vector<std::string> parts = split_at(text, "\\sqrt");
  std::string result = parts[0];
  for (std::size_t i = 1; i < parts.size(); ++i) {
    const std::string& part = parts[i];
    if (part.empty()) throw NotNormalisable();
    const std::size_t first = character_length(part, 0);
    result += "\\sqrt";
    result += part[0] == '{' ? part : braced(part.substr(0, first)).append(part.substr(first));
  }
  return result;
}

std::string repair_slash(const std::string& text) {
  const std::vector<std::string> parts = split_at(text, "/");
  if (parts.size() != 2 || !is_plain_integer(parts[0]) || !is_plain_integer(parts[1])) return text;
  return std::string("\\frac").append(braced(parts[0])).append(braced(parts[1]));
}

std::string drop_short_left_side(const std::string& text) {
  const std::vector<std::string> parts = split_at(text, "=");
  return parts.size() == 2 && count_characters(parts[0]) <= 2 ? parts[1] : text;
}

void name_fractions_alike(std::string& text) {
  replace_all(text, "tfrac", "frac");
  replace_all(text, "dfrac", "frac");
  delete_all(text, "\\left");
  delete_all(text, "\\right");
}

void complete_decimals(std::string& text) {
  replace_all(text, " .", " 0.");
  replace_all(text, "{.", "{0.");
}

void delete_degrees(std::string& text) {
  delete_all(text, "^{\\circ}");
  delete_all(text, "^\\circ");
}

}  // namespace umf
