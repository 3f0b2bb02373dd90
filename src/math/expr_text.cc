// Trees as text: as people read them, and in a canonical order for comparing.
#include <fmt/core.h>

#include <algorithm>

#include "math/exact.h"
#include "math/expr.h"

namespace umf {
namespace {

std::string joined(const std::vector<std::string>& parts, const char* separator) {
  std::string text;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (i > 0) text += separator;
    text += parts[i];
  }
  return text;
}

template <class Print>
std::vector<std::string> each(const Expr& e, const Print& print) {
  std::vector<std::string> parts;
  for (const Expr& arg : e->args) parts.push_back(print(arg));
  return parts;
}

const char* wrapper_of(Kind kind) {
  switch (kind) {
    case Kind::kSum:
      return "Sum";
    case Kind::kProduct:
      return "Product";
    case Kind::kIntegral:
      return "Integral";
    case Kind::kLimit:
      return "Limit";
    case Kind::kDerivative:
      return "Derivative";
    case Kind::kUnion:
      return "Union";
    case Kind::kIntersection:
      return "Intersection";
    case Kind::kComplement:
      return "Complement";
    case Kind::kAnd:
      return "And";
    case Kind::kNot:
      return "Not";
    case Kind::kMatrix:
      return "Matrix";
    default:
      return "";
  }
}

std::string interval_text(const Expr& e, const std::vector<std::string>& ends) {
  return fmt::format("{}{}, {}{}", e->left_open ? "(" : "[", ends[0], ends[1],
                     e->right_open ? ")" : "]");
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

std::string factor_text(const Expr& e) {
  const bool parentheses = is(e, Kind::kAdd) || is_relation(e);
  return parentheses ? fmt::format("({})", to_text(e)) : to_text(e);
}

std::string power_text(const Expr& e) {
  const auto part = [](const Expr& arg) {
    return needs_parentheses(arg) || is(arg, Kind::kPow) ? fmt::format("({})", to_text(arg))
                                                         : to_text(arg);
  };
  return part(e->args[0]) + "**" + part(e->args[1]);
}

std::string list_text(const Expr& e) { return joined(each(e, to_text), ", "); }

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
      return joined(each(e, to_text), " + ");
    case Kind::kMul:
      return joined(each(e, factor_text), "*");
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
