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
    static constexpr struct {
      std::string_view name;
      Kind kind;
      void (Parser::*parse)(Statement&);
    } kTags[] = {{"for", Kind::kFor, &Parser::for_loop},
                 {"if", Kind::kIf, &Parser::condition},
                 {"set", Kind::kSet, &Parser::assignment},
                 {"macro", Kind::kMacro, &Parser::macro},
                 {"call", Kind::kCallBlock, &Parser::call_block},
                 {"filter", Kind::kFilterBlock, &Parser::filter_block},
                 {"with", Kind::kWith, &Parser::with},
                 {"generation", Kind::kScope, &Parser::generation},
                 {"break", Kind::kBreak, &Parser::jump},
                 {"continue", Kind::kContinue, &Parser::jump}};
    const Lexeme name = expect_name();
    for (const auto& tag : kTags) {
      if (tag.name != name.text) continue;
      Statement result = make(tag.kind, name.at);
      (this->*tag.parse)(result);
      return add(std::move(result));
    }
    fail(name.at, fmt::format("the tag '{}' is not supported here", name.text));
  }

  void jump(Statement& jump) {
    if (loops_ > 0) return;
    const std::string_view name = jump.kind == Kind::kBreak ? "break" : "continue";
    fail(jump.at, fmt::format("'{}' outside of a loop", name));
  }

  bool read_since(std::size_t begin, std::string_view name) const {
    return std::find(names_read_.begin() + begin, names_read_.end(), name) != names_read_.end();
  }

  void for_loop(Statement& loop) {
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
  }

  void condition(Statement& choice) {
    do {
      choice.expressions.push_back(tuple(false));
      open_body();
      choice.blocks.push_back(block({"elif", "else", "endif"}));
    } while (skip_name("elif"));
    if (take().text == "else") choice.blocks.push_back(body("endif"));
  }

  void assignment(Statement& set) {
    set.targets = {at_name_before(".") ? namespace_attribute() : target()};
    if (skip_operator("=")) {
      set.expressions = {tuple(true)};
    } else {
      set.kind = Kind::kSetBlock;
      set.expressions = {filters(nullptr, /*starts_inline=*/false)};
      set.blocks.push_back(body("endset"));
    }
  }

  const Expression* namespace_attribute() {
    Expression attribute;
    attribute.kind = Expression::Kind::kAttribute;
    attribute.at = current().at;
    attribute.items = {single_name()};
    take();  // the dot
    attribute.name = expect_name().text;
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

  void macro(Statement& macro) {
    const std::size_t names_before = names_read_.size();
    macro.name = expect_name().text;
    signature(macro);
    callable_body(macro, names_before, "endmacro");
  }

  void call_block(Statement& call) {
    call.name = "caller";
    if (at_operator("(")) signature(call);
    call.expressions = {expression()};
    if (call.expressions[0]->kind != Expression::Kind::kCall) {
      fail(call.expressions[0]->at, "a call block needs a call");
    }
    callable_body(call, names_read_.size(), "endcall");
  }

  void filter_block(Statement& filter) {
    filter.expressions = {filters(nullptr, /*starts_inline=*/true)};
    filter.blocks.push_back(body("endfilter"));
  }

  void with(Statement& with) {
    while (current().kind != Lexeme::Kind::kBlockEnd) {
      if (!with.targets.empty()) expect_operator(",");
      // A comma separates the assignments, so a bare tuple is not a target here.
      with.targets.push_back(single_name());
      expect_operator("=");
      with.expressions.push_back(expression());
    }
    with.blocks.push_back(body("endwith"));
  }

  const Expression* single_name() {
    Expression name;
    name.kind = Expression::Kind::kName;
    name.at = current().at;
    name.name = expect_name().text;
    return ExpressionParser::add(std::move(name));
  }

  // Marks the assistant's words for training; it changes nothing in a prompt but the scope.
  void generation(Statement& scope) { callable_body(scope, names_read_.size(), "endgeneration"); }

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
