#include "jinja/parse_expression.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <optional>

#include "jinja/filters.h"

namespace umf::jinja {

namespace {

constexpr int kNestingLimit = 120;  // of the parser: brackets, blocks, not, unary signs
constexpr int kDepthLimit = 500;    // of the tree: also long chains of operators or attributes

std::string describe(const Lexeme& lexeme) {
  switch (lexeme.kind) {
    case Lexeme::Kind::kEnd:
      return "the end of the template";
    case Lexeme::Kind::kPrintEnd:
    case Lexeme::Kind::kBlockEnd:
      return "the end of the tag";
    case Lexeme::Kind::kData:
    case Lexeme::Kind::kPrintBegin:
    case Lexeme::Kind::kBlockBegin:
      return "text";
    default:
      return fmt::format("'{}'", lexeme.text);
  }
}

Expression make(Expression::Kind kind, std::size_t at,
                std::initializer_list<const Expression*> items = {}) {
  Expression node;
  node.kind = kind;
  node.at = at;
  node.items = items;
  return node;
}

}  // namespace

ExpressionParser::Nesting::Nesting(ExpressionParser& parser) : parser_(parser) {
  if (++parser_.nesting_ > kNestingLimit) {
    --parser_.nesting_;
    parser_.fail(parser_.current().at, fmt::format("nested deeper than {} levels", kNestingLimit));
  }
}

void ExpressionParser::fail(std::size_t at, std::string_view what) const {
  throw error_at(template_.source, at, what);
}

void ExpressionParser::fail_here(std::string_view wanted) const {
  fail(current().at, fmt::format("expected {}, got {}", wanted, describe(current())));
}

Lexeme ExpressionParser::take() {
  Lexeme taken = lexemes_[next_];
  if (next_ + 1 < lexemes_.size()) ++next_;
  return taken;
}

bool ExpressionParser::stands(std::size_t ahead, Lexeme::Kind kind, std::string_view text) const {
  const Lexeme& lexeme = lexemes_[std::min(next_ + ahead, lexemes_.size() - 1)];
  return lexeme.kind == kind && lexeme.text == text;
}
bool ExpressionParser::skip_operator(std::string_view text) {
  const bool found = at_operator(text);
  if (found) take();
  return found;
}
bool ExpressionParser::skip_name(std::string_view text) {
  const bool found = at_name(text);
  if (found) take();
  return found;
}
void ExpressionParser::expect_operator(std::string_view text) {
  if (!skip_operator(text)) fail_here(fmt::format("'{}'", text));
}
Lexeme ExpressionParser::expect_name() {
  if (current().kind != Lexeme::Kind::kName) fail_here("a name");
  return take();
}

const Expression* ExpressionParser::add(Expression node) {
  for (const Expression* item : node.items) {
    if (item != nullptr) node.depth = std::max(node.depth, item->depth + 1);
  }
  for (const auto& [name, item] : node.named) node.depth = std::max(node.depth, item->depth + 1);
  if (node.depth > kDepthLimit) {
    fail(node.at, fmt::format("an expression of more than {} steps in a row", kDepthLimit));
  }
  template_.expressions.push_back(std::move(node));
  return &template_.expressions.back();
}

template <class Operand>
const Expression* ExpressionParser::left_to_right(std::initializer_list<BinarySign> signs,
                                                  Operand&& operand) {
  const Expression* left = operand();
  while (true) {
    const auto* sign = std::find_if(signs.begin(), signs.end(), [&](const BinarySign& each) {
      return each.kind == Expression::Kind::kBinary ? at_operator(each.text) : at_name(each.text);
    });
    if (sign == signs.end()) return left;
    const std::size_t at = take().at;
    Expression node = make(sign->kind, at, {left, operand()});
    node.operation = sign->operation;
    left = add(std::move(node));
  }
}

const Expression* ExpressionParser::expression() {
  const Nesting nesting(*this);
  return conditional();
}

const Expression* ExpressionParser::conditional() {
  const Expression* value = disjunction();
  while (at_name("if")) {
    const std::size_t at = take().at;
    const Expression* condition = disjunction();
    const Expression* otherwise = skip_name("else") ? expression() : nullptr;
    value = add(make(Expression::Kind::kConditional, at, {condition, value, otherwise}));
  }
  return value;
}

const Expression* ExpressionParser::disjunction() {
  return left_to_right({{.text = "or", .kind = Expression::Kind::kOr}},
                       [this] { return conjunction(); });
}

const Expression* ExpressionParser::conjunction() {
  return left_to_right({{.text = "and", .kind = Expression::Kind::kAnd}},
                       [this] { return negation(); });
}

const Expression* ExpressionParser::negation() {
  if (!at_name("not")) return comparison();
  const Nesting nesting(*this);
  const std::size_t at = take().at;
  return add(make(Expression::Kind::kNot, at, {negation()}));
}

const Expression* ExpressionParser::comparison() {
  static constexpr std::pair<std::string_view, Comparison> kSigns[] = {
      {"==", Comparison::kEqual},  {"!=", Comparison::kNotEqual},
      {"<", Comparison::kLess},    {"<=", Comparison::kLessEqual},
      {">", Comparison::kGreater}, {">=", Comparison::kGreaterEqual}};
  const auto sign = [&]() -> std::optional<Comparison> {
    if (skip_name("in")) return Comparison::kIn;
    if (at_name("not") && stands(1, Lexeme::Kind::kName, "in")) {
      take();
      take();
      return Comparison::kNotIn;
    }
    for (const auto& [text, comparison] : kSigns) {
      if (skip_operator(text)) return comparison;
    }
    return std::nullopt;
  };
  const Expression* first = sum();
  Expression node = make(Expression::Kind::kCompare, current().at, {first});
  while (const auto next = sign()) {
    node.comparisons.push_back(*next);
    node.items.push_back(sum());
  }
  return node.comparisons.empty() ? first : add(std::move(node));
}

const Expression* ExpressionParser::sum() {
  return left_to_right({{"+", Operator::kAdd}, {"-", Operator::kSubtract}},
                       [this] { return concatenation(); });
}

const Expression* ExpressionParser::concatenation() {
  const Expression* first = product();
  if (!at_operator("~")) return first;
  Expression node = make(Expression::Kind::kConcat, current().at, {first});
  while (skip_operator("~")) node.items.push_back(product());
  return add(std::move(node));
}

const Expression* ExpressionParser::product() {
  return left_to_right({{"*", Operator::kMultiply},
                        {"/", Operator::kDivide},
                        {"//", Operator::kFloorDivide},
                        {"%", Operator::kModulo}},
                       [this] { return power(); });
}

// From left to right, unlike Python.
const Expression* ExpressionParser::power() {
  return left_to_right({{"**", Operator::kPower}}, [this] { return unary(true); });
}

const Expression* ExpressionParser::unary(bool with_filters) {
  const Nesting nesting(*this);
  const Expression* node = nullptr;
  if (at_operator("-") || at_operator("+")) {
    const Lexeme sign = take();
    node = add(make(sign.text == "-" ? Expression::Kind::kNegate : Expression::Kind::kPlus, sign.at,
                    {unary(false)}));
  } else {
    node = primary();
  }
  node = postfix(node);
  return with_filters ? postfix_filters(node) : node;
}

const Expression* ExpressionParser::primary() {
  Expression node = make(Expression::Kind::kNone, current().at);
  switch (current().kind) {
    case Lexeme::Kind::kName:
      node.name = take().text;
      if (node.name == "true" || node.name == "True" || node.name == "false" ||
          node.name == "False") {
        node.kind = Expression::Kind::kBool;
        node.integer = node.name == "true" || node.name == "True";
      } else if (node.name != "none" && node.name != "None") {
        node.kind = Expression::Kind::kName;
        names_read_.push_back(node.name);
      }
      return add(std::move(node));
    case Lexeme::Kind::kString:
      node.kind = Expression::Kind::kText;
      while (current().kind == Lexeme::Kind::kString) node.text.append(take().text);
      return add(std::move(node));
    case Lexeme::Kind::kInteger: {
      node.kind = Expression::Kind::kInteger;
      const std::string digits = take().text;
      const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), node.integer);
      if (read.ec != std::errc()) fail(node.at, "integers are limited to 64 bits");
      return add(std::move(node));
    }
    case Lexeme::Kind::kFloat:
      node.kind = Expression::Kind::kFloat;
      node.number = std::strtod(take().text.c_str(), nullptr);
      return add(std::move(node));
    case Lexeme::Kind::kOperator:
      if (at_operator("(")) return parenthesis();
      if (at_operator("[")) return list_or_dict(Expression::Kind::kList, "]");
      if (at_operator("{")) return list_or_dict(Expression::Kind::kDict, "}");
      [[fallthrough]];
    default:
      fail_here("an expression");
  }
}

