// Trees as text, as people read them.
#include <fmt/core.h>

#include "math/expr_text_parts.h"

namespace umf {

std::string joined(const std::vector<std::string>& parts, const char* separator) {
  std::string text;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (i > 0) text += separator;
    text += parts[i];
  }
  return text;
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

namespace {

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
  std::string text = sign + (above.empty() ? "1" : joined(above, "*"));
  if (below.empty()) return text;
  const std::string under = joined(below, "*");
  return text + "/" + (below.size() > 1 ? fmt::format("({})", under) : under);
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

}  // namespace umf
