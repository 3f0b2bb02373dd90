// Repairs of shorthand TeX that both rule-based checkers make.
#pragma once

#include <stdexcept>
#include <string>

namespace umf {

// A text on which the rules themselves fail; its checker then compares raw texts.
struct NotNormalisable : std::runtime_error {
  NotNormalisable() : std::runtime_error("the rules do not apply to this text") {}
};

// \frac12, \frac1{23} -> braces around both parts; a \frac with fewer than two characters after it
// leaves the text unchanged. Throws NotNormalisable for a \frac at the very end.
std::string repair_fractions(const std::string& text);

// \sqrt3 -> \sqrt{3}, one character. Throws NotNormalisable for a \sqrt at the very end.
std::string repair_roots(const std::string& text);

// integer/integer, written without superfluous signs or zeros -> \frac{..}{..}.
std::string repair_slash(const std::string& text);

// With exactly one "=" and at most two characters before it: the right side.
std::string drop_short_left_side(const std::string& text);

void name_fractions_alike(std::string& text);  // tfrac, dfrac -> frac; \left, \right deleted
void complete_decimals(std::string& text);     // " ." -> " 0." and "{." -> "{0."
void delete_degrees(std::string& text);

}  // namespace umf
