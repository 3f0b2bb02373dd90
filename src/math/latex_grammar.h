// The parser's insides, shared by the files that implement one part of the grammar each.
#pragma once

#include <functional>
#include <initializer_list>
#include <utility>
#include <vector>

#include "math/expr.h"
#include "math/latex_lexer.h"

namespace umf {

// What arithmetic takes: `e`, or the one element of a set in \{ \}, which group like parentheses.
// Throws NotUnderstood for a relation and for other sets.
Expr scalar(const Expr& e);

class LatexGrammar {
 public:
  // `doubtful`: every relation is.
  LatexGrammar(std::string_view source, std::vector<LatexToken> tokens, bool real_symbols,
               bool doubtful)
      : source_(source),
        tokens_(std::move(tokens)),
        real_symbols_(real_symbols),
        doubtful_(doubtful),
        has_atop_(source.find("\\atop") != std::string_view::npos) {}

  Expr whole();

 private:
  // One entry of a list: usually one value, two where \pm stands in it.
  using Alternatives = std::vector<Expr>;
  struct List {
    std::vector<std::vector<Alternatives>> groups;  // groups at semicolons, entries at commas
    std::size_t entries() const;
    std::vector<Expr> flat() const;
  };

  // latex_lists.cc: lists, relations, brackets
  List list();
  Alternatives entry();
  Alternatives side();
  Alternatives infix(Alternatives above);
  Expr chain(std::vector<Alternatives> sides, const std::vector<std::string>& operators,
             bool doubtful);
  Expr list_value(const List& list);
  Expr equation_with_list(const std::vector<Expr>& entries);
  Expr bracketed();
  Expr stacked_binomial();
  Expr braced_set();
  Expr brace_group();
  Expr between(const std::string& open, const std::string& close, const std::string& name);
  std::string relation_operator();

  // latex_arithmetic.cc: sums, products, powers
  Expr expression();
  Expr sum();
  Expr product(bool stop_at_functions = false);
  Expr signed_factor(bool stop_at_functions);
  Expr juxtaposed(bool stop_at_functions);
  Expr postfix();
  Expr exponent_of(Expr base);
  Expr primary();
  Expr number_token();
  Expr letter(const std::string& name);
  Expr applied_or(Expr symbol);
  bool at_unequal() const;  // != without a space between: n! = 6 is no such
  bool starts_factor(bool stop_at_functions) const;

  // latex_commands.cc: what begins with a backslash
  Expr command();
  Expr group_command();
  Expr named_function(const std::string& name);
  Expr list_function(const std::string& name);
  Expr fraction();
  Expr root();
  Expr binomial();
  Expr binomial_of(const Expr& above, const Expr& below);
  Expr sum_or_product(Kind kind);
  Expr integral();
  Expr limit();
  Expr environment(const std::string& name);
  Expr named_set(const std::string& letters);
  std::string subscript();
  Expr script_value();

  // tokens
  const LatexToken& peek(std::size_t ahead = 0) const;
  bool at(std::string_view text, std::size_t ahead = 0) const;
  bool at_any(std::initializer_list<std::string_view> texts) const;
  bool accept(std::string_view text);
  void expect(std::string_view text);
  LatexToken take();
  bool at_function() const;
  // What `rule` reads in brackets of its own, where a bar closes none that was opened before.
  template <class Result>
  Result without_bars(Result (LatexGrammar::*rule)()) {
    const int bars = std::exchange(open_bars_, 0);
    Result result = (this->*rule)();
    open_bars_ = bars;
    return result;
  }
  [[noreturn]] void fail(const char* why) const { throw NotUnderstood(why); }

  struct Nesting {
    explicit Nesting(int& depth);
    ~Nesting() { --depth_; }
    int& depth_;
  };

  std::string_view source_;
  std::vector<LatexToken> tokens_;
  bool real_symbols_, doubtful_, has_atop_;
  std::size_t at_ = 0;
  int depth_ = 0, open_bars_ = 0;
  int doubts_ = 0;  // readings so far of what may have been meant otherwise, such as 2(3)
};

}  // namespace umf