const Expression* ExpressionParser::parenthesis() {
  const std::size_t at = take().at;
  if (skip_operator(")")) return add(make(Expression::Kind::kTuple, at));
  const Expression* inside = tuple(true);
  expect_operator(")");
  return inside;
}

const Expression* ExpressionParser::list_or_dict(Expression::Kind kind, std::string_view end) {
  Expression node = make(kind, take().at);
  while (!at_operator(end)) {
    if (!node.items.empty()) expect_operator(",");
    if (at_operator(end)) break;
    node.items.push_back(expression());
    if (kind == Expression::Kind::kList) continue;
    expect_operator(":");
    node.items.push_back(expression());
  }
  expect_operator(end);
  return add(std::move(node));
}

bool ExpressionParser::at_tuple_end(std::string_view end_name) const {
  return current().kind == Lexeme::Kind::kPrintEnd || current().kind == Lexeme::Kind::kBlockEnd ||
         at_operator(")") || (!end_name.empty() && at_name(end_name));
}

template <class Item>
const Expression* ExpressionParser::tuple_of(std::string_view end_name, std::string_view wanted,
                                             Item&& item) {
  Expression node = make(Expression::Kind::kTuple, current().at);
  bool is_tuple = false;
  while (true) {
    if (!node.items.empty()) expect_operator(",");
    if (at_tuple_end(end_name)) break;
    node.items.push_back(item());
    if (!at_operator(",")) break;
    is_tuple = true;
  }
  if (is_tuple) return add(std::move(node));
  if (node.items.empty()) fail_here(wanted);
  return node.items[0];
}

