#include "jinja/parser.h"

#include <fmt/core.h>

#include <algorithm>

#include "jinja/parse_expression.h"

namespace umf::jinja {

namespace {

constexpr std::size_t kSourceLimit = 1 << 20;

class Parser : ExpressionParser {
 public:
  Parser(Template& result, std::vector<Lexeme> lexemes)
      : ExpressionParser(result, std::move(lexemes)) {}

  Block run() {
    Block body = block({});
    if (current().kind != Lexeme::Kind::kEnd) fail_here("the end of the template");
    if (!safes_.empty()) {
      fail(safes_[0]->at, "the filter 'safe' is supported at the end of a print only");
    }
    return body;
  }

 private:
  using Kind = Statement::Kind;

  static Statement make(Kind kind, std::size_t at) {
    Statement statement;
    statement.kind = kind;
    statement.at = at;
    return statement;
  }

  const Statement* add(Statement statement) {
    template_.statements.push_back(std::move(statement));
    return &template_.statements.back();
  }

  bool at_any(std::initializer_list<std::string_view> names) const {
    return std::any_of(names.begin(), names.end(),
                       [&](std::string_view name) { return at_name(name); });
  }

  // Statements until a tag that begins with one of `ends`, whose name is then current.
  Block block(std::initializer_list<std::string_view> ends) {
    const Nesting nesting(*this);
    Block statements;
    while (current().kind != Lexeme::Kind::kEnd) {
      const Lexeme begin = take();
      if (begin.kind == Lexeme::Kind::kData) {
        Statement text = make(Kind::kText, begin.at);
        text.text = Text(begin.text);
        statements.push_back(add(std::move(text)));
      } else if (begin.kind == Lexeme::Kind::kPrintBegin) {
        Statement print = make(Kind::kPrint, begin.at);
        print.expressions = {tuple(true)};
        if (!safes_.empty() && safes_.back() == print.expressions[0]) safes_.pop_back();
        expect_end(Lexeme::Kind::kPrintEnd);
        statements.push_back(add(std::move(print)));
      } else {
        if (at_any(ends)) return statements;
        statements.push_back(statement());
        expect_end(Lexeme::Kind::kBlockEnd);
      }
    }
    if (ends.size() > 0) fail_here(fmt::format("{{% {} %}}", *(ends.end() - 1)));
    return statements;
  }

  void expect_end(Lexeme::Kind kind) {
    if (current().kind != kind) fail_here("the end of the tag");
    take();
  }

  // The rest of a tag, then a block; the closing name is taken.
  Block body(std::string_view end) {
    open_body();
    Block statements = block({end});
    take();
    return statements;
  }

  void open_body() {
    skip_operator(":");
    expect_end(Lexeme::Kind::kBlockEnd);
  }

  const Statement* statement() {
    const std::size_t at = current().at;
    const std::string name = expect_name().text;
    if (name == "for") return for_loop(at);
    if (name == "if") return condition(at);
    if (name == "set") return assignment(at);
    if (name == "macro") return macro(at);
    if (name == "call") return call_block(at);
    if (name == "filter") return filter_block(at);
    if (name == "with") return with(at);
    if (name == "generation") return generation(at);
    if (name == "break" || name == "continue") {
      if (loops_ == 0) fail(at, fmt::format("'{}' outside of a loop", name));
      return add(make(name == "break" ? Kind::kBreak : Kind::kContinue, at));
    }
    fail(at, fmt::format("the tag '{}' is not supported here", name));
  }

  bool read_since(std::size_t begin, std::string_view name) const {
    return std::find(names_read_.begin() + begin, names_read_.end(), name) != names_read_.end();
  }

  const Statement* for_loop(std::size_t at) {
    Statement loop = make(Kind::kFor, at);
    loop.targets = {target("in")};
    if (!skip_name("in")) fail_here("'in'");
    loop.expressions = {tuple(false, "recursive"), nullptr};
    if (skip_name("if")) loop.expressions[1] = expression();
    if (at_name("recursive")) fail(current().at, "recursive loops are not supported");
    const std::size_t names_before = names_read_.size();
    ++loops_;
    open_body();
    loop.blocks.push_back(block({"else", "endfor"}));
    --loops_;
    loop.reads_loop = read_since(names_before, "loop");
    if (take().text == "else") loop.blocks.push_back(body("endfor"));
    return add(std::move(loop));
  }

  const Statement* condition(std::size_t at) {
    Statement choice = make(Kind::kIf, at);
    while (true) {
      choice.expressions.push_back(tuple(false));
      open_body();
      choice.blocks.push_back(block({"elif", "else", "endif"}));
      if (skip_name("elif")) continue;
      if (skip_name("else")) {
        choice.blocks.push_back(body("endif"));
      } else {
        take();
      }
      return add(std::move(choice));
    }
  }

