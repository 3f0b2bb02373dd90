#include "tokenizer/added_tokens.h"

#include <utf8proc.h>

#include <algorithm>

#include "tokenizer/utf8.h"

namespace umf {
namespace {

// Unicode's White_Space.
bool is_space(char32_t c) {
  return (c >= 0x09 && c <= 0x0D) || c == 0x20 || c == 0x85 || c == 0xA0 || c == 0x1680 ||
         (c >= 0x2000 && c <= 0x200A) || c == 0x2028 || c == 0x2029 || c == 0x202F || c == 0x205F ||
         c == 0x3000;
}

// \w as Unicode's annex on regexes defines it (UTS 18, annex C): what single_word means by a word.
bool is_word(char32_t c) {
  const auto category = utf8proc_category(static_cast<utf8proc_int32_t>(c));
  if (category == UTF8PROC_CATEGORY_SO) {  // the letters among the symbols
    return (c >= 0x24B6 && c <= 0x24E9) || (c >= 0x1F130 && c <= 0x1F149) ||
           (c >= 0x1F150 && c <= 0x1F169) || (c >= 0x1F170 && c <= 0x1F189);
  }
  // utf8proc numbers letters, marks, decimal digits and letter numbers in a row.
  return (category >= UTF8PROC_CATEGORY_LU && category <= UTF8PROC_CATEGORY_NL) ||
         category == UTF8PROC_CATEGORY_PC || c == 0x200C || c == 0x200D;
}

// Where the character before `at` begins.
std::size_t char_before(std::string_view text, std::size_t at) {
  do --at;
  while (at > 0 && (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80);
  return at;
}

bool inside_word(std::string_view text, std::size_t begin, std::size_t end) {
  return (begin > 0 && is_word(utf8_char(text, char_before(text, begin)).code)) ||
         (end < text.size() && is_word(utf8_char(text, end).code));
}

std::size_t skip_spaces_back(std::string_view text, std::size_t at, std::size_t limit) {
  while (at > limit && is_space(utf8_char(text, char_before(text, at)).code)) {
    at = char_before(text, at);
  }
  return at;
}

std::size_t skip_spaces(std::string_view text, std::size_t at) {
  while (at < text.size()) {
    const Utf8Char c = utf8_char(text, at);
    if (!is_space(c.code)) break;
    at += c.length;
  }
  return at;
}

}  // namespace

AddedTokens::AddedTokens(std::vector<AddedToken> tokens) : tokens_(std::move(tokens)) {
  for (std::size_t i = 0; i < tokens_.size(); ++i) {
    std::uint32_t node = 0;
    for (const char c : tokens_[i].content) {
      const auto byte = static_cast<unsigned char>(c);
      if (const std::uint32_t* child = children_.find(node, byte)) {
        node = *child;
        continue;
      }
      const auto fresh = static_cast<std::uint32_t>(ends_.size());
      (void)children_.insert(node, byte, fresh);
      ends_.push_back(-1);
      node = fresh;
    }
    starts_[static_cast<unsigned char>(tokens_[i].content[0])] = true;
    if (ends_[node] < 0) ends_[node] = static_cast<std::int32_t>(i);
  }
}

const AddedToken* AddedTokens::match(std::string_view text, std::size_t at) const {
  std::int32_t longest = -1;
  std::uint32_t node = 0;
  for (; at < text.size(); ++at) {
    const std::uint32_t* child = children_.find(node, static_cast<unsigned char>(text[at]));
    if (child == nullptr) break;
    node = *child;
    if (ends_[node] >= 0) longest = ends_[node];
  }
  return longest < 0 ? nullptr : &tokens_[longest];
}

std::vector<AddedTokens::Part> AddedTokens::cut(std::string_view text, SpecialText special) const {
  std::vector<Part> parts;
  std::size_t done = 0;
  const auto add_text = [&](std::size_t end) {
    if (done < end) parts.push_back({text.substr(done, end - done), std::nullopt});
  };
  for (std::size_t at = 0; at < text.size();) {
    const bool may_start = starts_[static_cast<unsigned char>(text[at])];
    const AddedToken* token = may_start ? match(text, at) : nullptr;
    if (token == nullptr) {
      ++at;
      continue;
    }
    std::size_t begin = at, end = at + token->content.size();
    // A token that does not count here still covers its text: no other is looked for inside it.
    at = end;
    if (token->special && special == SpecialText::kPlain) continue;
    if (token->single_word && inside_word(text, begin, end)) continue;
    if (token->lstrip) begin = skip_spaces_back(text, begin, done);
    if (token->rstrip) end = skip_spaces(text, end);
    add_text(begin);
    parts.push_back({text.substr(begin, end - begin), token->id});
    done = at = end;
  }
  add_text(text.size());
  return parts;
}

}  // namespace umf