const Expression* ExpressionParser::tuple(bool with_if, std::string_view end_name) {
  return tuple_of(end_name, "an expression",
                  [&] { return with_if ? expression() : disjunction(); });
}

const Expression* ExpressionParser::target(std::string_view end_name) {
  const std::size_t names_before = names_read_.size();
  const Expression* result = tuple_of(end_name, "a name", [this] { return primary(); });
  names_read_.resize(names_before);  // assigned, not read
  check_target(*result);
  return result;
}

// A tuple is never deeper than kNestingLimit, as each level of it is a parenthesis.
void ExpressionParser::check_target(const Expression& target) const {
  if (target.kind == Expression::Kind::kTuple) {
    for (const Expression* item : target.items) check_target(*item);
  } else if (target.kind != Expression::Kind::kName) {
    fail(target.at, "only names can be assigned to");
  }
}

const Expression* ExpressionParser::postfix(const Expression* subject) {
  while (true) {
    if (at_operator(".")) {
      subject = attribute(subject);
    } else if (at_operator("[")) {
      subject = subscript(subject);
    } else if (at_operator("(")) {
      subject = call(subject);
    } else {
      return subject;
    }
  }
}

const Expression* ExpressionParser::postfix_filters(const Expression* subject) {
  while (true) {
    if (at_operator("|")) {
      subject = filters(subject, /*starts_inline=*/false);
    } else if (at_name("is")) {
      subject = test(subject);
    } else if (at_operator("(")) {
      subject = call(subject);
    } else {
      return subject;
    }
  }
}

