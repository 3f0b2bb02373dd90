#include "math/latex_normal.h"

#include <array>

#include "math/latex_lexer.h"
#include "math/pattern.h"
#include "math/rules_repair.h"
#include "math/text.h"
#include "math/unit_words.h"

namespace umf {
namespace {

// Everything that `pattern` matches becomes `replacement`, where $1 and $2 are its groups.
struct Rewrite {
  Pattern pattern;
  std::string replacement;

  std::string operator()(const std::string& text) const {
    return pattern.replaced(text, [&](const Pattern::Match& match) {
      std::string result;
      for (std::size_t i = 0; i < replacement.size(); ++i) {
        if (replacement[i] == '$')
          result += match.text(text, replacement[++i] - '0');
        else
          result += replacement[i];
      }
      return result;
    });
  }
};

// Step 2 and 3: what has no influence on the meaning.
std::string without_layout(std::string text) {
  static const std::array<Rewrite, 8> kRules = {{
      {Pattern(R"(\\mathrm\{T\})"), "T"},
      {Pattern(R"(\\mathrm\{d\}|\{\\rm d\})"), "d"},
      {Pattern(R"(\\m?(?:left|right)(?![A-Za-z]))"), ""},
      {Pattern(R"(\((\w+)\)_\{(\w+)\})"), "\\frac{$1!}{($1-$2)!}"},
      {Pattern(R"(\\mathrm\{th\}|\\text\{\})"), ""},
      {Pattern(R"(\\!\s*)"), ""},
      {Pattern(R"(\\?\$)"), ""},
      {Pattern(R"(['"]|\\displaystyle(?![A-Za-z]))"), ""},
  }};
  for (const Rewrite& rule : kRules) text = rule(text);
  return text;
}

// Step 4: one pass, the first rule that fits at a place counts.
std::string with_plain_names(const std::string& text) {
  static const std::pair<const char*, const char*> kRules[] = {
      {R"(\s*,?\s*\\(?:text|mbox|textrm|textnormal|mathrm)\{\s*(?:and|or)\s*\})", ","},
      {R"(\s*,?\s*(?<![A-Za-z\\])(?:and|or)(?![A-Za-z]))", ","},
      {R"(\\(?:mathrm|mathit|mathbf|textnormal|textbf|textit|textrm)(?![A-Za-z]))", "\\text"},
      {R"(\\[dtc]frac)", "\\frac"},
      {R"(\s*(?:[Pp]ercentage|[Pp]ercent|[Pp]ct)(?![A-Za-z]))", "\\%"},
      {R"(\s\.)", " 0."},
      {R"(\{\.)", "{0."},
      {R"(~=)", "\\approx"},
      {R"(\s*\{\s*,\s*\})", ","},
      {R"((?<!\\)\\\s)", " "},
      {R"((?<![\\A-Za-z])inf(?:inity)?(?![A-Za-z]))", "\\infty"},
      {R"(\s*,?\s*\\ldots)", " "},
      {R"(\ssqrt)", " \\sqrt"},
  };
  static const Pattern kAll = [] {
    std::string all;
    for (const auto& [pattern, replacement] : kRules) {
      all += std::string(all.empty() ? "" : "|").append("(").append(pattern).append(")");
    }
    return Pattern(all);
  }();
  return kAll.replaced(text, [](const Pattern::Match& match) {
    int group = 1;
    while (!match.has(group)) ++group;
    return std::string(kRules[group - 1].second);
  });
}

std::string on_one_line(std::string text) {
  for (char& c : text) {
    if (is_space(c)) c = ' ';
  }
  static const Rewrite kSingle{Pattern(R"(\\\\([A-Za-z]))"), "\\$1"};
  return contains(text, "matrix") ? text : kSingle(text);
}

// Texts alone, with what joins units: m/s^2. Nothing in them is a command or a lone number.
bool is_unit(std::string_view text) {
  static const Pattern kUnit(
      R"(^(?:\\(?:text|mbox)\{[^{}\\]*[A-Za-z][^{}\\]*\}|\s|/|\\cdot(?![A-Za-z])|\\[,;: ]|~|\.|\^-?\d|\^?\{\^?-?\d\})+$)");
  return !kUnit.find_all(text).empty();
}

// A unit follows a value: not an operator, a bracket that opens, a relation or a word.
bool is_value(std::string_view text) {
  static const Pattern kText(R"(\\(?:text|mbox)\{([^{}]*)\}$)");
  for (const Pattern::Match& word : kText.find_all(text)) {
    if (!is_mathematics(word.text(text, 1))) return false;
  }
  static const Pattern kOperator(R"([-+*/=<>(\[{^_]$|\\(?:cdot|times|div|pm|mp|leq?|geq?|over)$)");
  return !text.empty() && kOperator.find_all(text).empty();
}

constexpr int kTextsOfAUnit = 4, kStylesAround = 4;

// Where the unit at the end begins: at the first of the last few texts from which on all is unit.
std::size_t unit_begin(std::string_view text) {
  std::size_t begin = std::string_view::npos, at = text.size();
  for (int texts = 0; texts < kTextsOfAUnit && at > 0; ++texts) {
    const std::size_t text_at = text.rfind("\\text{", at - 1),
                      box_at = text.rfind("\\mbox{", at - 1);
    at = text_at == std::string_view::npos  ? box_at
         : box_at == std::string_view::npos ? text_at
                                            : std::max(text_at, box_at);
    if (at == std::string_view::npos || !is_unit(text.substr(at))) break;
    if (is_value(trimmed(text.substr(0, at)))) begin = at;
  }
  return begin;
}

// Step 6. A text in braces at the end is a unit, and to the reference everything from the first
// text on.
std::string without_units(std::string text, Units units) {
  static const Pattern kEndsInGroup(R"(\}(?:\^\d|\{\^\d\})?\s*$)");
  const std::size_t command = std::min(text.find("\\text{"), text.find("\\mbox{"));
  if (command != std::string::npos && !kEndsInGroup.find_all(text).empty()) {
    if (units == Units::kAsReference) {
      if (!trimmed(std::string_view(text).substr(0, command)).empty()) text.erase(command);
    } else if (const std::size_t begin = unit_begin(text); begin != std::string::npos) {
      text.erase(begin);
    }
  }
  for (int pass = 0; pass < 2; ++pass) text = without_final_unit(text, units);
  return text;
}

// Step 8.
std::string repaired(std::string text) {
  static const std::array<Rewrite, 10> kRules = {{
      {Pattern(R"(\^\(([^()]*)\))"), "^{$1}"},
      {Pattern(R"((?<!\\)sqrt\(([^()]*)\))"), "\\sqrt{$1}"},
      {Pattern(R"(\\sqrt\(([^()]*)\))"), "\\sqrt{$1}"},
      {Pattern(R"(\\frac\s*(\d)\s*(\d+))"), "\\frac{$1}{$2}"},
      {Pattern(R"(\\log_\s*(\d)\s*(\d+))"), "\\log_{$1}{$2}"},
      {Pattern(R"(\\frac\s*\{([^{}]+)\}\s*(\d))"), "\\frac{$1}{$2}"},
      {Pattern(R"(\\frac\s*(\d)\s*\{)"), "\\frac{$1}{"},
      {Pattern(R"(\\sqrt\s*(\d+))"), "\\sqrt{$1}"},
      {Pattern(R"((\\(?:frac|sqrt))\s+)"), "$1"},
      {Pattern(R"(\\sqrt([^{\[]))"), "\\sqrt{$1}"},
  }};
  for (const Rewrite& rule : kRules) text = rule(text);
  try {
    text = repair_fractions(text);
  } catch (const NotNormalisable&) {
    return text;
  }
  return repair_slash(text);
}

// 14{,}916 and 14,\!916 are written as one number; a bare comma may divide a list.
std::string with_whole_numbers(const std::string& text) {
  static const Pattern kGroups(
      R"((?<![\d.])[1-9]\d{0,2}(?:(?:,\s*\\!\s*|\\!\s*,\s*|\s*\{(?:\\!|\s)*,(?:\\!|\s)*\}\s*(?:\\!\s*)?)\d{3}(?!\d))+)");
  return kGroups.replaced(text, [&](const Pattern::Match& match) {
    std::string digits(text, match.begin, match.end - match.begin);
    std::erase_if(digits, [](char c) { return !is_digit(c); });
    return digits;
  });
}

// What the other rules would take for a unit or not take for one: a bold letter is a vector, an
// upright e or i a number, th an ending, {\rm cm} a text, percent a sign. Colours and the sentence
// around a formula mean nothing.
std::string with_words_set_apart(std::string text) {
  static const std::array<Rewrite, 10> kRules = {{
      {Pattern(R"(\\(?:text|mathrm|textrm|mbox)\s*\{\s*(?:[Pp]ercent(?:age)?|[Pp]ct|\\?%)\s*\})"),
       "\\%"},
      {Pattern(R"(\\(?:mathbf|mathit)\s*\{\s*([A-Za-z])\s*\})"), "\\boldsymbol{$1}"},
      {Pattern(R"(\{\s*\\(?:bf|it)\s+([A-Za-z])\s*\})"), "\\boldsymbol{$1}"},
      {Pattern(R"(\\mathrm\s*\{\s*([ei])\s*\})"), "$1"},
      {Pattern(R"(\{\s*\\rm\s+([ei])\s*\})"), "$1"},
      {Pattern(R"(\^\s*\{?\s*\\(?:text|mathrm|textrm|mbox)\s*\{\s*(?:st|nd|rd|th)\s*\}\s*\}?)"),
       ""},
      {Pattern(R"(\\(?:rm|it|bf|sf|tt)\s*\{([^{}\\]*)\})"), "\\text{$1}"},
      {Pattern(R"(\{\s*\\(?:rm|it|bf|sf|tt)(?![A-Za-z])([^{}\\]*)\})"), "\\text{$1}"},
      {Pattern(R"(\\(?:text)?color\s*\{[A-Za-z]*\})"), ""},
      {Pattern(R"((?<!\\)[.,;]\s*$)"), ""},
  }};
  for (const Rewrite& rule : kRules) text = rule(text);
  return text;
}

// TeX takes the next command for an argument that has no braces: \frac\pi4, \sqrt\pi.
std::string with_braced_arguments(std::string text) {
  static const std::string kName = R"(\\(?!sqrt|[dtc]?frac|text|math|left|binom|q?quad)[A-Za-z]+)";
  static const std::array<Rewrite, 2> kRules = {{
      {Pattern(R"((\\(?:[dtc]?frac|sqrt))\s*()" + kName + ")"), "$1{$2}"},
      {Pattern(R"((\\[dtc]?frac\s*(?:\{[^{}]*\}|[A-Za-z0-9]))\s*()" + kName + ")"), "$1{$2}"},
  }};
  for (const Rewrite& rule : kRules) text = rule(text);
  return text;
}

std::string normal(std::string text, Units units) {
  text = without_layout(std::move(text));
  text = with_plain_names(text);
  text = on_one_line(std::move(text));
  text = without_units(std::move(text), units);
  text = std::string(trimmed(text));
  if (!text.empty() && text[0] == '.') text.insert(text.begin(), '0');
  if (text == "0.5") text = "\\frac{1}{2}";
  return std::string(trimmed(repaired(std::move(text))));
}

// What stands in a style that is around all of it.
std::string_view without_style(std::string_view text) {
  for (int styles = 0; styles < kStylesAround; ++styles) {
    text = trimmed(text);
    const std::size_t open = text.find('{');
    if (open == std::string_view::npos || !is_style(trimmed(text.substr(0, open)))) break;
    if (after_closing_brace(text, open) != text.size()) break;
    const std::string_view inside = text.substr(open + 1, text.size() - open - 2);
    if (!is_mathematics(inside)) break;
    text = inside;
  }
  return text;
}

}  // namespace

std::string normal_latex(std::string_view latex, Boxes boxes) {
  return normal(boxed_content(latex, boxes), Units::kAsReference);
}

std::string meant_latex(std::string_view latex, Boxes boxes) {
  const std::string content = boxed_content(latex, boxes);
  const std::string text(without_style(content));
  return normal(with_braced_arguments(with_words_set_apart(with_whole_numbers(text))),
                Units::kAsMeant);
}

}  // namespace umf
