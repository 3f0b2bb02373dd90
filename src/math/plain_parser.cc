#include "math/plain_parser.h"

#include <cmath>
#include <cstdlib>

#include "math/latex_lexer.h"
#include "math/text.h"

namespace umf {
namespace {

constexpr int kNestingLimit = 100;

// The arithmetic of Python, with ^ for a power: no juxtaposition, powers from the right.
class PlainParser {
 public:
  explicit PlainParser(std::string_view text) : text_(text) {}

  Expr whole() {
    const Expr value = sum();
    skip_spaces();
    if (at_ < text_.size()) throw NotUnderstood("something is left over");
    return value;
  }

 private:
  void skip_spaces() {
    while (at_ < text_.size() && is_space(text_[at_])) ++at_;
  }
  bool accept(char c) {
    skip_spaces();
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }

  Expr sum() {
    Expr total = product();
    for (;;) {
      if (accept('+'))
        total = add(total, product());
      else if (accept('-'))
        total = subtract(total, product());
      else
        return total;
    }
  }

  Expr product() {
    Expr total = factor();
    for (;;) {
      if (accept('*')) {
        if (accept('*')) throw NotUnderstood("a power in two characters after a product");
        total = multiply(total, factor());
      } else if (accept('/')) {
        if (accept('/')) throw NotUnderstood("two slashes");
        total = divide(total, factor());
      } else {
        return total;
      }
    }
  }

  Expr factor() {
    if (++depth_ > kNestingLimit) throw MathLimit("nested too deeply");
    Expr value = accept('-') ? negate(factor()) : accept('+') ? factor() : powered();
    --depth_;
    return value;
  }

  Expr powered() {
    const Expr base = atom();
    if (accept('^')) return power(base, factor());
    skip_spaces();
    if (text_.substr(at_).starts_with("**")) {
      at_ += 2;
      return power(base, factor());
    }
    return base;
  }

  Expr atom() {
    if (accept('(')) {
      const Expr inside = sum();
      if (!accept(')')) throw NotUnderstood("a parenthesis that is never closed");
      return inside;
    }
    skip_spaces();
    const std::size_t begin = at_;
    while (at_ < text_.size() && is_digit(text_[at_])) ++at_;
    const std::size_t digits = at_ - begin;
    const bool point = at_ < text_.size() && text_[at_] == '.';
    if (point) {
      ++at_;
      while (at_ < text_.size() && is_digit(text_[at_])) ++at_;
    }
    const std::string number_text(text_.substr(begin, at_ - begin));
    if (number_text.empty() || number_text == ".") throw NotUnderstood("a number is missing");
    if (!point) {
      const bool leading_zero = digits > 1 && number_text[0] == '0' &&
                                number_text.find_first_not_of('0') != std::string::npos;
      if (leading_zero) throw NotUnderstood("a number with leading zeros");
      if (digits > 4000) throw MathLimit("a number of too many digits");
      return number(mpq_class(mpz_class(number_text, 10)));
    }
    const double value = std::strtod(number_text.c_str(), nullptr);
    if (!std::isfinite(value)) throw MathLimit("a number that is too large");
    return decimal(value);
  }

  std::string_view text_;
  std::size_t at_ = 0;
  int depth_ = 0;
};

}  // namespace

Expr parse_plain(std::string_view text) { return PlainParser(text).whole(); }

}  // namespace umf
