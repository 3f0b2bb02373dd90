// Lists, relations and brackets of the LaTeX grammar.
#include <algorithm>
#include <utility>

#include "math/compare_numbers.h"
#include "math/latex_grammar.h"

namespace umf {
namespace {

// To the left of "=", symbols in brackets are a tuple, not an interval, and one value in braces is
// that value.
Expr left_side(const Expr& e) {
  if (is(e, Kind::kSet) && e->args.size() == 1 && is_arithmetic(e->args[0])) return e->args[0];
  if (!is(e, Kind::kInterval)) return e;
  return is(e->args[0], Kind::kSymbol) && is(e->args[1], Kind::kSymbol)
             ? compound(Kind::kTuple, e->args)
             : e;
}

bool is_name(const Expr& e) {
  return is(e, Kind::kSymbol) || is(e, Kind::kApplied) ||
         (is(e, Kind::kTuple) && std::all_of(e->args.begin(), e->args.end(), is_name));
}

}  // namespace

std::size_t LatexGrammar::List::entries() const {
  std::size_t count = 0;
  for (const auto& group : groups) count += group.size();
  return count;
}

std::vector<Expr> LatexGrammar::List::flat() const {
  std::vector<Expr> all;
  for (const auto& group : groups) {
    for (const Alternatives& entry : group) all.insert(all.end(), entry.begin(), entry.end());
  }
  return all;
}

Expr LatexGrammar::whole() {
  const Expr value = list_value(list());
  if (peek().kind != TokenKind::kEnd) fail("something is left over");
  return value;
}

LatexGrammar::List LatexGrammar::list() {
  const Nesting nesting(depth_);
  List result;
  result.groups.emplace_back();
  for (;;) {
    result.groups.back().push_back(entry());
    if (accept(";")) {
      result.groups.emplace_back();
    } else if (!accept(",")) {
      return result;
    }
  }
}

Expr LatexGrammar::list_value(const List& list) {
  const std::vector<Expr> entries = list.flat();
  if (list.groups.size() > 1) {
    const bool singles = std::all_of(list.groups.begin(), list.groups.end(),
                                     [](const auto& group) { return group.size() <= 1; });
    if (singles) return finite_set(entries);
    std::vector<Expr> tuples;
    for (const auto& group : list.groups) {
      List one;
      one.groups.push_back(group);
      tuples.push_back(compound(Kind::kTuple, one.flat()));
    }
    return finite_set(std::move(tuples));
  }
  if (entries.size() == 1) return entries[0];
  if (Expr equation = equation_with_list(entries)) return equation;
  return finite_set(entries);
}

// x = 1, 2 and x, y = 1, 2: names, one equation, values.
Expr LatexGrammar::equation_with_list(const std::vector<Expr>& entries) {
  std::vector<Expr> names, values;
  for (const Expr& e : entries) {
    if (names.empty() || values.empty()) {
      const bool equation = is(e, Kind::kRelation) && e->name == "=";
      if (!equation && !is_name(e)) return nullptr;
      names.push_back(equation ? e->args[0] : e);
      if (!is_name(names.back())) return nullptr;
      if (!equation) continue;
      append_flat(values, Kind::kSet, e->args[1]);
    } else {
      if (is_relation(e)) return nullptr;
      values.push_back(e);
    }
  }
  if (values.size() < 2) return nullptr;
  Expr left = names.size() == 1 ? names[0] : compound(Kind::kTuple, names);
  return relation("=", std::move(left), finite_set(std::move(values)));
}

std::string LatexGrammar::relation_operator() {
  static const std::pair<std::string_view, const char*> kOperators[] = {
      {"=", "="},      {"<", "<"},           {">", ">"},           {"\\lt", "<"},
      {"\\gt", ">"},   {"\\le", "<="},       {"\\leq", "<="},      {"\\leqslant", "<="},
      {"\\ge", ">="},  {"\\geq", ">="},      {"\\geqslant", ">="}, {"\\ne", "!="},
      {"\\neq", "!="}, {"\\equiv", "="},     {"\\approx", "~"},    {"\\simeq", "~"},
      {"\\in", "in"},  {"\\notin", "notin"}, {"≤", "<="},          {"≥", ">="},
      {"≠", "!="},     {"≈", "~"},           {"∈", "in"}};
  if (at_unequal()) {
    take();
    take();
    return "!=";
  }
  for (const auto& [text, name] : kOperators) {
    if (!accept(text)) continue;
    const std::string op = name;
    if (text == "\\equiv") ++doubts_;  // may be a congruence
    // <= and >= in two characters, == for =.
    if ((op == "<" || op == ">") && accept("=")) return op + "=";
    if (text == "=") accept("=");
    return op;
  }
  return "";
}

LatexGrammar::Alternatives LatexGrammar::entry() {
  const int doubts = doubts_;
  std::vector<Alternatives> sides = {side()};
  std::vector<std::string> operators;
  for (std::string op; !(op = relation_operator()).empty();) {
    operators.push_back(op);
    sides.push_back(side());
  }
  if (operators.empty()) return sides[0];
  return {chain(std::move(sides), operators, doubtful_ || doubts_ > doubts)};
}

Expr LatexGrammar::chain(std::vector<Alternatives> sides, const std::vector<std::string>& operators,
                         bool doubtful) {
  std::vector<Expr> values;
  for (Alternatives& alternatives : sides) {
    values.push_back(alternatives.size() == 1 ? alternatives[0] : finite_set(alternatives));
  }
  std::vector<Expr> links;
  for (std::size_t i = 0; i < operators.size(); ++i) {
    const std::string& op = operators[i];
    if (op == "~") {
      // What is approximated counts, unless it is only a name.
      if (i == 0) return is(values[0], Kind::kSymbol) ? values[1] : values[0];
      break;
    }
    const bool equation = op == "=" || op == "in" || op == "notin";
    Expr link = relation(equation ? "=" : op, left_side(values[i]), values[i + 1], doubtful);
    links.push_back(op == "notin" ? compound(Kind::kNot, {link}) : link);
  }
  return links.size() == 1 ? links[0] : compound(Kind::kAnd, std::move(links));
}

LatexGrammar::Alternatives LatexGrammar::side() {
  if (accept("\\pm") || accept("\\mp")) {
    const Expr value = scalar(sum());
    return infix({negate(value), value});
  }
  Expr left = sum();
  if (accept("\\pm") || accept("\\mp")) {
    left = scalar(left);
    const Expr right = scalar(sum());
    return infix({add(left, right), subtract(left, right)});
  }
  while (at_any({"\\cup", "\\bigcup", "\\cap", "\\bigcap", "\\setminus", "\\backslash",
                 "\\smallsetminus", "∪", "∩"})) {
    const std::string op = take().text;
    Expr right = sum();
    if (!is_set(left) || !is_set(right)) fail("a union of what are no sets");
    const Kind kind = op == "\\cup" || op == "\\bigcup" || op == "∪"   ? Kind::kUnion
                      : op == "\\cap" || op == "\\bigcap" || op == "∩" ? Kind::kIntersection
                                                                       : Kind::kComplement;
    left = compound(kind, {std::move(left), std::move(right)});
  }
  return infix({left});
}

// TeX's infix commands take all that stands before and after them in their group.
LatexGrammar::Alternatives LatexGrammar::infix(Alternatives above) {
  if (!at_any({"\\over", "\\choose"})) return above;
  const bool over = take().text == "\\over";
  const Expr below = scalar(sum());
  for (Expr& value : above) {
    value = over ? divide(scalar(value), below) : binomial_of(scalar(value), below);
  }
  return above;
}

// ({n \atop k}) and (n \atop k), from behind the parenthesis on; null where it holds anything else.
// Without parentheses \atop has no value.
Expr LatexGrammar::stacked_binomial() {
  const bool braced = at("{");
  std::size_t stack = at_ + (braced ? 1 : 0);
  for (int depth = 0; !(depth == 0 && tokens_[stack].text == "\\atop"); ++stack) {
    const LatexToken& token = tokens_[stack];
    if (token.kind == TokenKind::kEnd) return nullptr;
    if (token.kind == TokenKind::kGroup) continue;
    if (token.text == "{" || token.text == "(" || token.text == "[") ++depth;
    if ((token.text == "}" || token.text == ")" || token.text == "]") && depth-- == 0) {
      return nullptr;
    }
  }
  if (braced) take();
  const Expr above = scalar(sum());
  expect("\\atop");
  const Expr below = scalar(sum());
  if (braced) expect("}");
  return binomial_of(above, below);
}

Expr LatexGrammar::bracketed() {
  const std::string open = take().text;
  const bool left_open = open == "(" || open == "\\(" || open == "\\lparen";
  if (left_open && has_atop_) {
    if (Expr binomial = without_bars(&LatexGrammar::stacked_binomial)) {
      expect(")");
      return binomial;
    }
  }
  const List content = without_bars(&LatexGrammar::list);
  const bool right_open = at_any({")", "\\)", "\\rparen"});
  if (!right_open && !at_any({"]", "\\]", "\\rbrack"})) fail("a bracket that is never closed");
  take();
  const std::vector<Expr> entries = content.flat();
  if (content.entries() == 1 && entries.size() == 2 && left_open == right_open) {
    return finite_set(entries);  // (1 \pm 2)
  }
  if (content.entries() != entries.size()) fail("\\pm in brackets");
  const bool pair = entries.size() == 2 && content.groups.size() == 1;
  if (!pair && left_open != right_open) fail("brackets that do not match");
  if (entries.size() == 1) return entries[0];
  if (!pair) return compound(Kind::kTuple, entries);
  if (left_open == right_open) {
    const auto order = compare_values(entries[1], entries[0]);
    if (order && (left_open ? *order <= 0 : *order < 0)) return compound(Kind::kTuple, entries);
  }
  return interval(entries[0], entries[1], left_open, right_open);
}

Expr LatexGrammar::braced_set() {
  take();
  if (accept("\\}") || accept("\\rbrace")) return finite_set({});
  const List content = without_bars(&LatexGrammar::list);
  if (!accept("\\}") && !accept("\\rbrace")) fail("a set that is never closed");
  if (content.groups.size() > 1) return list_value(content);
  return finite_set(content.flat());
}

// Braces group; with commas inside they are a set.
Expr LatexGrammar::brace_group() {
  expect("{");
  if (accept("}")) return finite_set({});
  const List content = without_bars(&LatexGrammar::list);
  expect("}");
  const std::vector<Expr> entries = content.flat();
  if (content.entries() == 1 && entries.size() == 1) return entries[0];
  return finite_set(entries);
}

Expr LatexGrammar::between(const std::string& open, const std::string& close,
                           const std::string& name) {
  expect(open);
  if (open == close) ++open_bars_;
  const int bars = open == close ? open_bars_ : std::exchange(open_bars_, 0);
  const Expr inside = scalar(expression());
  open_bars_ = bars;
  if (open == close) --open_bars_;
  expect(close);
  return function(name, {inside});
}

}  // namespace umf
