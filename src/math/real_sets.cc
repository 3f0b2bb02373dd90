#include "math/real_sets.h"

#include <algorithm>

#include "math/compare_numbers.h"

namespace umf {
namespace {

constexpr std::size_t kBoundaryLimit = 200;

// Boundaries of all the sets, in ascending order, cut the line into cells: below the first, the
// first itself, between the first and the second, ... A set contains a cell or does not touch it.
class Cells {
 public:
  bool add_boundaries(const Expr& set) {
    if (is(set, Kind::kNamedSet)) return set->name == "Reals";
    if (is(set, Kind::kSet) || is(set, Kind::kInterval)) {
      return std::all_of(set->args.begin(), set->args.end(), [this, &set](const Expr& e) {
        const bool infinite = is_constant(e, "oo") || is_constant(e, "-oo");
        return infinite ? is(set, Kind::kInterval) : add_point(e);
      });
    }
    return is_set(set) && std::all_of(set->args.begin(), set->args.end(),
                                      [this](const Expr& arg) { return add_boundaries(arg); });
  }

  std::size_t count() const { return 2 * points_.size() + 1; }

  // Cell 2i+1 is point i; cell 2i the gap before it.
  bool contains(const Expr& set, std::size_t cell) const {
    switch (set->kind) {
      case Kind::kNamedSet:
        return true;
      case Kind::kSet:
        return cell % 2 == 1 && std::any_of(set->args.begin(), set->args.end(), [&](const Expr& e) {
                 return compare_values(e, points_[cell / 2]) == 0;
               });
      case Kind::kInterval: {
        const std::size_t left = cell_of(set->args[0]), right = cell_of(set->args[1]);
        if (cell < left || cell > right) return false;
        if (cell == left && left != kBelow && set->left_open) return false;
        return !(cell == right && right < count() && set->right_open);
      }
      case Kind::kUnion:
        return contains(set->args[0], cell) || contains(set->args[1], cell);
      case Kind::kIntersection:
        return contains(set->args[0], cell) && contains(set->args[1], cell);
      default:
        return contains(set->args[0], cell) && !contains(set->args[1], cell);
    }
  }

 private:
  static constexpr std::size_t kBelow = 0;

  std::size_t cell_of(const Expr& end) const {
    if (is_constant(end, "-oo")) return kBelow;
    if (is_constant(end, "oo")) return count();
    for (std::size_t i = 0; i < points_.size(); ++i) {
      if (compare_values(end, points_[i]) == 0) return 2 * i + 1;
    }
    return count();
  }

  bool add_point(const Expr& e) {
    if (points_.size() > kBoundaryLimit) throw MathLimit("a set of too many pieces");
    std::size_t place = 0;
    for (; place < points_.size(); ++place) {
      const auto order = compare_values(e, points_[place]);
      if (!order) return false;
      if (*order == 0) return true;
      if (*order < 0) break;
    }
    if (!compare_values(e, number(0))) return false;
    points_.insert(points_.begin() + static_cast<std::ptrdiff_t>(place), e);
    return true;
  }

