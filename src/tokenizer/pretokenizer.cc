#include "tokenizer/pretokenizer.h"

#include <fmt/core.h>

#include "tokenizer/utf8.h"

namespace umf {
namespace {

void cut_piece(const Regex& regex, std::string_view text, bool drop_gaps,
               std::vector<std::string_view>& pieces) {
  const auto add = [&](std::size_t begin, std::size_t end) {
    if (begin < end) pieces.push_back(text.substr(begin, end - begin));
  };
  std::size_t done = 0, from = 0;
  bool any = false;
  Regex::Match match{};
  while (from <= text.size() && regex.find(text, from, match)) {
    if (match.begin == match.end && any && match.end == done) {
      // Nothing, right after a match: look on from the next character, as Oniguruma's iteration
      // does.
      from += from < text.size() ? utf8_char(text, from).length : 1;
      continue;
    }
    if (!drop_gaps) add(done, match.begin);
    add(match.begin, match.end);
    done = from = match.end;
    any = true;
  }
  if (!drop_gaps) add(done, text.size());
}

}  // namespace

Pretokenizer::Pretokenizer(const std::vector<SplitRule>& rules, const std::string& source) {
  for (const SplitRule& rule : rules) {
    rules_.push_back(
        {Regex(rule.pattern, fmt::format("{}: pre_tokenizer", source)), rule.drop_gaps});
  }
}

std::vector<std::string_view> Pretokenizer::cut(std::string_view text, bool keep_gaps) const {
  std::vector<std::string_view> pieces;
  if (!text.empty()) pieces.push_back(text);
  for (const Rule& rule : rules_) {
    std::vector<std::string_view> finer;
    finer.reserve(pieces.size() + text.size() / 4);
    for (const std::string_view piece : pieces) {
      cut_piece(rule.regex, piece, rule.drop_gaps && !keep_gaps, finer);
    }
    pieces = std::move(finer);
  }
  return pieces;
}

}  // namespace umf
