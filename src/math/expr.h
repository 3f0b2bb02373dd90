// What a mathematical text means: a tree that keeps the written order and evaluates nothing.
#pragma once

#include <gmpxx.h>

#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace umf {

// Thrown where a text would need more nesting, memory or work than an answer deserves. Whoever
// compares takes it for "not equal".
struct MathLimit : std::runtime_error {
  using std::runtime_error::runtime_error;
};

enum class Kind {
  kNumber,      // value: an exact rational
  kFloat,       // real: written with a decimal point
  kConstant,    // name: pi, E, I, oo, -oo, zoo, nan
  kSymbol,      // name
  kAdd,         // args
  kMul,         // args
  kPow,         // base, exponent
  kFunction,    // name, args: one of those that evaluate.cc knows
  kApplied,     // name, args: an unknown function of atoms
  kSum,         // body, variable, from, to
  kProduct,     // body, variable, from, to
  kIntegral,    // body, variable [, from, to]
  kLimit,       // body, variable, target
  kDerivative,  // body, variable
  kRelation,    // name: = != < <= > >=; left, right
  kAnd,         // relations in written order
  kNot,         // one relation
  kSet,         // finite, in written order, no two alike
  kTuple,       // args
  kInterval,    // left, right; left_open, right_open
  kUnion,       // two sets
  kIntersection,
  kComplement,  // the first without the second
  kNamedSet,    // name: Naturals, Integers, Rationals, Reals, Complexes
  kMatrix,      // args row by row; columns
};

struct Node;
using Expr = std::shared_ptr<const Node>;

struct Node {
  Kind kind;
  mpq_class value = 0;
  double real = 0;
  std::string name;
  bool is_real = true;  // a symbol: stands for a real number
  bool left_open = false, right_open = false;
  bool doubtful = false;  // a relation: a side may have been meant otherwise, such as 2(3)
  std::size_t columns = 0;
  std::vector<Expr> args;
  // Of the tree below, shared parts counted as often as they occur: what walking it costs.
  int depth = 1;
  std::size_t size = 1;
};

// Making nodes. All throw MathLimit for a tree that is too deep or too large.
Expr make_node(Node node);
Expr number(mpq_class value);
Expr decimal(double value);
Expr constant(const std::string& name);
Expr symbol(const std::string& name, bool is_real = true);
Expr compound(Kind kind, std::vector<Expr> args, const std::string& name = "");
Expr function(const std::string& name, std::vector<Expr> args);
Expr relation(const std::string& op, Expr left, Expr right, bool doubtful = false);
Expr finite_set(std::vector<Expr> args);  // leaves out repetitions
Expr interval(Expr left, Expr right, bool left_open, bool right_open);
Expr matrix(std::vector<Expr> args, std::size_t columns);

// Arithmetic as it is written: sums and products are flattened, numbers are not combined, but for
// integer quotients (1/0 is zoo, 0/0 nan) and signs of numbers.
Expr add(const Expr& a, const Expr& b);
Expr multiply(const Expr& a, const Expr& b);
Expr divide(const Expr& a, const Expr& b);
Expr negate(const Expr& a);
Expr subtract(const Expr& a, const Expr& b);
Expr power(Expr base, Expr exponent);
Expr percent(Expr a);  // a times 1/100, kept as a product

// Adds `e`, or its arguments where it is of this kind.
void append_flat(std::vector<Expr>& args, Kind kind, const Expr& e);

bool is(const Expr& e, Kind kind);
bool is_constant(const Expr& e, std::string_view name);
bool is_integer(const Expr& e);
bool is_percentage(const Expr& e);  // as percent() makes it
bool is_set(const Expr& e);         // finite, interval, union, intersection, complement, named
bool is_set_like(const Expr& e);    // or a tuple
bool is_relation(const Expr& e);    // one relation, a conjunction or a negation
bool is_arithmetic(const Expr& e);  // none of these
bool is_equation(const Expr& e);    // an equation or a conjunction of them
std::size_t rows(const Expr& matrix);

bool contains_kind(const Expr& e, Kind kind);

// The tree as text, for people and for comparing printed forms.
std::string to_text(const Expr& e);

// Equal for trees that differ only in the order of terms, factors and set elements, or in
// arithmetic on numbers that is easily done.
std::string canonical_text(const Expr& e);

}  // namespace umf
