#include "math/unit_words.h"

#include <algorithm>
#include <string_view>

#include "math/text.h"

namespace umf {
namespace {

// The words that the reference drops, some of them odd.
constexpr std::string_view kUnits[] = {"integerpoint",
                                       "feet",
                                       "sue",
                                       "digit",
                                       "pound",
                                       "meal",
                                       "edge",
                                       "student",
                                       "children ticket",
                                       "multiple",
                                       "east",
                                       "degree",
                                       "mph",
                                       "kmph",
                                       "ft",
                                       "m square",
                                       " m east",
                                       "sq m",
                                       "deg",
                                       "mile",
                                       "q .",
                                       "monkey",
                                       "prime",
                                       "ratio",
                                       "profit of rs",
                                       "rd",
                                       "o",
                                       "gm",
                                       "p . m",
                                       "lb",
                                       "tile",
                                       "per",
                                       "dm",
                                       "lt",
                                       "gain",
                                       "ab",
                                       "way",
                                       "west",
                                       "a .",
                                       "b .",
                                       "c .",
                                       "d .",
                                       "e .",
                                       "f .",
                                       "g .",
                                       "h .",
                                       "t",
                                       "h",
                                       "no change",
                                       "men",
                                       "soldier",
                                       "pie",
                                       "bc",
                                       "excess",
                                       "st",
                                       "inches",
                                       "noon",
                                       "cent",
                                       "by",
                                       "gal",
                                       "kmh",
                                       "c",
                                       "acre",
                                       "rise",
                                       "a . m",
                                       "th",
                                       "π r 2",
                                       "sq",
                                       "mark",
                                       "l",
                                       "toy",
                                       "coin",
                                       "sq . m",
                                       "gallon",
                                       "° f",
                                       "profit",
                                       "minw",
                                       "yr",
                                       "women",
                                       "am",
                                       "pm",
                                       "hr",
                                       "cu cm",
                                       "square",
                                       "v â € ™",
                                       "are",
                                       "rupee",
                                       "rounds",
                                       "cubic",
                                       "cc",
                                       "mtr",
                                       "s",
                                       "ohm",
                                       "number",
                                       "kmph",
                                       "day",
                                       "hour",
                                       "minute",
                                       "min",
                                       "second",
                                       "man",
                                       "woman",
                                       "sec",
                                       "cube",
                                       "mt",
                                       "sq inch",
                                       "mp",
                                       "∏ cm ³",
                                       "hectare",
                                       "more",
                                       "sec",
                                       "unit",
                                       "cu . m",
                                       "cm 2",
                                       "rs .",
                                       "rs",
                                       "kg",
                                       "g",
                                       "month",
                                       "km",
                                       "m",
                                       "cm",
                                       "mm",
                                       "apple",
                                       "liter",
                                       "loss",
                                       "yard",
                                       "pure",
                                       "year",
                                       "increase",
                                       "decrease",
                                       "d",
                                       "less",
                                       "Surface",
                                       "litre",
                                       "pi sq m",
                                       "s .",
                                       "metre",
                                       "meter",
                                       "inch"};

// One letter or two are names, multiplied, unless nobody would multiply these.
bool may_be_names(std::string_view unit) {
  static constexpr std::string_view kShortUnits[] = {"cm", "mm", "dm", "km", "kg", "gm",
                                                     "ft", "lb", "hr", "yr", "sq"};
  if (unit.ends_with(" .")) unit.remove_suffix(2);
  return unit.size() <= 2 && std::ranges::find(kShortUnits, unit) == std::end(kShortUnits);
}

bool is_unit(std::string_view text, Units units) {
  for (const std::string_view unit : kUnits) {
    if (!text.starts_with(unit)) continue;
    if (units == Units::kAsMeant && may_be_names(unit)) continue;
    const std::string_view rest = text.substr(unit.size());
    if (rest.empty() || rest == "s" || rest == "es") return true;
  }
  return false;
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
