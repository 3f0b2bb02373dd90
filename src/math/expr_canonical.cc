// Trees as text in a canonical order, for comparing.
#include <fmt/core.h>

#include <algorithm>

#include "math/exact.h"
#include "math/expr_text_parts.h"

namespace umf {
namespace {

std::string interval_text(const Expr& e, const std::vector<std::string>& ends) {
  return fmt::format("{}{}, {}{}", e->left_open ? "(" : "[", ends[0], ends[1],
                     e->right_open ? ")" : "]");
}

// Numbers among `parts` are folded where that is easily done; the rest is sorted.
std::string canonical_operands(const Expr& e, const char* separator) {
  mpq_class folded = is(e, Kind::kAdd) ? 0 : 1;
  std::vector<std::string> parts;
  for (const Expr& arg : e->args) {
    if (is(arg, Kind::kNumber)) {
      if (is(e, Kind::kAdd))
        folded += arg->value;
      else
        folded *= arg->value;
    } else {
      parts.push_back(canonical_text(arg));
    }
  }
  if (parts.empty() || folded != (is(e, Kind::kAdd) ? 0 : 1)) parts.push_back(folded.get_str());
  if (parts.size() == 1) return parts[0];
  std::sort(parts.begin(), parts.end());
  return fmt::format("({})", joined(parts, separator));
}

}  // namespace

std::string canonical_text(const Expr& e) {
  if (const auto exact = exact_value(e)) return exact->get_str();
  std::vector<std::string> parts;
  switch (e->kind) {
    case Kind::kAdd:
      return canonical_operands(e, "+");
    case Kind::kMul:
      return canonical_operands(e, "*");
    case Kind::kSymbol:
      return (e->is_real ? "$" : "%") + e->name;
    case Kind::kConstant:
      return "#" + e->name;
    case Kind::kSet:
      parts = each(e, canonical_text);
      std::sort(parts.begin(), parts.end());
      return fmt::format("{{{}}}", joined(parts, ","));
    case Kind::kUnion:
    case Kind::kIntersection:
      parts = each(e, canonical_text);
      std::sort(parts.begin(), parts.end());
      return fmt::format("{}({})", wrapper_of(e->kind), joined(parts, ","));
    case Kind::kInterval:
      return interval_text(e, each(e, canonical_text));
    case Kind::kFloat:
      return fmt::format("~{}", e->real);
    case Kind::kNamedSet:
      return "#" + e->name;
    default:
      break;
  }
  return fmt::format("{}{}<{}>{}({})", wrapper_of(e->kind), static_cast<int>(e->kind), e->name,
                     e->columns, joined(each(e, canonical_text), ","));
}

}  // namespace umf