  std::vector<Expr> points_;
};

// The one unknown of a relation: a symbol, or an unknown function such as f(x).
Expr only_unknown(const Expr& e) {
  const Unknowns unknowns = unknowns_of(e);
  if (unknowns.size() > 1) throw MathLimit("two unknowns");
  return unknowns.empty() ? nullptr : unknowns.begin()->second;
}

Expr with_value(const Expr& e, const std::string& unknown, const Expr& value) {
  if (is(e, Kind::kSymbol) || is(e, Kind::kApplied)) {
    return canonical_text(e) == unknown ? value : e;
  }
  if (e->args.empty()) return e;
  Node copy = *e;
  for (Expr& arg : copy.args) arg = with_value(arg, unknown, value);
  return make_node(std::move(copy));
}

Expr all_reals() { return interval(constant("-oo"), constant("oo"), true, true); }
Expr half(const Expr& e) { return multiply(number(mpq_class(1, 2)), e); }

// The parts of the line where a function has the wanted sign, from its real roots in order and its
// signs to the left and to the right of them. Between two roots it has the other sign.
Expr parts_of_line(const std::string& op, const std::vector<Expr>& roots, int left_sign,
                   int right_sign) {
  if (op == "=") return finite_set(roots);
  if (op == "!=") return compound(Kind::kComplement, {all_reals(), finite_set(roots)});
  const int wanted = op[0] == '>' ? 1 : -1;
  const bool open = op.size() == 1;
  if (roots.empty()) return right_sign == wanted ? all_reals() : finite_set({});
  Expr result = open ? finite_set({}) : finite_set(roots);
  const auto join = [&result](const Expr& piece) {
    result = compound(Kind::kUnion, {result, piece});
  };
  if (right_sign == wanted) join(interval(roots.back(), constant("oo"), open, true));
  if (left_sign == wanted) join(interval(constant("-oo"), roots.front(), true, open));
  if (roots.size() == 2 && -right_sign == wanted) join(interval(roots[0], roots[1], open, open));
  return result;
}

// Where `f op 0` holds, if f is a x^2 + b x + c of the unknown x; null where it is not.
Expr quadratic_solutions(const Expr& f, const Expr& unknown, const std::string& op, Work& work) {
  const std::string name = canonical_text(unknown);
  const Expr c = with_value(f, name, number(0)), above = with_value(f, name, number(1));
  const Expr below = with_value(f, name, number(-1));
  const Expr b = half(subtract(above, below)), a = subtract(half(add(above, below)), c);
  const Expr rebuilt = add(multiply(a, power(unknown, number(2))), add(multiply(b, unknown), c));
  if (identically_equal(f, rebuilt, work) != Truth::kYes) return nullptr;
  const auto bend = compare_values(a, number(0)), slope = compare_values(b, number(0));
  if (!bend || !slope || (*bend == 0 && *slope == 0)) return nullptr;
  if (*bend == 0) return parts_of_line(op, {negate(divide(c, b))}, -*slope, *slope);
  const Expr square = subtract(multiply(b, b), multiply(number(4), multiply(a, c)));
  const auto real = compare_values(square, number(0));
  if (!real) return nullptr;
  const Expr root = power(square, number(mpq_class(1, 2))), twice = multiply(number(2), a);
  const Expr first = divide(subtract(negate(b), root), twice);
  const Expr second = divide(add(negate(b), root), twice);
  std::vector<Expr> roots;
  if (*real == 0) roots = {first};
  if (*real > 0) roots = *bend > 0 ? std::vector{first, second} : std::vector{second, first};
  return parts_of_line(op, roots, *bend, *bend);
}

std::string mirrored(const std::string& op) {
  std::string result = op;
  if (op[0] == '<') result[0] = '>';
  if (op[0] == '>') result[0] = '<';
  return result;
}

// |u| op c as two relations on u, where `op` is < or > with or without =; null where it is not
// such.
Expr absolute_solutions(const Expr& e, Work& work) {
  const bool right = is(e->args[1], Kind::kFunction) && e->args[1]->name == "Abs";
  const Expr &side = e->args[right ? 1 : 0], &bound = e->args[right ? 0 : 1];
  const std::string op = right ? mirrored(e->name) : e->name;
  if (!is(side, Kind::kFunction) || side->name != "Abs" || only_unknown(bound)) return nullptr;
  if (op == "=" || op == "!=") return nullptr;
  const Expr& inside = side->args[0];
  const Expr above = solution_set(relation(op, inside, bound), work);
  const Expr below = solution_set(relation(mirrored(op), inside, negate(bound)), work);
  if (!above || !below) return nullptr;
  return compound(op[0] == '<' ? Kind::kIntersection : Kind::kUnion, {above, below});
}

}  // namespace

std::optional<bool> same_real_set(const Expr& a, const Expr& b) {
  Cells cells;
  if (!cells.add_boundaries(a) || !cells.add_boundaries(b)) return std::nullopt;
  for (std::size_t cell = 0; cell < cells.count(); ++cell) {
    if (cells.contains(a, cell) != cells.contains(b, cell)) return false;
  }
  return true;
}

Expr solution_set(const Expr& e, Work& work) {
  if (is(e, Kind::kAnd)) {
    Expr result;
    for (const Expr& link : e->args) {
      const Expr set = solution_set(link, work);
      if (!set) return nullptr;
      result = result ? compound(Kind::kIntersection, {result, set}) : set;
    }
    return result;
  }
  if (!is(e, Kind::kRelation) || is_set_like(e->args[0]) || is_set_like(e->args[1])) return nullptr;
  for (const Expr& side : e->args) {
    if (is_constant(side, "oo") || is_constant(side, "-oo")) return nullptr;
  }
  const Expr unknown = only_unknown(e);
  if (!unknown) return nullptr;
  if (Expr set = absolute_solutions(e, work)) return set;
  const Expr f = subtract(e->args[0], e->args[1]);
  return quadratic_solutions(f, unknown, e->name, work);
}

}  // namespace umf
