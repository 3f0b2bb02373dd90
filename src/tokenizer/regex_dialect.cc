#include "tokenizer/regex_dialect.h"

#include <fmt/core.h>

#include <algorithm>
#include <cctype>

#include "base/error.h"
#include "tokenizer/utf8.h"

namespace umf {
namespace {

bool is_hex(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(),
                                      [](unsigned char c) { return std::isxdigit(c) != 0; });
}

class Translator {
 public:
  explicit Translator(std::string_view pattern) : pattern_(pattern) {}

  std::string run() {
    if (take("(?i)")) result_ += "(?i)";  // further in, the two differ on how far it reaches
    while (at_ < pattern_.size()) step();
    return std::move(result_);
  }

 private:
  void step() {
    switch (peek()) {
      case '\\':
        return escape();
      case '[':
        return character_class();
      case '(':
        return group();
      case '{':
        return repeat_range();
      case '^':
      case '$':
        refuse(1);  // line anchors for Oniguruma, text anchors for PCRE2
      default:
        return copy(1);
    }
  }

  void escape() {
    const char kind = at_ + 1 < pattern_.size() ? pattern_[at_ + 1] : '\0';
    switch (kind) {
      // PCRE2's own \s has U+180E, which stopped being a space in Unicode 6.3.
      case 's':
        return replace(2, "\\p{White_Space}");
      case 'S':
        return replace(2, "\\P{White_Space}");
      case 'p':
      case 'P':
        return property();
      case 'x':
        return hex_escape();
      case 'u':
        if (!is_hex(pattern_.substr(at_ + 2, 4)) || at_ + 6 > pattern_.size()) refuse(2);
        return replace(6, fmt::format("\\x{{{}}}", pattern_.substr(at_ + 2, 4)));
      case 'd':
      case 'D':
      case 'r':
      case 'n':
      case 't':
      case 'f':
        return copy(2);
      default:
        if (!std::ispunct(static_cast<unsigned char>(kind))) refuse(2);
        return copy(2);
    }
  }

  // \p{L}, \p{Lu}: general categories, the same for both. A longer name is a script, which PCRE2
  // would otherwise widen to script extensions.
  void property() {
    const std::size_t close = pattern_.find('}', at_);
    if (pattern_.substr(at_ + 2, 1) != "{" || close == std::string_view::npos) refuse(2);
    const std::string_view name = pattern_.substr(at_ + 3, close - at_ - 3);
    const bool letters = std::all_of(
        name.begin(), name.end(), [](unsigned char c) { return std::isalpha(c) != 0 || c == '_'; });
    if (name.empty() || !letters) refuse(close + 1 - at_);
    replace(close + 1 - at_,
            fmt::format("\\{}{{{}{}}}", pattern_[at_ + 1], name.size() > 2 ? "sc:" : "", name));
  }

  void hex_escape() {
    if (pattern_.substr(at_ + 2, 1) == "{") {
      const std::size_t close = pattern_.find('}', at_);
      if (close == std::string_view::npos || !is_hex(pattern_.substr(at_ + 3, close - at_ - 3))) {
        refuse(3);
      }
      return copy(close + 1 - at_);
    }
    // Two digits name a byte for Oniguruma, a character for PCRE2: the same below 0x80.
    const std::string_view digits = pattern_.substr(at_ + 2, 2);
    if (digits.size() != 2 || !is_hex(digits) || digits[0] > '7') refuse(2);
    copy(4);
  }

  void character_class() {
    copy(1);
    if (peek() == '^') copy(1);
    if (peek() == ']') refuse(1);
    while (peek() != ']') {
      if (at_ >= pattern_.size()) throw Error("a '[' is not closed");
      if (peek() == '[') refuse(1);  // nested sets are Oniguruma's alone
      if (pattern_.substr(at_, 2) == "&&") refuse(2);
      peek() == '\\' ? escape() : copy(1);
    }
    copy(1);
  }

  void group() {
    for (const std::string_view opening : {"(?:", "(?=", "(?!", "(?>", "(?<=", "(?<!", "(?i:"}) {
      if (take(opening)) {
        result_ += opening;
        return;
      }
    }
    if (pattern_.substr(at_, 2) == "(?" || pattern_.substr(at_, 2) == "(*") refuse(3);
    copy(1);
  }

  // {n}, {n,} and {n,m}; a '+' after them, or a '?' after {n}, is read differently.
  void repeat_range() {
    std::size_t end = at_ + 1;
    const auto digits = [&] {
      const std::size_t begin = end;
      while (end < pattern_.size() && std::isdigit(static_cast<unsigned char>(pattern_[end])))
        ++end;
      return end > begin;
    };
    if (!digits()) refuse(2);
    const bool exact = pattern_.substr(end, 1) != ",";
    if (!exact) {
      ++end;
      digits();
    }
    if (pattern_.substr(end, 1) != "}") refuse(end - at_);
    ++end;
    const std::string_view after = pattern_.substr(end, 1);
    if (after == "+" || (exact && after == "?")) refuse(end + 1 - at_);
    copy(end - at_);
  }

  char peek() const { return at_ < pattern_.size() ? pattern_[at_] : '\0'; }
  bool take(std::string_view text) {
    if (pattern_.substr(at_, text.size()) != text) return false;
    at_ += text.size();
    return true;
  }
  void copy(std::size_t count) { replace(count, pattern_.substr(at_, count)); }
  void replace(std::size_t count, std::string_view text) {
    result_ += text;
    at_ += count;
  }
  [[noreturn]] void refuse(std::size_t count) const {
    throw Error(
        fmt::format("'{}' at byte {} is not supported", excerpt(pattern_.substr(at_, count)), at_));
  }

  std::string_view pattern_;
  std::size_t at_ = 0;
  std::string result_;
};

}  // namespace

std::string to_pcre2(std::string_view pattern) { return Translator(pattern).run(); }

}  // namespace umf
