// Trees as text: as people read them, and in a canonical order, for comparing.
#include <fmt/ranges.h>

#include <algorithm>

#include "math/exact.h"
#include "math/expr.h"

namespace umf {
namespace {

template <class Print>
std::vector<std::string> each(const Expr& e, const Print& print) {
  std::vector<std::string> parts;
  for (const Expr& arg : e->args) parts.push_back(print(arg));
  return parts;
}

// "Sum" for a sum, "" for kinds that are written with signs.
std::string_view wrapper_of(Kind kind) {
  static constexpr std::pair<Kind, std::string_view> kWrappers[] = {
      {Kind::kSum, "Sum"},
      {Kind::kProduct, "Product"},
      {Kind::kIntegral, "Integral"},
      {Kind::kLimit, "Limit"},
      {Kind::kDerivative, "Derivative"},
      {Kind::kUnion, "Union"},
      {Kind::kIntersection, "Intersection"},
      {Kind::kComplement, "Complement"},
      {Kind::kAnd, "And"},
      {Kind::kNot, "Not"},
      {Kind::kMatrix, "Matrix"}};
  const auto* found = std::ranges::find(kWrappers, kind, &std::pair<Kind, std::string_view>::first);
  return found == std::end(kWrappers) ? "" : found->second;
}

const char* interval_name(const Expr& e) {
  if (e->left_open) return e->right_open ? "Interval.open" : "Interval.Lopen";
  return e->right_open ? "Interval.Ropen" : "Interval";
}

std::string decimal_text(double value) {
  std::string text = fmt::format("{:.15g}", value);
  if (text.find_first_of(".en") == std::string::npos) text += ".0";
  return text;
}

bool needs_parentheses(const Expr& e) {
  return is(e, Kind::kAdd) || is(e, Kind::kMul) || is_relation(e) ||
         (is(e, Kind::kNumber) && (e->value < 0 || e->value.get_den() != 1));
}

std::string grouped(const Expr& e) {
  return needs_parentheses(e) || is(e, Kind::kPow) ? fmt::format("({})", to_text(e)) : to_text(e);
}

std::string power_text(const Expr& e) {
  const Expr &base = e->args[0], &exponent = e->args[1];
  if (is(exponent, Kind::kNumber)) {
    if (exponent->value == mpq_class(1, 2)) return fmt::format("sqrt({})", to_text(base));
    if (exponent->value == -1) return fmt::format("1/{}", grouped(base));
  }
  return grouped(base) + "**" + grouped(exponent);
}

// A product as one fraction: what has the exponent -1 and the denominators of numbers go below.
std::string product_text(const Expr& e) {
  std::vector<std::string> above, below;
  std::string sign;
  for (const Expr& factor : e->args) {
    const bool inverse = is(factor, Kind::kPow) && is(factor->args[1], Kind::kNumber) &&
                         factor->args[1]->value == -1;
    if (inverse) {
      below.push_back(grouped(factor->args[0]));
    } else if (is(factor, Kind::kNumber) && factor->value == -1 && above.empty()) {
      sign += "-";
    } else if (is(factor, Kind::kNumber) && factor->value.get_den() != 1) {
      if (factor->value.get_num() != 1) above.push_back(factor->value.get_num().get_str());
      below.push_back(factor->value.get_den().get_str());
    } else {
      above.push_back(is(factor, Kind::kPow) ? power_text(factor) : grouped(factor));
    }
  }
  const std::string text = sign + (above.empty() ? "1" : fmt::format("{}", fmt::join(above, "*")));
  if (below.empty()) return text;
  if (below.size() == 1) return text + "/" + below[0];
  return fmt::format("{}/({})", text, fmt::join(below, "*"));
}

std::string sum_text(const Expr& e) {
  std::string text;
  for (const Expr& term : e->args) {
    const std::string part = is_relation(term) ? fmt::format("({})", to_text(term)) : to_text(term);
    if (text.empty())
      text = part;
    else if (part[0] == '-')
      text += " - " + part.substr(1);
    else
      text += " + " + part;
  }
  return text;
}

std::string list_text(const Expr& e) {
  return fmt::format("{}", fmt::join(each(e, to_text), ", "));
}

std::string row_text(const Expr& e) {
  std::string text = "[";
  for (std::size_t i = 0; i < e->args.size(); ++i) {
    if (i % e->columns == 0)
      text += i == 0 ? "[" : "], [";
    else
      text += ", ";
    text += to_text(e->args[i]);
  }
  return text + "]]";
}

// Numbers among `parts` are folded where that is easily done; the rest is sorted.
std::string canonical_operands(const Expr& e) {
  const bool sum = is(e, Kind::kAdd);
  mpq_class folded = sum ? 0 : 1;
  std::vector<std::string> parts;
  for (const Expr& arg : e->args) {
    if (is(arg, Kind::kNumber)) {
      if (sum)
        folded += arg->value;
      else
        folded *= arg->value;
    } else {
      parts.push_back(canonical_text(arg));
    }
  }
  if (parts.empty() || folded != (sum ? 0 : 1)) parts.push_back(folded.get_str());
  if (parts.size() == 1) return parts[0];
  std::sort(parts.begin(), parts.end());
  return fmt::format("({})", fmt::join(parts, sum ? "+" : "*"));
}

}  // namespace

std::string to_text(const Expr& e) {
  switch (e->kind) {
    case Kind::kNumber:
      return e->value.get_str();
    case Kind::kFloat:
      return decimal_text(e->real);
    case Kind::kConstant:
    case Kind::kSymbol:
    case Kind::kNamedSet:
      return e->name;
    case Kind::kAdd:
      return sum_text(e);
    case Kind::kMul:
      return product_text(e);
    case Kind::kPow:
      return power_text(e);
    case Kind::kFunction:
    case Kind::kApplied:
      return fmt::format("{}({})", e->name, list_text(e));
    case Kind::kRelation:
      return fmt::format("{} {} {}", to_text(e->args[0]), e->name, to_text(e->args[1]));
    case Kind::kSet:
      return fmt::format("{{{}}}", list_text(e));
    case Kind::kTuple:
      return fmt::format("({})", list_text(e));
    case Kind::kInterval:
      return fmt::format("{}({})", interval_name(e), list_text(e));
    case Kind::kMatrix:
      return fmt::format("Matrix({})", row_text(e));
    default:
      return fmt::format("{}({})", wrapper_of(e->kind), list_text(e));
  }
}

std::string canonical_text(const Expr& e) {
  if (const auto exact = exact_value(e)) return exact->get_str();
  if (is(e, Kind::kAdd) || is(e, Kind::kMul)) return canonical_operands(e);
  std::vector<std::string> parts = each(e, canonical_text);
  switch (e->kind) {
    case Kind::kSymbol:
      return (e->is_real ? "$" : "%") + e->name;
    case Kind::kConstant:
    case Kind::kNamedSet:
      return "#" + e->name;
    case Kind::kFloat:
      return fmt::format("~{}", e->real);
    case Kind::kInterval:
      return fmt::format("{}{}, {}{}", e->left_open ? "(" : "[", parts[0], parts[1],
                         e->right_open ? ")" : "]");
    case Kind::kSet:
      std::ranges::sort(parts);
      return fmt::format("{{{}}}", fmt::join(parts, ","));
    case Kind::kUnion:
    case Kind::kIntersection:
      std::ranges::sort(parts);
      return fmt::format("{}({})", wrapper_of(e->kind), fmt::join(parts, ","));
    default:
      return fmt::format("{}{}<{}>{}({})", wrapper_of(e->kind), static_cast<int>(e->kind), e->name,
                         e->columns, fmt::join(parts, ","));
  }
}

}  // namespace umf
