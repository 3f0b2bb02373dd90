#include "math/unit_words.h"

#include <algorithm>
#include <span>
#include <string_view>

#include "math/text.h"

namespace umf {
namespace {

// The words that the reference drops, some of them odd.
constexpr std::string_view kWords[] = {
    "feet",    "sue",     "digit",  "pound",  "meal",  "edge",   "student",  "multiple", "east",
    "degree",  "mph",     "kmph",   "ft",     "deg",   "mile",   "monkey",   "prime",    "ratio",
    "gm",      "lb",      "tile",   "per",    "dm",    "gain",   "way",      "west",     "men",
    "soldier", "pie",     "excess", "inches", "noon",  "cent",   "gal",      "kmh",      "acre",
    "rise",    "sq",      "mark",   "toy",    "coin",  "gallon", "profit",   "minw",     "yr",
    "women",   "hr",      "square", "are",    "rupee", "rounds", "cubic",    "mtr",      "ohm",
    "number",  "day",     "hour",   "minute", "min",   "second", "man",      "woman",    "sec",
    "cube",    "hectare", "more",   "unit",   "kg",    "month",  "km",       "cm",       "mm",
    "apple",   "liter",   "loss",   "yard",   "pure",  "year",   "increase", "decrease", "less",
    "Surface", "litre",   "metre",  "meter",  "inch"};
constexpr std::string_view kPhrases[] = {
    "integerpoint", "children ticket", "m square", " m east", "sq m",   "profit of rs", "p . m",
    "no change",    "a . m",           "π r 2",    "sq . m",  "° f",    "cu cm",        "v â € ™",
    "sq inch",      "∏ cm ³",          "cu . m",   "cm 2",    "pi sq m"};

// One letter or two are names, multiplied, unless nobody would multiply these: cm is a word above.
constexpr std::string_view kNames[] = {
    "q .", "rd",  "o", "lt", "ab", "a .",  "b .", "c .", "d .", "e .", "f .",
    "g .", "h .", "t", "h",  "bc", "st",   "by",  "c",   "th",  "l",   "am",
    "pm",  "cc",  "s", "mt", "mp", "rs .", "rs",  "g",   "m",   "d",   "s ."};

bool is_one_of(std::span<const std::string_view> units, std::string_view text) {
  return std::ranges::any_of(units, [&](std::string_view unit) {
    if (!text.starts_with(unit)) return false;
    const std::string_view plural = text.substr(unit.size());
    return plural.empty() || plural == "s" || plural == "es";
  });
}

bool is_unit(std::string_view text, Units units) {
  return is_one_of(kWords, text) || is_one_of(kPhrases, text) ||
         (units == Units::kAsReference && is_one_of(kNames, text));
}

}  // namespace

std::string without_final_unit(const std::string& text, Units units) {
  const std::string_view whole = text;
  for (std::size_t at = whole.size() > 20 ? whole.size() - 20 : 0; at + 1 < whole.size(); ++at) {
    const char before = whole[at];
    if (!is_digit(before) && before != '}' && !is_space(before)) continue;
    if (is_unit(whole.substr(at + 1), units)) return text.substr(0, at + 1);
  }
  return text;
}

}  // namespace umf
