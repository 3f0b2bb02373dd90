// What begins with a backslash, in the LaTeX grammar.
#include <map>
#include <utility>

#include "math/exact.h"
#include "math/latex_grammar.h"
#include "math/text.h"

namespace umf {
namespace {

const std::map<std::string, std::string, std::less<>>& function_names() {
  static const std::map<std::string, std::string, std::less<>> names = {
      {"log", "log"},       {"lg", "log"},        {"ln", "log"},        {"exp", "exp"},
      {"sin", "sin"},       {"cos", "cos"},       {"tan", "tan"},       {"cot", "cot"},
      {"sec", "sec"},       {"csc", "csc"},       {"arcsin", "asin"},   {"arccos", "acos"},
      {"arctan", "atan"},   {"arccot", "acot"},   {"arcsec", "asec"},   {"arccsc", "acsc"},
      {"sinh", "sinh"},     {"cosh", "cosh"},     {"tanh", "tanh"},     {"coth", "coth"},
      {"arcsinh", "asinh"}, {"arccosh", "acosh"}, {"arctanh", "atanh"}, {"arsinh", "asinh"},
      {"arcosh", "acosh"},  {"artanh", "atanh"},  {"max", "Max"},       {"min", "Min"},
      {"gcd", "gcd"},       {"lcm", "lcm"}};
  return names;
}

mpz_class whole_argument(const Expr& e) {
  const auto value = exact_value(e);
  if (!value || value->get_den() != 1) throw NotUnderstood("a divisor of what is no integer");
  return value->get_num();
}

}  // namespace

bool LatexGrammar::at_function() const {
  const LatexToken& token = peek();
  if (token.kind == TokenKind::kGroup) {
    return token.text == "\\operatorname" && function_names().contains(token.argument);
  }
  return token.kind == TokenKind::kCommand &&
         function_names().contains(std::string_view(token.text).substr(1));
}

Expr LatexGrammar::command() {
  if (at_function()) return named_function(take().text.substr(1));
  const std::string name = peek().text;
  if (name == "\\frac") return fraction();
  if (name == "\\sqrt") return root();
  if (name == "\\binom" || name == "\\dbinom" || name == "\\tbinom") return binomial();
  if (name == "\\(" || name == "\\[" || name == "\\lparen" || name == "\\lbrack") {
    return bracketed();
  }
  if (name == "\\{" || name == "\\lbrace") return braced_set();
  if (name == "\\lvert") return between("\\lvert", "\\rvert", "Abs");
  if (name == "\\vert" && open_bars_ == 0) return between("\\vert", "\\vert", "Abs");
  if (name == "\\lfloor") return between("\\lfloor", "\\rfloor", "floor");
  if (name == "\\lceil") return between("\\lceil", "\\rceil", "ceiling");
  if (name == "\\sum") return sum_or_product(Kind::kSum);
  if (name == "\\prod") return sum_or_product(Kind::kProduct);
  if (name == "\\int") return integral();
  if (name == "\\lim") return limit();
  take();
  if (name == "\\pi") return constant("pi");
  if (name == "\\infty") return constant("oo");
  if (name == "\\emptyset" || name == "\\varnothing") return finite_set({});
  std::string letter = letter_of_command(name);
  if (letter.empty()) fail("a command that means nothing here");
  if (at("_")) letter += subscript();
  return applied_or(symbol(letter, real_symbols_));
}

Expr LatexGrammar::group_command() {
  if (at_function()) return named_function(take().argument);
  const LatexToken token = take();
  if (token.text == "\\begin") return environment(token.argument);
  if (token.text == "\\mathbb") return named_set(token.argument);
  std::string inside = lower_case(token.argument);
  std::erase_if(inside, is_space);
  if (is_style(token.text)) {
    std::erase_if(inside, [](char c) { return c == '(' || c == ')'; });
    if (inside.empty()) fail("a text without letters");
    if (token.argument == "e" && !at("_")) return constant("E");
    if (at("_")) inside += subscript();
    return symbol(inside, real_symbols_);
  }
  if (token.text == "\\end" || token.text == "\\operatorname") {
    fail("a command that means nothing here");
  }
  static const std::map<std::string, std::string> kShortAccents = {
      {"\\overline", "bar"}, {"\\widehat", "hat"}, {"\\widetilde", "tilde"}};
  const auto accent = kShortAccents.find(token.text);
  std::string name = accent == kShortAccents.end() ? token.text.substr(1) : accent->second;
  name += braced(inside);
  if (at("_")) name += subscript();
  return symbol(name, real_symbols_);
}

Expr LatexGrammar::named_set(const std::string& letters) {
  static const std::map<std::string, const char*> kSets = {
      {"N", "Naturals"}, {"Z", "Integers"}, {"Q", "Rationals"}, {"R", "Reals"}, {"C", "Complexes"}};
  const auto found = kSets.find(letters);
  if (found == kSets.end()) fail("an unknown set");
  return compound(Kind::kNamedSet, {}, found->second);
}

Expr LatexGrammar::named_function(const std::string& command) {
  const std::string name = function_names().find(command)->second;
  if (name == "Max" || name == "Min" || name == "gcd" || name == "lcm") return list_function(name);
  Expr base, exponent;
  while (at("_") || at("^")) {
    const bool sub = take().text == "_";
    if (sub ? base != nullptr : exponent != nullptr) fail("two scripts of a kind");
    (sub ? base : exponent) = script_value();
  }
  static const std::map<std::string, std::string> kInverses = {
      {"sin", "asin"},   {"cos", "acos"}, {"tan", "atan"},   {"cot", "acot"},
      {"sec", "asec"},   {"csc", "acsc"}, {"sinh", "asinh"}, {"cosh", "acosh"},
      {"tanh", "atanh"}, {"asin", "sin"}, {"acos", "cos"},   {"atan", "tan"}};
  const bool inverse =
      exponent && is(exponent, Kind::kNumber) && exponent->value == -1 && kInverses.contains(name);
  const bool brackets = at_any({"(", "\\(", "[", "\\["});
  const Expr argument = scalar(brackets ? bracketed() : product(/*stop_at_functions=*/true));
  Expr value;
  if (name == "log") {
    if (!base) {
      if (command == "log") ++doubts_;  // others mean e by it
      base = command == "ln" ? constant("E") : number(10);
    }
    value = function("log", {argument, scalar(base)});
  } else if (name == "exp") {
    value = power(constant("E"), argument);
  } else {
    if (base) fail("a function with a base");
    value = function(inverse ? kInverses.at(name) : name, {argument});
  }
  return exponent && !inverse ? power(value, scalar(exponent)) : value;
}

Expr LatexGrammar::script_value() {
  if (!accept("{")) return primary();
  const Expr value = without_bars(&LatexGrammar::expression);
  expect("}");
  return value;
}

Expr LatexGrammar::list_function(const std::string& name) {
  if (!accept("(")) fail("a function of a list without parentheses");
  std::vector<Expr> args = without_bars(&LatexGrammar::list).flat();
  expect(")");
  for (Expr& arg : args) arg = scalar(arg);
  if (name == "Max" || name == "Min") return function(name, std::move(args));
  mpz_class result = whole_argument(args[0]);
  for (const Expr& arg : args) {
    const mpz_class value = whole_argument(arg);
    result = name == "gcd" ? mpz_class(gcd(result, value)) : mpz_class(lcm(result, value));
  }
  return number(mpq_class(abs(result)));
}

Expr LatexGrammar::fraction() {
  take();
  const bool derivation = at("{") && at("d", 1) && at("}", 2) && at("{", 3) &&
                          peek(4).kind == TokenKind::kDifferential && at("}", 5);
  if (derivation) {
    const Expr variable = symbol(lower_case(peek(4).text.substr(1)), real_symbols_);
    at_ += 6;
    return compound(Kind::kDerivative, {scalar(product()), variable});
  }
  const Expr above = scalar(brace_group());
  return divide(above, scalar(brace_group()));
}

Expr LatexGrammar::root() {
  take();
  Expr degree = number(2);
  if (accept("[")) {
    degree = scalar(sum());
    expect("]");
  }
  const Expr inside = scalar(at("{") ? brace_group() : primary());
  return power(inside, divide(number(1), degree));
}

Expr LatexGrammar::binomial() {
  take();
  const Expr above = scalar(brace_group());
  return binomial_of(above, scalar(brace_group()));
}

// Evaluated at once, where it is a number.
Expr LatexGrammar::binomial_of(const Expr& above, const Expr& below) {
  const auto n = exact_value(above), k = exact_value(below);
  if (n && k) {
    if (const auto value = exact_binomial(*n, *k)) return number(mpq_class(*value));
  }
  return function("binomial", {above, below});
}

// \sum_{k=1}^{n} of the product that follows.
Expr LatexGrammar::sum_or_product(Kind kind) {
  take();
  Expr variable, from, to;
  while (at("_") || at("^")) {
    if (take().text == "^") {
      to = scalar(script_value());
      continue;
    }
    expect("{");
    variable = primary();
    expect("=");
    from = scalar(sum());
    expect("}");
  }
  if (!variable || !to || !is(variable, Kind::kSymbol)) fail("a sum without its bounds");
  return compound(kind, {scalar(product()), variable, from, to});
}

// The integrand ends at the first differential outside brackets, or has it above a fraction line.
Expr LatexGrammar::integral() {
  take();
  Expr from, to;
  while (at("_") || at("^")) {
    const bool lower = take().text == "_";
    (lower ? from : to) = scalar(script_value());
  }
  if ((from == nullptr) != (to == nullptr)) fail("an integral with one bound");
  std::size_t end = at_, depth = 0;
  for (; tokens_[end].kind != TokenKind::kEnd; ++end) {
    if (tokens_[end].kind == TokenKind::kDifferential && depth == 0) break;
    const std::string& text = tokens_[end].text;
    if (text == "(" || text == "{" || text == "[") ++depth;
    if (text == ")" || text == "}" || text == "]") {
      if (depth == 0) break;
      --depth;
    }
  }
  if (tokens_[end].kind != TokenKind::kDifferential) fail("an integral without its variable");
  const Expr variable = symbol(lower_case(tokens_[end].text.substr(1)), real_symbols_);
  Expr body = number(1);
  if (end > at_) {
    const LatexToken differential = tokens_[end];
    tokens_[end] = {TokenKind::kCharacter, "\x01"};  // stops every rule
    body = scalar(sum());
    tokens_[end] = differential;
    if (at_ != end) fail("an integrand that is not understood");
  }
  take();
  std::vector<Expr> args = {body, variable};
  if (from) args.insert(args.end(), {from, to});
  return compound(Kind::kIntegral, std::move(args));
}

Expr LatexGrammar::limit() {
  take();
  expect("_");
  expect("{");
  const Expr variable = primary();
  if (!is(variable, Kind::kSymbol)) fail("a limit without its variable");
  if (!accept("\\to") && !accept("\\rightarrow")) fail("a limit without its target");
  Expr target = scalar(juxtaposed(false));
  expect("}");
  return compound(Kind::kLimit, {scalar(product()), variable, target});
}

}  // namespace umf
