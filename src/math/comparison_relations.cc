// Comparing relations.
#include <algorithm>
#include <ranges>

#include "math/compare_numbers.h"
#include "math/comparison.h"

namespace umf {
namespace {

bool is_mirrored(const std::string& a, const std::string& b) {
  return (a == "<" && b == ">") || (a == ">" && b == "<") || (a == "<=" && b == ">=") ||
         (a == ">=" && b == "<=") || (a == "=" && b == "=");
}

bool has_arithmetic_sides(const Expr& relation) {
  return std::ranges::all_of(relation->args, is_arithmetic);
}

}  // namespace

bool Comparison::relations(const Expr& gold, const Expr& answer) {
  if (is(gold, Kind::kAnd) || is(answer, Kind::kAnd)) {
    if (gold->kind != answer->kind || gold->args.size() != answer->args.size()) {
      return decided(false, "number of relations");
    }
    for (std::size_t i = 0; i < gold->args.size(); ++i) {
      if (!equal(gold->args[i], answer->args[i])) return false;
    }
    return true;
  }
  if (!is(gold, Kind::kRelation) || !is(answer, Kind::kRelation) || !has_arithmetic_sides(gold) ||
      !has_arithmetic_sides(answer)) {
    return decided(false, "kind");
  }
  const Expr &gl = gold->args[0], &gr = gold->args[1], &al = answer->args[0], &ar = answer->args[1];
  if (gold->name == answer->name && numbers(subtract(gl, gr), subtract(al, ar))) return true;
  if (is_mirrored(gold->name, answer->name) && numbers(subtract(gl, gr), subtract(ar, al))) {
    return true;
  }
  return gold->name == "=" && answer->name == "=" && same_solutions(gold, answer);
}

bool Comparison::same_solutions(const Expr& gold, const Expr& answer) {
  decided_by_ = "solutions";
  const Expr f = subtract(gold->args[0], gold->args[1]);
  const Expr g = subtract(answer->args[0], answer->args[1]);
  const Unknowns unknowns = unknowns_of(f), others = unknowns_of(g);
  const bool same_names = std::ranges::equal(std::views::keys(unknowns), std::views::keys(others));
  if (unknowns.empty() || !same_names) return false;
  if (proportional(f, g, work_) == Truth::kYes) return true;
  for (const auto& [name, unknown] : unknowns) {
    const Truth same = same_linear_root(f, g, name, work_);
    if (same != Truth::kUnknown) return same == Truth::kYes;
  }
  return false;
}

}  // namespace umf