  const Statement* assignment(std::size_t at) {
    Statement set = make(Kind::kSet, at);
    const bool is_attribute = current().kind == Lexeme::Kind::kName &&
                              after_current().kind == Lexeme::Kind::kOperator &&
                              after_current().text == ".";
    set.targets = {is_attribute ? namespace_attribute() : target()};
    if (skip_operator("=")) {
      set.expressions = {tuple(true)};
    } else {
      set.kind = Kind::kSetBlock;
      set.expressions = {filters(nullptr, /*starts_inline=*/false)};
      set.blocks.push_back(body("endset"));
    }
    return add(std::move(set));
  }

  const Expression* namespace_attribute() {
    Expression owner;
    owner.kind = Expression::Kind::kName;
    owner.at = current().at;
    owner.name = take().text;
    take();  // the dot
    Expression attribute;
    attribute.kind = Expression::Kind::kAttribute;
    attribute.at = owner.at;
    attribute.name = expect_name().text;
    attribute.items = {ExpressionParser::add(std::move(owner))};
    return ExpressionParser::add(std::move(attribute));
  }

  void signature(Statement& callable) {
    expect_operator("(");
    while (!at_operator(")")) {
      if (!callable.parameters.empty()) expect_operator(",");
      const Lexeme name = expect_name();
      for (const Parameter& earlier : callable.parameters) {
        if (earlier.name == name.text) {
          fail(name.at, fmt::format("parameter '{}' is given twice", name.text));
        }
      }
      const Expression* fallback = skip_operator("=") ? expression() : nullptr;
      if (fallback == nullptr && !callable.parameters.empty() &&
          callable.parameters.back().fallback != nullptr) {
        fail(name.at, "a parameter without default follows one with default");
      }
      callable.parameters.push_back({name.text, fallback});
    }
    expect_operator(")");
  }

  // A body that runs as a function of its own: break and continue cannot leave it.
  void callable_body(Statement& callable, std::size_t names_before, std::string_view end) {
    const int loops_outside = std::exchange(loops_, 0);
    callable.blocks.push_back(body(end));
    loops_ = loops_outside;
    callable.reads_caller = read_since(names_before, "caller");
    callable.reads_varargs = read_since(names_before, "varargs");
    callable.reads_kwargs = read_since(names_before, "kwargs");
  }

  const Statement* macro(std::size_t at) {
    Statement macro = make(Kind::kMacro, at);
    const std::size_t names_before = names_read_.size();
    macro.name = expect_name().text;
    signature(macro);
    callable_body(macro, names_before, "endmacro");
    return add(std::move(macro));
  }

  const Statement* call_block(std::size_t at) {
    Statement call = make(Kind::kCallBlock, at);
    call.name = "caller";
    if (at_operator("(")) signature(call);
    call.expressions = {expression()};
    if (call.expressions[0]->kind != Expression::Kind::kCall) {
      fail(call.expressions[0]->at, "a call block needs a call");
    }
    callable_body(call, names_read_.size(), "endcall");
    return add(std::move(call));
  }

  const Statement* filter_block(std::size_t at) {
    Statement filter = make(Kind::kFilterBlock, at);
    filter.expressions = {filters(nullptr, /*starts_inline=*/true)};
    filter.blocks.push_back(body("endfilter"));
    return add(std::move(filter));
  }

  const Statement* with(std::size_t at) {
    Statement with = make(Kind::kWith, at);
    while (current().kind != Lexeme::Kind::kBlockEnd) {
      if (!with.targets.empty()) expect_operator(",");
      // A comma separates the assignments, so a bare tuple is not a target here.
      with.targets.push_back(single_name());
      expect_operator("=");
      with.expressions.push_back(expression());
    }
    with.blocks.push_back(body("endwith"));
    return add(std::move(with));
  }

  const Expression* single_name() {
    Expression name;
    name.kind = Expression::Kind::kName;
    name.at = current().at;
    name.name = expect_name().text;
    return ExpressionParser::add(std::move(name));
  }

  // Marks the assistant's words for training; it changes nothing in a prompt but the scope.
  const Statement* generation(std::size_t at) {
    Statement scope = make(Kind::kScope, at);
    callable_body(scope, names_read_.size(), "endgeneration");
    return add(std::move(scope));
  }

  int loops_ = 0;  // around the current place
};

}  // namespace

std::unique_ptr<const Template> parse(std::string_view source) {
  if (source.size() > kSourceLimit) {
    throw Error(fmt::format("chat template: {} bytes are more than the limit of {}", source.size(),
                            kSourceLimit));
  }
  if (!is_valid_utf8(source)) throw Error("chat template: the source is not valid UTF-8");
  auto result = std::make_unique<Template>();
  result->source = normalize_source(source);
  result->body = Parser(*result, lex(result->source)).run();
  return result;
}

}  // namespace umf::jinja
