#include "math/rules_hendrycks.h"

#include "math/rules_repair.h"
#include "math/text.h"

namespace umf {
namespace {

std::string without_units(const std::string& text) {
  const std::vector<std::string> parts = split_at(text, "\\text{ ");
  if (parts.size() > 2) throw NotNormalisable();
  return parts[0];
}

}  // namespace

std::string hendrycks_normal_form(std::string_view answer) {
  std::string text(answer);
  delete_all(text, "\n");
  delete_all(text, "\\!");
  replace_all(text, "\\\\", "\\");
  name_fractions_alike(text);
  delete_degrees(text);
  delete_all(text, "\\$");
  text = without_units(text);
  delete_all(text, "\\%");
  complete_decimals(text);
  if (text.empty()) return text;
  if (text[0] == '.') text.insert(0, "0");
  text = repair_roots(drop_short_left_side(text));
  delete_all(text, " ");
  text = repair_fractions(text);
  if (text == "0.5") text = "\\frac{1}{2}";
  return repair_slash(text);
}

bool hendrycks_equal(std::string_view gold, std::string_view answer) {
  try {
    return hendrycks_normal_form(gold) == hendrycks_normal_form(answer);
  } catch (const NotNormalisable&) {
    return gold == answer;
  }
}

}  // namespace umf
