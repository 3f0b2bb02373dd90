// The expression half of the parser; statements derive from it in parser.cc.
#pragma once

#include <initializer_list>
#include <string_view>
#include <vector>

#include "jinja/ast.h"
#include "jinja/lexer.h"

namespace umf::jinja {

// Recursive descent with the precedence of Jinja's own parser: each level is one function.
class ExpressionParser {
 protected:
  ExpressionParser(Template& result, std::vector<Lexeme> lexemes)
      : template_(result), lexemes_(std::move(lexemes)) {}

  // Counts how deep the parser itself is nested, so that no source exhausts the stack.
  class Nesting {
   public:
    explicit Nesting(ExpressionParser& parser);
    ~Nesting() { --parser_.nesting_; }

   private:
    ExpressionParser& parser_;
  };

  [[noreturn]] void fail(std::size_t at, std::string_view what) const;
  [[noreturn]] void fail_here(std::string_view wanted) const;

  const Lexeme& current() const { return lexemes_[next_]; }
  Lexeme take();
  bool at_operator(std::string_view text) const { return stands(0, Lexeme::Kind::kOperator, text); }
  bool at_name(std::string_view text) const { return stands(0, Lexeme::Kind::kName, text); }
  // Whether any name is current and the operator follows it.
  bool at_name_before(std::string_view text) const {
    return current().kind == Lexeme::Kind::kName && stands(1, Lexeme::Kind::kOperator, text);
  }
  bool skip_operator(std::string_view text);
  bool skip_name(std::string_view text);
  void expect_operator(std::string_view text);
  Lexeme expect_name();

  const Expression* expression();
  // An expression, or a tuple when commas follow; ends before `end_name` and at closing tags.
  const Expression* tuple(bool with_if, std::string_view end_name = "");
  // Names, or tuples of names: what a for loop or a set assigns to.
  const Expression* target(std::string_view end_name = "");
  const Expression* filters(const Expression* subject, bool starts_inline);

  const Expression* add(Expression node);

  Template& template_;
  // Every name that an expression has read since the outermost statement began, in order.
  std::vector<std::string> names_read_;
  // The uses of the filter safe that no print has ended with.
  std::vector<const Expression*> safes_;

 private:
  struct BinarySign {
    std::string_view text;
    Operator operation = Operator::kAdd;  // of kBinary
    Expression::Kind kind = Expression::Kind::kBinary;
  };

  // Whether the lexeme `ahead` places after the current one is this.
  bool stands(std::size_t ahead, Lexeme::Kind kind, std::string_view text) const;
  // One level of precedence: operands with any of `signs` between them.
  template <class Operand>
  const Expression* left_to_right(std::initializer_list<BinarySign> signs, Operand&& operand);
  const Expression* conditional();
  const Expression* disjunction();
  const Expression* conjunction();
  const Expression* negation();
  const Expression* comparison();
  const Expression* sum();
  const Expression* concatenation();
  const Expression* product();
  const Expression* power();
  const Expression* unary(bool with_filters);
  const Expression* primary();
  const Expression* parenthesis();
  const Expression* list_or_dict(Expression::Kind kind, std::string_view end);
  const Expression* postfix(const Expression* subject);
  const Expression* postfix_filters(const Expression* subject);
  const Expression* attribute(const Expression* subject);
  const Expression* subscript(const Expression* subject);
  const Expression* call(const Expression* subject);
  const Expression* test(const Expression* subject);
  void arguments(Expression& node);
  bool at_tuple_end(std::string_view end_name) const;
  template <class Item>
  const Expression* tuple_of(std::string_view end_name, std::string_view wanted, Item&& item);
  void check_target(const Expression& target) const;

  std::vector<Lexeme> lexemes_;
  std::size_t next_ = 0;
  int nesting_ = 0;
};

}  // namespace umf::jinja
