// Comparing sets, tuples and intervals.
#include <algorithm>
#include <cmath>
#include <functional>
#include <ranges>
#include <set>
#include <tuple>

#include "math/compare_numbers.h"
#include "math/comparison.h"
#include "math/real_sets.h"

namespace umf {
namespace {

constexpr std::size_t kSearchedElements = 16;  // larger sets are compared in sorted order alone

struct SortKey {
  int rank = 0;  // numbers, intervals, tuples, the rest
  double re = 0, im = 0;
  std::vector<SortKey> parts;
  std::string text;

  bool operator<(const SortKey& other) const {
    // Fewer parts go first.
    const auto members = [](const SortKey& key) {
      return std::make_tuple(key.rank, key.re, key.im, key.parts.size(), std::cref(key.parts),
                             std::cref(key.text));
    };
    return members(*this) < members(other);
  }
};

SortKey sort_key(const Expr& element) {
  const Expr e = is_assignment(element) ? last_right_side(element) : element;
  SortKey key;
  if (is_constant(e, "oo") || is_constant(e, "-oo")) {
    key.re = is_constant(e, "oo") ? INFINITY : -INFINITY;
    return key;
  }
  if (is(e, Kind::kInterval) || is(e, Kind::kTuple)) {
    key.rank = is(e, Kind::kInterval) ? 2 : 3;
    for (const Expr& arg : e->args) key.parts.push_back(sort_key(arg));
    return key;
  }
  try {
    const PrecisionScope precision(128);
    Work work(20'000);
    if (const auto value = constant_value(e, work)) {
      key.re = value->re.to_double();
      key.im = value->im.to_double();
      return key;
    }
  } catch (const MathLimit&) {
    // Then it is sorted as text.
  }
  key.rank = is(e, Kind::kSymbol) ? 1 : 4;
  key.text = canonical_text(e);
  return key;
}

// Numbers by value, then the rest by structure.
std::vector<Expr> sorted_elements(const std::vector<Expr>& elements) {
  std::vector<std::pair<SortKey, Expr>> keyed;
  for (const Expr& e : elements) keyed.emplace_back(sort_key(e), e);
  std::ranges::stable_sort(keyed, std::less<>(), &std::pair<SortKey, Expr>::first);
  const auto sorted = std::views::values(keyed);
  return {sorted.begin(), sorted.end()};
}

Expr as_list(const Expr& e) { return is_set_like(e) ? e : compound(Kind::kSet, {e}); }

bool is_list(const Expr& e) { return is(e, Kind::kSet) || is(e, Kind::kTuple); }

// x = 1, y = 2: each name has one value.
bool are_coordinates(const std::vector<Expr>& elements) {
  std::set<std::string> names;
  for (const Expr& e : elements) {
    if (!is(e, Kind::kRelation) || e->name != "=" || !is(e->args[0], Kind::kSymbol)) return false;
    names.insert(e->args[0]->name);
  }
  return names.size() > 1 && names.size() == elements.size();
}

// As a point has them: x, y and z in this order, other names as they are written.
std::vector<Expr> as_point(std::vector<Expr> coordinates) {
  const auto name = [](const Expr& e) -> const std::string& { return e->args[0]->name; };
  const bool xyz = std::all_of(coordinates.begin(), coordinates.end(), [&](const Expr& e) {
    return name(e) == "x" || name(e) == "y" || name(e) == "z";
  });
  if (xyz) std::ranges::sort(coordinates, {}, name);
  return coordinates;
}

bool has_equation(const std::vector<Expr>& elements) {
  return std::any_of(elements.begin(), elements.end(), is_equation);
}

bool is_open(const Expr& e) { return is(e, Kind::kInterval) && e->left_open && e->right_open; }

}  // namespace

bool Comparison::sets(const Expr& gold_value, const Expr& answer_value) {
  const Expr gold = as_list(gold_value), answer = as_list(answer_value);
  if (is(gold, Kind::kInterval) && is(answer, Kind::kInterval)) {
    if (gold->left_open != answer->left_open || gold->right_open != answer->right_open) {
      return decided(false, "ends of intervals");
    }
    return equal(gold->args[0], answer->args[0]) && equal(gold->args[1], answer->args[1]);
  }
  if (is_set(gold) && is_set(answer)) {
    if (same_real_set(gold, answer).value_or(false)) return decided(true, "sets");
  }
  if (is_list(gold) && is_list(answer)) return elements(gold, answer);
  // (1, 2) may have meant a point.
  if (is_open(gold) && is_list(answer)) return elements(compound(Kind::kTuple, gold->args), answer);
  if (is_open(answer) && is_list(gold)) return elements(gold, compound(Kind::kTuple, answer->args));
  return decided(false, "sets");
}

bool Comparison::elements(const Expr& gold, const Expr& answer) {
  if (gold->args.size() != answer->args.size()) return decided(false, "number of elements");
  const bool gold_names = are_coordinates(gold->args) && !has_equation(answer->args);
  const bool answer_names = are_coordinates(answer->args) && !has_equation(gold->args);
  const bool ordered = is(gold, Kind::kTuple) || gold_names;
  const auto arranged = [&](const Expr& list, bool names) {
    return !ordered ? sorted_elements(list->args) : names ? as_point(list->args) : list->args;
  };
  const std::vector<Expr> ours = arranged(gold, gold_names);
  std::vector<Expr> theirs = arranged(answer, answer_names);
  // Numbers stand in the same place in both; expressions may be written so that they do not.
  const bool searched = !ordered && ours.size() <= kSearchedElements;
  for (std::size_t i = 0; i < ours.size(); ++i) {
    std::size_t match = i;
    const std::size_t end = searched ? theirs.size() : i + 1;
    while (match < end && !equal(ours[i], theirs[match])) ++match;
    if (match == end) return false;
    std::rotate(theirs.begin() + static_cast<std::ptrdiff_t>(i),
                theirs.begin() + static_cast<std::ptrdiff_t>(match),
                theirs.begin() + static_cast<std::ptrdiff_t>(match) + 1);
  }
  return true;
}

}  // namespace umf
