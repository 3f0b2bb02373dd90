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
  if (is(e, Kind::kSymbol) || is(e, Kind::kApplied)) return e;
  Expr found;
  for (const Expr& arg : e->args) {
    const Expr inner = only_unknown(arg);
    if (!inner) continue;
    if (found && canonical_text(found) != canonical_text(inner)) throw MathLimit("two unknowns");
    found = inner;
  }
  return found;
}

Expr with_value(const Expr& e, const std::string& unknown, const Expr& value) {
  if (is(e, Kind::kSymbol) || is(e, Kind::kApplied)) {
    return canonical_text(e) == unknown ? value : e;
  }
  if (e->args.empty()) return e;
  Node copy = *e;
  copy.depth = 1;
  for (Expr& arg : copy.args) arg = with_value(arg, unknown, value);
  return make_node(std::move(copy));
}

Expr all_reals() { return interval(constant("-oo"), constant("oo"), true, true); }
Expr half(const Expr& e) { return multiply(number(mpq_class(1, 2)), e); }

// The parts of the line where a x^2 + b x + c has the wanted sign, from its real roots in order.
class Quadratic {
 public:
  Quadratic(const Expr& f, const Expr& unknown, Work& work) {
    const std::string name = canonical_text(unknown);
    const Expr f0 = with_value(f, name, number(0)), f1 = with_value(f, name, number(1));
    const Expr below = with_value(f, name, number(-1));
    c_ = f0;
    b_ = half(subtract(f1, below));
    a_ = subtract(half(add(f1, below)), f0);
    const Expr rebuilt =
        add(multiply(a_, power(unknown, number(2))), add(multiply(b_, unknown), c_));
    fits_ = identically_equal(f, rebuilt, work) == Truth::kYes;
  }

  Expr solutions(const std::string& op) const {
    const auto bend = fits_ ? compare_values(a_, number(0)) : std::nullopt;
    const auto slope = fits_ ? compare_values(b_, number(0)) : std::nullopt;
    if (!bend || !slope || (*bend == 0 && *slope == 0)) return nullptr;
    std::vector<Expr> roots;
    const int right_sign = *bend == 0 ? *slope : *bend;
    if (*bend == 0) {
      roots = {negate(divide(c_, b_))};
    } else {
      const Expr square = subtract(multiply(b_, b_), multiply(number(4), multiply(a_, c_)));
      const auto real = compare_values(square, number(0));
      if (!real) return nullptr;
      const Expr root = power(square, number(mpq_class(1, 2))), twice = multiply(number(2), a_);
      const Expr low = divide(subtract(negate(b_), root), twice);
      const Expr high = divide(add(negate(b_), root), twice);
      if (*real == 0) roots = {low};
      if (*real > 0) roots = *bend > 0 ? std::vector{low, high} : std::vector{high, low};
    }
    return cells(op, roots, right_sign);
  }

 private:
  // Between the roots the sign changes at every root but a double one.
  Expr cells(const std::string& op, const std::vector<Expr>& roots, int right_sign) const {
    if (op == "=") return finite_set(roots);
    if (op == "!=") return compound(Kind::kComplement, {all_reals(), finite_set(roots)});
    const int wanted = op[0] == '>' ? 1 : -1;
    const bool open = op.size() == 1;
    const Expr low = constant("-oo"), high = constant("oo");
    Expr result = open ? finite_set({}) : finite_set(roots);
    const auto join = [&result](const Expr& piece) {
      result = compound(Kind::kUnion, {result, piece});
    };
    if (roots.empty()) return right_sign == wanted ? all_reals() : finite_set({});
    if (right_sign == wanted) join(interval(roots.back(), high, open, true));
    const int left_sign = is_linear() ? -right_sign : right_sign;
    if (left_sign == wanted) join(interval(low, roots.front(), true, open));
    if (roots.size() == 2 && -right_sign == wanted) join(interval(roots[0], roots[1], open, open));
    return result;
  }

  bool is_linear() const { return compare_values(a_, number(0)) == 0; }

  Expr a_, b_, c_;
  bool fits_ = false;
};

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
  const Expr f = subtract(e->args[0], e->args[1]);
  return Quadratic(f, unknown, work).solutions(e->name);
}

}  // namespace umf