const Expression* ExpressionParser::attribute(const Expression* subject) {
  const std::size_t at = take().at;
  if (current().kind == Lexeme::Kind::kInteger) {  // items.0
    return add(make(Expression::Kind::kSubscript, at, {subject, primary()}));
  }
  Expression node = make(Expression::Kind::kAttribute, at, {subject});
  node.name = expect_name().text;
  return add(std::move(node));
}

const Expression* ExpressionParser::subscript(const Expression* subject) {
  const std::size_t at = take().at;
  const Expression* parts[3] = {nullptr, nullptr, nullptr};
  bool is_slice = false;
  for (int part = 0;; ++part) {
    if (!at_operator(":") && !at_operator("]")) parts[part] = expression();
    if (part == 2 || !skip_operator(":")) break;
    is_slice = true;
  }
  if (at_operator(",")) fail(current().at, "a subscript of several parts is not supported");
  expect_operator("]");
  if (is_slice) {
    return add(make(Expression::Kind::kSlice, at, {subject, parts[0], parts[1], parts[2]}));
  }
  if (parts[0] == nullptr) fail(at, "this subscript is empty");
  return add(make(Expression::Kind::kSubscript, at, {subject, parts[0]}));
}

const Expression* ExpressionParser::call(const Expression* subject) {
  Expression node = make(Expression::Kind::kCall, current().at, {subject});
  arguments(node);
  return add(std::move(node));
}

void ExpressionParser::arguments(Expression& node) {
  expect_operator("(");
  while (!at_operator(")")) {
    if (at_operator("*") || at_operator("**")) {
      fail(current().at, "unpacking arguments with * or ** is not supported");
    }
    if (at_name_before("=")) {
      const Lexeme name = take();
      take();
      for (const auto& [earlier, value] : node.named) {
        if (earlier == name.text) {
          fail(name.at, fmt::format("argument '{}' is given twice", name.text));
        }
      }
      node.named.emplace_back(name.text, expression());
    } else {
      if (!node.named.empty()) fail_here("a named argument");
      node.items.push_back(expression());
    }
    if (!at_operator(")")) expect_operator(",");
  }
  expect_operator(")");
}

const Expression* ExpressionParser::filters(const Expression* subject, bool starts_inline) {
  while (starts_inline || skip_operator("|")) {
    starts_inline = false;
    const Lexeme name = expect_name();
    if (find_filter(name.text) == nullptr) {
      fail(name.at, fmt::format("the filter '{}' is not supported", name.text));
    }
    Expression node = make(Expression::Kind::kFilter, name.at, {subject});
    node.name = name.text;
    if (at_operator("(")) arguments(node);
    subject = add(std::move(node));
    if (name.text == "safe") safes_.push_back(subject);
  }
  return subject;
}

const Expression* ExpressionParser::test(const Expression* subject) {
  const std::size_t at = take().at;
  const bool negated = skip_name("not");
  const Lexeme name = expect_name();
  if (find_test(name.text) == nullptr) {
    fail(name.at, fmt::format("the test '{}' is not supported", name.text));
  }
  Expression node = make(Expression::Kind::kTest, at, {subject});
  node.name = name.text;
  const bool is_value =
      current().kind == Lexeme::Kind::kString || current().kind == Lexeme::Kind::kInteger ||
      current().kind == Lexeme::Kind::kFloat || at_operator("[") || at_operator("{") ||
      (current().kind == Lexeme::Kind::kName && !at_name("else") && !at_name("or") &&
       !at_name("and"));
  if (at_operator("(")) {
    arguments(node);
  } else if (is_value) {
    if (at_name("is")) fail_here("one test at a time");
    node.items.push_back(postfix(primary()));
  }
  const Expression* result = add(std::move(node));
  return negated ? add(make(Expression::Kind::kNot, at, {result})) : result;
}

}  // namespace umf::jinja
