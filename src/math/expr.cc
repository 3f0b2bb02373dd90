#include "math/expr.h"

#include <algorithm>
#include <set>

namespace umf {
namespace {

constexpr int kDepthLimit = 400;
constexpr std::size_t kSizeLimit = 50'000;

Expr flat(Kind kind, const Expr& a, const Expr& b) {
  std::vector<Expr> args;
  append_flat(args, kind, a);
  append_flat(args, kind, b);
  return compound(kind, std::move(args));
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

Expr number(mpq_class value) {
  value.canonicalize();
  return make_node({.kind = Kind::kNumber, .value = std::move(value)});
}

Expr decimal(double value) { return make_node({.kind = Kind::kFloat, .real = value}); }

Expr constant(const std::string& name) { return compound(Kind::kConstant, {}, name); }

Expr symbol(const std::string& name, bool is_real) {
  return make_node({.kind = Kind::kSymbol, .name = name, .is_real = is_real});
}

Expr compound(Kind kind, std::vector<Expr> args, const std::string& name) {
  return make_node({.kind = kind, .name = name, .args = std::move(args)});
}

Expr function(const std::string& name, std::vector<Expr> args) {
  return compound(Kind::kFunction, std::move(args), name);
}

Expr relation(const std::string& op, Expr left, Expr right, bool doubtful) {
  return make_node({.kind = Kind::kRelation,
                    .name = op,
                    .doubtful = doubtful,
                    .args = {std::move(left), std::move(right)}});
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
  return make_node({.kind = Kind::kInterval,
                    .left_open = left_open,
                    .right_open = right_open,
                    .args = {std::move(left), std::move(right)}});
}

Expr matrix(std::vector<Expr> args, std::size_t columns) {
  return make_node({.kind = Kind::kMatrix, .columns = columns, .args = std::move(args)});
}

void append_flat(std::vector<Expr>& args, Kind kind, const Expr& e) {
  if (e->kind == kind)
    args.insert(args.end(), e->args.begin(), e->args.end());
  else
    args.push_back(e);
}

Expr add(const Expr& a, const Expr& b) { return flat(Kind::kAdd, a, b); }
Expr multiply(const Expr& a, const Expr& b) { return flat(Kind::kMul, a, b); }

Expr divide(const Expr& a, const Expr& b) {
  if (!is(b, Kind::kNumber)) return multiply(a, power(b, number(-1)));
  const bool fraction = is(a, Kind::kNumber);
  if (b->value == 0) return constant(fraction && a->value == 0 ? "nan" : "zoo");
  return fraction ? number(a->value / b->value) : multiply(a, number(1 / b->value));
}

Expr negate(const Expr& a) {
  if (is(a, Kind::kNumber)) return number(-a->value);
  if (is(a, Kind::kFloat)) return decimal(-a->real);
  if (is_constant(a, "oo")) return constant("-oo");
  if (is_constant(a, "-oo")) return constant("oo");
  return multiply(number(-1), a);
}

Expr subtract(const Expr& a, const Expr& b) { return add(a, negate(b)); }

Expr power(Expr base, Expr exponent) {
  return compound(Kind::kPow, {std::move(base), std::move(exponent)});
}

Expr percent(Expr a) { return compound(Kind::kMul, {std::move(a), number(mpq_class(1, 100))}); }

bool is(const Expr& e, Kind kind) { return e->kind == kind; }
bool is_constant(const Expr& e, std::string_view name) {
  return e->kind == Kind::kConstant && e->name == name;
}
bool is_integer(const Expr& e) { return e->kind == Kind::kNumber && e->value.get_den() == 1; }

bool is_percentage(const Expr& e) {
  return is(e, Kind::kMul) && e->args.size() == 2 && is(e->args[1], Kind::kNumber) &&
         e->args[1]->value == mpq_class(1, 100);
}

bool is_set(const Expr& e) {
  return is(e, Kind::kSet) || is(e, Kind::kInterval) || is(e, Kind::kUnion) ||
         is(e, Kind::kIntersection) || is(e, Kind::kComplement) || is(e, Kind::kNamedSet);
}
bool is_set_like(const Expr& e) { return is_set(e) || is(e, Kind::kTuple); }
bool is_arithmetic(const Expr& e) { return !is_set_like(e) && !is_relation(e); }

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

bool contains_kind(const Expr& e, Kind kind) {
  return e->kind == kind || std::any_of(e->args.begin(), e->args.end(), [kind](const Expr& arg) {
           return contains_kind(arg, kind);
         });
}

}  // namespace umf
