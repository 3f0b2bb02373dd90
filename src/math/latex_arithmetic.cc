// Sums, products and powers of the LaTeX grammar.
#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "math/latex_grammar.h"
#include "math/text.h"

namespace umf {
namespace {

constexpr int kNestingLimit = 600;  // of rules: about a hundred brackets

bool is_plus(const std::string& text) { return text == "+" || text == "＋"; }
bool is_minus(const std::string& text) {
  return text == "-" || text == "−" || text == "–" || text == "﹣" || text == "－";
}

// A whole number directly before a positive one is a mixed number: 2 1/3 is 7/3, and (-2) 1/3 is
// -7/3.
Expr joined(const Expr& left, const Expr& right) {
  if (is_integer(left) && is(right, Kind::kNumber) && right->value > 0) {
    return left->value < 0 ? number(left->value - right->value)
                           : number(left->value + right->value);
  }
  return multiply(scalar(left), scalar(right));
}

// 12 1/2, of which a percent sign takes all.
bool ends_in_mixed_number(const std::vector<Expr>& factors) {
  if (factors.size() < 2) return false;
  const Expr &whole = factors[factors.size() - 2], &fraction = factors.back();
  return is_integer(whole) && is(fraction, Kind::kNumber) && !is_integer(fraction);
}

}  // namespace

Expr scalar(const Expr& e) {
  if (is_arithmetic(e)) return e;
  if (!is(e, Kind::kSet) || e->args.size() != 1) throw NotUnderstood("arithmetic with a set");
  return scalar(e->args[0]);
}

LatexGrammar::Nesting::Nesting(int& depth) : depth_(depth) {
  if (++depth_ > kNestingLimit) {
    --depth_;
    throw MathLimit("nested too deeply");
  }
}

const LatexToken& LatexGrammar::peek(std::size_t ahead) const {
  return tokens_[std::min(at_ + ahead, tokens_.size() - 1)];
}
bool LatexGrammar::at(std::string_view text, std::size_t ahead) const {
  const LatexToken& token = peek(ahead);
  return token.kind != TokenKind::kGroup && token.kind != TokenKind::kEnd && token.text == text;
}
bool LatexGrammar::at_any(std::initializer_list<std::string_view> texts) const {
  return std::ranges::any_of(texts, [this](std::string_view text) { return at(text); });
}
bool LatexGrammar::accept(std::string_view text) {
  if (!at(text)) return false;
  ++at_;
  return true;
}
void LatexGrammar::expect(std::string_view text) {
  if (!accept(text)) fail("something is missing");
}
LatexToken LatexGrammar::take() {
  const LatexToken token = peek();
  if (token.kind == TokenKind::kEnd) fail("the text ends too early");
  ++at_;
  return token;
}

Expr LatexGrammar::expression() { return infix({sum()})[0]; }

Expr LatexGrammar::sum() {
  const Nesting nesting(depth_);
  Expr total = product();
  while (is_plus(peek().text) || is_minus(peek().text)) {
    const bool minus = is_minus(take().text);
    const Expr term = scalar(product());
    total = minus ? subtract(scalar(total), term) : add(scalar(total), term);
  }
  return total;
}

Expr LatexGrammar::product(bool stop_at_functions) {
  const Nesting nesting(depth_);
  Expr left = signed_factor(stop_at_functions);
  for (;;) {
    const bool over = at_any({"/", "\\div", ":", "\\colon", "÷", "∶"});
    const bool times = at_any({"*", "\\cdot", "\\times", "\\ast", "×", "·", "⋅", "∙"});
    if (!over && !times && !at("\\mod")) return left;
    if (stop_at_functions) {
      ++at_;
      const bool function_next = at_function();
      --at_;
      if (function_next) return left;
    }
    take();
    const Expr right = scalar(signed_factor(stop_at_functions));
    left = over    ? divide(scalar(left), right)
           : times ? multiply(scalar(left), right)
                   : function("Mod", {scalar(left), right});
  }
}

Expr LatexGrammar::signed_factor(bool stop_at_functions) {
  const Nesting nesting(depth_);
  const bool minus = is_minus(peek().text);
  if (!minus && !is_plus(peek().text)) return juxtaposed(stop_at_functions);
  take();
  const Expr factor = signed_factor(stop_at_functions);
  return minus ? negate(scalar(factor)) : factor;
}

// From right to left, so that a mixed number joins before the rest is multiplied on.
Expr LatexGrammar::juxtaposed(bool stop_at_functions) {
  std::vector<Expr> factors = {postfix()};
  for (;;) {
    if (accept("\\%") || accept("%")) {
      if (ends_in_mixed_number(factors)) {
        const Expr fraction = factors.back();
        factors.pop_back();
        factors.back() = joined(factors.back(), fraction);
      }
      factors.back() = percent(scalar(factors.back()));
    } else if (starts_factor(stop_at_functions)) {
      factors.push_back(postfix());
    } else {
      break;
    }
  }
  Expr result = factors.back();
  for (std::size_t i = factors.size() - 1; i-- > 0;) {
    if (is_integer(factors[i]) && is(result, Kind::kNumber)) ++doubts_;
    result = joined(factors[i], result);
  }
  return result;
}

bool LatexGrammar::starts_factor(bool stop_at_functions) const {
  const LatexToken& token = peek();
  switch (token.kind) {
    case TokenKind::kNumber:
    case TokenKind::kLetter:
    case TokenKind::kDifferential:
      return true;
    case TokenKind::kGroup:
      return token.text != "\\end";
    case TokenKind::kEnd:
      return false;
    case TokenKind::kCharacter:
      if (token.text == "|") return open_bars_ == 0;
      return token.text == "(" || token.text == "[" || token.text == "{";
    case TokenKind::kCommand:
      break;
  }
  if (stop_at_functions && at_function()) return false;
  if (token.text == "\\lvert" || token.text == "\\vert") {
    return token.text == "\\lvert" || open_bars_ == 0;
  }
  return at_function() || !letter_of_command(token.text).empty() ||
         at_any({"\\pi",     "\\infty",  "\\frac",  "\\sqrt",     "\\binom",      "\\dbinom",
                 "\\tbinom", "\\{",      "\\(",     "\\[",        "\\lbrace",     "\\lbrack",
                 "\\lparen", "\\lfloor", "\\lceil", "\\emptyset", "\\varnothing", "\\sum",
                 "\\prod",   "\\int",    "\\lim",   "\\partial"});
}

bool LatexGrammar::at_unequal() const {
  return at("!") && at("=", 1) && peek().end == peek(1).begin;
}

Expr LatexGrammar::postfix() {
  Expr value = exponent_of(primary());
  for (;;) {
    if (at("!") && !at_unequal()) {
      take();
      value = function("factorial", {scalar(value)});
    } else if (accept("'") || accept("\\prime") || accept("°") || accept("\\degree")) {
      ++doubts_;
    } else if (at("^")) {
      value = exponent_of(value);
    } else {
      return value;
    }
  }
}

Expr LatexGrammar::exponent_of(Expr base) {
  while (accept("^")) {
    const bool braced = at("{");
    const std::size_t inside = braced ? 1 : 0;
    const std::size_t length = braced ? 3 : 1;
    const bool alone = !braced || at("}", 2);
    if (alone && (at("\\circ", inside) || at("\\degree", inside) || at("\\prime", inside))) {
      at_ += length;
      ++doubts_;
      continue;
    }
    if (alone && at("T", inside)) {
      at_ += length;
      if (is(base, Kind::kMatrix)) base = function("transpose", {base});
      continue;
    }
    if (!braced && peek().kind == TokenKind::kCharacter) fail("an exponent that is no atom");
    const Expr exponent = script_value();
    base = power(scalar(base), scalar(exponent));
  }
  return base;
}

Expr LatexGrammar::primary() {
  const Nesting nesting(depth_);
  const LatexToken& token = peek();
  switch (token.kind) {
    case TokenKind::kNumber:
      return number_token();
    case TokenKind::kLetter:
      return letter(take().text);
    case TokenKind::kDifferential:
      return symbol(lower_case(take().text), real_symbols_);
    case TokenKind::kGroup:
      return group_command();
    case TokenKind::kCommand:
      return command();
    case TokenKind::kEnd:
      fail("the text ends too early");
    case TokenKind::kCharacter:
      break;
  }
  if (token.text == "(" || token.text == "[") return bracketed();
  if (token.text == "{") return brace_group();
  if (token.text == "|" && open_bars_ == 0) return between("|", "|", "Abs");
  if (accept("∞")) return constant("oo");
  if (accept("π")) return constant("pi");
  fail("a character that means nothing here");
}

Expr LatexGrammar::number_token() {
  const std::string text = take().text;
  // The base of a number is not read: 101_2 is 101.
  if (at("_")) {
    subscript();
    ++doubts_;
  }
  if (text.find_first_of(".E") == std::string::npos) return number(mpq_class(mpz_class(text, 10)));
  const double value = std::strtod(text.c_str(), nullptr);
  if (!std::isfinite(value)) throw MathLimit("a number that is too large");
  return decimal(value);
}

Expr LatexGrammar::letter(const std::string& name) {
  if (name == "e" && !at("_")) return constant("E");
  if (name == "I" && !at("_")) return constant("I");
  std::string full = lower_case(name);
  if (at("_")) full += subscript();
  return applied_or(symbol(full, real_symbols_));
}

std::string LatexGrammar::subscript() {
  expect("_");
  if (!at("{")) {
    const LatexToken token = take();
    const std::string text = token.kind == TokenKind::kGroup ? token.argument : token.text;
    return std::string("_").append(lower_case(text));
  }
  const std::size_t open = peek().begin, end = after_closing_brace(source_, open);
  if (end == std::string_view::npos) fail("a brace that is never closed");
  while (peek().kind != TokenKind::kEnd && peek().begin < end) ++at_;
  std::string inside = lower_case(source_.substr(open + 1, end - open - 2));
  std::erase_if(inside, is_space);
  return std::string("_").append(inside.size() == 1 ? inside : braced(inside));
}

// f(x) with one atom, or f(x, y): an unknown function. f(x+1) is a product.
Expr LatexGrammar::applied_or(Expr name) {
  if (!at("(")) return name;
  std::size_t end = at_ + 1, depth = 1;
  bool comma = false;
  for (; end < tokens_.size() && tokens_[end].kind != TokenKind::kEnd; ++end) {
    const std::string& text = tokens_[end].text;
    if (tokens_[end].kind == TokenKind::kGroup) continue;
    if (text == "(" || text == "[" || text == "{" || text == "\\{") ++depth;
    if ((text == ")" || text == "]" || text == "}" || text == "\\}") && --depth == 0) break;
    comma = comma || (depth == 1 && text == ",");
  }
  const std::size_t begin = at_;
  if (end >= tokens_.size() || tokens_[end].text != ")" || end == begin + 1) return name;
  std::vector<Expr> args;
  if (comma) {
    ++at_;
    args = list().flat();
  } else {
    const LatexToken& first = tokens_[begin + 1];
    const bool atom = first.kind == TokenKind::kNumber || first.kind == TokenKind::kLetter ||
                      (first.kind == TokenKind::kCommand &&
                       (!letter_of_command(first.text).empty() || first.text == "\\pi"));
    if (!atom) return name;
    ++at_;
    args.push_back(primary());
    if (!at(")")) {
      at_ = begin;
      return name;
    }
  }
  expect(")");
  return compound(Kind::kApplied, std::move(args), name->name);
}

}  // namespace umf
