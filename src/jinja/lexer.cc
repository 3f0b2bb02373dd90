#include "jinja/lexer.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <optional>

#include "jinja/text.h"

namespace umf::jinja {

Error error_at(std::string_view source, std::size_t offset, std::string_view what) {
  const std::string_view before = source.substr(0, std::min(offset, source.size()));
  const auto line = std::count(before.begin(), before.end(), '\n') + 1;
  const std::size_t line_begin = before.rfind('\n') + 1;  // npos + 1 is 0
  return Error(fmt::format("chat template, line {}, column {}: {}", line,
                           count_characters(before.substr(line_begin)) + 1, what));
}

std::string normalize_source(std::string_view source) {
  std::string result;
  result.reserve(source.size());
  for (std::size_t at = 0; at < source.size(); ++at) {
    if (source[at] != '\r') {
      result += source[at];
    } else {
      result += '\n';
      if (at + 1 < source.size() && source[at + 1] == '\n') ++at;
    }
  }
  if (result.ends_with('\n')) result.pop_back();
  return result;
}

namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_name_begin(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
int hex_value(char c) {
  if (is_digit(c)) return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return 16;
}

class Lexer {
 public:
  explicit Lexer(std::string_view source) : source_(source) {}

  std::vector<Lexeme> run() {
    for (std::size_t tag = find_tag(); tag < source_.size(); tag = find_tag()) {
      open_tag(source_.substr(at_, tag - at_), tag);
    }
    data(source_.substr(at_), at_);
    push(Lexeme::Kind::kEnd, "", source_.size());
    return std::move(lexemes_);
  }

 private:
  using Kind = Lexeme::Kind;

  [[noreturn]] void fail(std::size_t at, std::string_view what) const {
    throw error_at(source_, at, what);
  }
  void push(Kind kind, std::string text, std::size_t at) {
    lexemes_.push_back({kind, std::move(text), at});
  }
  void data(std::string_view text, std::size_t at) {
    if (!text.empty()) push(Kind::kData, std::string(text), at);
  }
  char peek(std::size_t ahead = 0) const {
    return at_ + ahead < source_.size() ? source_[at_ + ahead] : '\0';
  }
  bool starts(std::size_t at, std::string_view text) const {
    return source_.substr(std::min(at, source_.size())).starts_with(text);
  }

  // The next {{, {% or {#, or the end.
  std::size_t find_tag() const {
    std::size_t tag = at_;
    while ((tag = source_.find('{', tag)) != std::string_view::npos) {
      const char next = tag + 1 < source_.size() ? source_[tag + 1] : '\0';
      if (next == '{' || next == '%' || next == '#') return tag;
      ++tag;
    }
    return source_.size();
  }

  // What a tag's sign and lstrip_blocks leave of the text before it.
  std::string_view before_tag(std::string_view text, char sign, bool is_print) const {
    if (sign == '-') {
      std::size_t end = 0;
      for (std::size_t at = 0; at < text.size();) {
        const CodePoint next = code_point_at(text, at);
        at += next.length;
        if (!is_space(next.value)) end = at;
      }
      return text.substr(0, end);
    }
    if (sign == '+' || is_print) return text;
    const std::size_t line = text.rfind('\n') + 1;  // npos + 1 is 0
    if (line == 0 && !line_starting_) return text;
    return skip_space(text, line) < text.size() ? text : text.substr(0, line);
  }

  // Where a closing tag of `mark` ("%}", "#}") that begins at `at` ends, or nothing. A plus keeps
  // the newline after it, a minus takes all white space, and trim_blocks takes one newline.
  std::optional<std::size_t> close_tag(std::size_t at, std::string_view mark) const {
    if (starts(at, mark)) {
      const std::size_t end = at + mark.size();
      return starts(end, "\n") ? end + 1 : end;
    }
    if (!starts(at + 1, mark)) return std::nullopt;
    if (source_[at] == '+') return at + 1 + mark.size();
    if (source_[at] == '-') return skip_space(source_, at + 1 + mark.size());
    return std::nullopt;
  }

  void leave_tag(std::size_t end) {
    at_ = end;
    line_starting_ = end > 0 && source_[end - 1] == '\n';
  }

  void open_tag(std::string_view text, std::size_t tag) {
    const char type = source_[tag + 1];
    const char sign = starts(tag + 2, "-") ? '-' : starts(tag + 2, "+") ? '+' : ' ';
    data(before_tag(text, sign, type == '{'), at_);
    const std::size_t inside = tag + (sign == ' ' ? 2 : 3);
    if (type == '#') return comment(tag, inside);
    if (type == '%') {
      if (const auto raw_end = raw_tag(inside)) return raw(tag, *raw_end);
    }
    at_ = inside;
    push(type == '{' ? Kind::kPrintBegin : Kind::kBlockBegin, "", tag);
    tag_body(type == '{', tag);
  }

  void comment(std::size_t tag, std::size_t inside) {
    std::size_t mark = source_.find("#}", inside);
    if (mark == std::string_view::npos) fail(tag, "this comment has no end");
    if (mark > inside && (source_[mark - 1] == '-' || source_[mark - 1] == '+')) --mark;
    leave_tag(*close_tag(mark, "#}"));
  }

  // The end of the tag when what is inside it is the word raw.
  std::optional<std::size_t> raw_tag(std::size_t inside) const {
    const std::size_t word = skip_space(source_, inside);
    if (!starts(word, "raw")) return std::nullopt;
    const std::size_t mark = skip_space(source_, word + 3);
    if (starts(mark, "%}")) return mark + 2;
    if (starts(mark, "-%}")) return skip_space(source_, mark + 3);
    return std::nullopt;
  }

  void raw(std::size_t tag, std::size_t text_begin) {
    leave_tag(text_begin);
    for (std::size_t end = text_begin; (end = source_.find("{%", end)) != std::string_view::npos;
         ++end) {
      const char sign = starts(end + 2, "-") ? '-' : starts(end + 2, "+") ? '+' : ' ';
      const std::size_t word = skip_space(source_, end + (sign == ' ' ? 2 : 3));
      if (!starts(word, "endraw")) continue;
      const auto after = close_tag(skip_space(source_, word + 6), "%}");
      if (!after) continue;
      data(before_tag(source_.substr(text_begin, end - text_begin), sign, false), text_begin);
      return leave_tag(*after);
    }
    fail(tag, "this raw block has no endraw");
  }

  void tag_body(bool is_print, std::size_t tag) {
    while (true) {
      at_ = skip_space(source_, at_);
      if (at_ == source_.size()) fail(tag, "this tag is not closed");
      if (brackets_.empty() && close_body(is_print)) return;
      expression_lexeme();
    }
  }

  bool close_body(bool is_print) {
    const std::size_t begin = at_;
    std::optional<std::size_t> end;
    if (!is_print) {
      end = close_tag(at_, "%}");
    } else if (starts(at_, "}}")) {
      end = at_ + 2;
    } else if (starts(at_, "-}}")) {
      end = skip_space(source_, at_ + 3);
    }
    if (!end) return false;
    push(is_print ? Kind::kPrintEnd : Kind::kBlockEnd, "", begin);
    leave_tag(*end);
    return true;
  }

  void expression_lexeme() {
    const char next = peek();
    if (is_digit(next)) return number();
    if (is_name_begin(next)) return name();
    if (next == '\'' || next == '"') return string();
    operation();
  }

  void name() {
    const std::size_t begin = at_;
    while (is_name_begin(peek()) || is_digit(peek())) ++at_;
    push(Kind::kName, std::string(source_.substr(begin, at_ - begin)), begin);
  }

  // The end of digits with single underscores between them; `at` itself when there is no digit.
  std::size_t skip_digits(std::size_t at) const {
    while (at < source_.size() &&
           (is_digit(source_[at]) || (source_[at] == '_' && at > 0 && is_digit(source_[at - 1]) &&
                                      at + 1 < source_.size() && is_digit(source_[at + 1])))) {
      ++at;
    }
    return at;
  }

  void number() {
    const std::size_t begin = at_;
    if (peek() == '0' && peek(1) != '\0' &&
        std::string_view("bBoOxX").find(peek(1)) != std::string_view::npos) {
      fail(begin, "numbers in base 2, 8 or 16 are not supported");
    }
    std::size_t end = skip_digits(begin);
    bool is_float = false;
    const bool after_dot = begin > 0 && source_[begin - 1] == '.';  // items.0.1 are two indices
    if (!after_dot && starts(end, ".") && skip_digits(end + 1) > end + 1) {
      end = skip_digits(end + 1);
      is_float = true;
    }
    if (!after_dot && (starts(end, "e") || starts(end, "E"))) {
      const std::size_t digits = end + (starts(end + 1, "+") || starts(end + 1, "-") ? 2 : 1);
      if (skip_digits(digits) > digits) {
        end = skip_digits(digits);
        is_float = true;
      }
    }
    std::string digits(source_.substr(begin, end - begin));
    std::erase(digits, '_');
    if (!is_float && digits.size() > 1 && digits[0] == '0' &&
        digits.find_first_not_of('0') != std::string::npos) {
      fail(begin, "a number may not begin with 0");
    }
    push(is_float ? Kind::kFloat : Kind::kInteger, std::move(digits), begin);
    at_ = end;
  }

  void string() {
    const std::size_t begin = at_++;
    const char quote = source_[begin];
    std::string text;
    while (at_ < source_.size() && source_[at_] != quote) {
      if (source_[at_] == '\\' && at_ + 1 < source_.size()) {
        escape(text);
      } else {
        text += source_[at_++];
      }
    }
    if (at_ >= source_.size()) fail(begin, "this string has no end");
    ++at_;
    push(Kind::kString, std::move(text), begin);
  }

  // One backslash sequence, as Python reads it: an unknown one stays as it is written.
  void escape(std::string& text) {
    static constexpr std::string_view kLetters = "\\'\"abfnrtv", kMeanings = "\\'\"\a\b\f\n\r\t\v";
    const std::size_t begin = at_;
    const char letter = source_[at_ + 1];
    at_ += 2;
    if (letter == '\n') return;
    if (const std::size_t known = kLetters.find(letter); known != std::string_view::npos) {
      text += kMeanings[known];
    } else if (letter >= '0' && letter <= '7') {
      char32_t value = letter - '0';
      for (int i = 0; i < 2 && peek() >= '0' && peek() <= '7'; ++i) {
        value = value * 8 + (source_[at_++] - '0');
      }
      append_utf8(text, value);
    } else if (letter == 'x' || letter == 'u' || letter == 'U') {
      char32_t value = 0;
      for (int digits = letter == 'x' ? 2 : letter == 'u' ? 4 : 8; digits > 0; --digits) {
        if (hex_value(peek()) > 15) fail(begin, "this escape has too few hexadecimal digits");
        value = value * 16 + hex_value(source_[at_++]);
      }
      if (value > 0x10FFFF || (value >= 0xD800 && value <= 0xDFFF)) {
        fail(begin, "this escape is not a Unicode character");
      }
      append_utf8(text, value);
    } else if (letter == 'N') {
      fail(begin, "\\N{...} escapes are not supported");
    } else {
      text += '\\';
      text += letter;
    }
  }

  void operation() {
    static constexpr std::array<std::string_view, 27> kOperators = {
        "//", "**", "==", "!=", ">=", "<=", "+", "-", "/", "*", "%", "~", "[", "]",
        "(",  ")",  "{",  "}",  ">",  "<",  "=", ".", ":", "|", ",", ";", "!"};
    const auto found = std::find_if(kOperators.begin(), kOperators.end(),
                                    [&](std::string_view op) { return starts(at_, op); });
    if (found == kOperators.end() || *found == "!") {
      const std::string character(source_.substr(at_, code_point_at(source_, at_).length));
      fail(at_, fmt::format("unexpected character '{}'", character));
    }
    balance((*found)[0]);
    push(Kind::kOperator, std::string(*found), at_);
    at_ += found->size();
  }

  // Inside brackets }} and %} are operators, so that {{ {"a": {}} }} works.
  void balance(char c) {
    if (c == '(' || c == '[' || c == '{') {
      brackets_ += c == '(' ? ')' : c == '[' ? ']' : '}';
    } else if (c == ')' || c == ']' || c == '}') {
      if (brackets_.empty() || brackets_.back() != c) fail(at_, fmt::format("unexpected '{}'", c));
      brackets_.pop_back();
    }
  }

  std::string_view source_;
  std::size_t at_ = 0;
  bool line_starting_ = true;  // whether the last tag ended with a line end
  std::string brackets_;       // closing brackets that are due, innermost last
  std::vector<Lexeme> lexemes_;
};

}  // namespace

std::vector<Lexeme> lex(std::string_view source) { return Lexer(source).run(); }

}  // namespace umf::jinja
