#include "math/expr.h"

#include <algorithm>

namespace umf {
namespace {

constexpr int kDepthLimit = 400;
constexpr std::size_t kSizeLimit = 50'000;

void append_flat(std::vector<Expr>& args, Kind kind, const Expr& e) {
  if (e->kind == kind)
    args.insert(args.end(), e->args.begin(), e->args.end());
  else
    args.push_back(e);
}

}  // namespace

Expr make_node(Node node) {
  node.depth = 1;
  node.size = 1;
  for (const Expr& arg : node.args) {
    node.depth = std::max(node.depth, arg->depth + 1);
    node.size += arg->size;
  }
  if (node.depth > kDepthLimit) throw MathLimit("nested too deeply");
  if (node.size > kSizeLimit) throw MathLimit("too many terms");
  return std::make_shared<const Node>(std::move(node));
}

Expr number(const mpq_class& value) {
  Node node{Kind::kNumber};
  node.value = value;
  node.value.canonicalize();
  return make_node(std::move(node));
}

Expr decimal(double value) {
  Node node{Kind::kFloat};
  node.real = value;
  return make_node(std::move(node));
}

Expr constant(const std::string& name) {
  Node node{Kind::kConstant};
  node.name = name;
  return make_node(std::move(node));
}

Expr symbol(const std::string& name, bool is_real) {
  Node node{Kind::kSymbol};
  node.name = name;
  node.is_real = is_real;
  return make_node(std::move(node));
}

Expr compound(Kind kind, std::vector<Expr> args, const std::string& name) {
  Node node{kind};
  node.args = std::move(args);
  node.name = name;
  return make_node(std::move(node));
}

Expr function(const std::string& name, std::vector<Expr> args) {
  return compound(Kind::kFunction, std::move(args), name);
}

Expr relation(const std::string& op, Expr left, Expr right, bool doubtful) {
  Node node{Kind::kRelation};
  node.name = op;
  node.args = {std::move(left), std::move(right)};
  node.doubtful = doubtful;
  return make_node(std::move(node));
}

Expr finite_set(std::vector<Expr> args) {
  std::set<std::string> seen;
  std::vector<Expr> distinct;
  for (Expr& arg : args) {
    if (seen.insert(canonical_text(arg)).second) distinct.push_back(std::move(arg));
  }
  return compound(Kind::kSet, std::move(distinct));
}

Expr interval(Expr left, Expr right, bool left_open, bool right_open) {
  Node node{Kind::kInterval};
  node.args = {std::move(left), std::move(right)};
  node.left_open = left_open;
  node.right_open = right_open;
  return make_node(std::move(node));
}

Expr matrix(std::vector<Expr> args, std::size_t columns) {
  Node node{Kind::kMatrix};
  node.args = std::move(args);
  node.columns = columns;
  return make_node(std::move(node));
}

Expr add(Expr a, Expr b) {
  std::vector<Expr> args;
  append_flat(args, Kind::kAdd, a);
  append_flat(args, Kind::kAdd, b);
  return compound(Kind::kAdd, std::move(args));
}

Expr multiply(Expr a, Expr b) {
  std::vector<Expr> args;
  append_flat(args, Kind::kMul, a);
  append_flat(args, Kind::kMul, b);
  return compound(Kind::kMul, std::move(args));
}

Expr divide(Expr a, Expr b) {
  if (is(a, Kind::kNumber) && is(b, Kind::kNumber)) {
    if (b->value == 0) return constant(a->value == 0 ? "nan" : "zoo");
    return number(a->value / b->value);
  }
  if (is(b, Kind::kNumber) && b->value == 0) return constant("zoo");
  if (is(b, Kind::kNumber)) return multiply(std::move(a), number(1 / b->value));
  return multiply(std::move(a), power(std::move(b), number(-1)));
}

Expr negate(Expr a) {
  if (is(a, Kind::kNumber)) return number(-a->value);
  if (is(a, Kind::kFloat)) return decimal(-a->real);
  if (is_constant(a, "oo")) return constant("-oo");
  if (is_constant(a, "-oo")) return constant("oo");
  return multiply(number(-1), std::move(a));
}

Expr subtract(Expr a, Expr b) { return add(std::move(a), negate(std::move(b))); }

Expr power(Expr base, Expr exponent) {
  return compound(Kind::kPow, {std::move(base), std::move(exponent)});
}

Expr percent(Expr a) { return compound(Kind::kMul, {std::move(a), number(mpq_class(1, 100))}); }

bool is(const Expr& e, Kind kind) { return e->kind == kind; }
bool is_constant(const Expr& e, std::string_view name) {
  return e->kind == Kind::kConstant && e->name == name;
}
bool is_integer(const Expr& e) { return e->kind == Kind::kNumber && e->value.get_den() == 1; }

bool is_set(const Expr& e) {
  return is(e, Kind::kSet) || is(e, Kind::kInterval) || is(e, Kind::kUnion) ||
         is(e, Kind::kIntersection) || is(e, Kind::kComplement) || is(e, Kind::kNamedSet);
}
bool is_set_like(const Expr& e) { return is_set(e) || is(e, Kind::kTuple); }

bool is_relation(const Expr& e) {
  return is(e, Kind::kRelation) || is(e, Kind::kAnd) || is(e, Kind::kNot);
}

bool is_equation(const Expr& e) {
  if (is(e, Kind::kRelation)) return e->name == "=";
  return is(e, Kind::kAnd) && std::all_of(e->args.begin(), e->args.end(), is_equation);
}

std::size_t rows(const Expr& matrix) {
  return matrix->columns == 0 ? 0 : matrix->args.size() / matrix->columns;
}

void collect_symbols(const Expr& e, Symbols& symbols) {
  if (is(e, Kind::kSymbol)) symbols.insert({e->name, e->is_real});
  for (const Expr& arg : e->args) collect_symbols(arg, symbols);
}

bool contains_kind(const Expr& e, Kind kind) {
  return e->kind == kind || std::any_of(e->args.begin(), e->args.end(), [kind](const Expr& arg) {
           return contains_kind(arg, kind);
         });
}

Expr substitute(const Expr& e, const std::string& symbol_name, const Expr& value) {
  if (is(e, Kind::kSymbol)) return e->name == symbol_name ? value : e;
  if (e->args.empty()) return e;
  Node copy = *e;
  for (Expr& arg : copy.args) arg = substitute(arg, symbol_name, value);
  return make_node(std::move(copy));
}

}  // namespace umf
