#include "math/latex_normal.h"

#include <array>

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
      {R"(\{,\})", ","},
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

// Step 6. A text in braces at the end is a unit, and with it everything from the first text on.
std::string without_units(std::string text) {
  static const Pattern kEndsInGroup(R"(\}(?:\^\d|\{\^\d\})?\s*$)");
  const std::size_t command = std::min(text.find("\\text{"), text.find("\\mbox{"));
  if (command != std::string::npos && !kEndsInGroup.find_all(text).empty() &&
      !trimmed(std::string_view(text).substr(0, command)).empty()) {
    text.erase(command);
  }
  for (int pass = 0; pass < 2; ++pass) text = without_final_unit(text);
  return text;
}

// Step 8.
std::string repaired(std::string text) {
  static const std::array<Rewrite, 9> kRules = {{
      {Pattern(R"(\^\(([^()]*)\))"), "^{$1}"},
      {Pattern(R"((?<!\\)sqrt\(([^()]*)\))"), "\\sqrt{$1}"},
      {Pattern(R"(\\sqrt\(([^()]*)\))"), "\\sqrt{$1}"},
      {Pattern(R"(\\frac\s*(\d)\s*(\d+))"), "\\frac{$1}{$2}"},
      {Pattern(R"(\\log_\s*(\d)\s*(\d+))"), "\\log_{$1}{$2}"},
      {Pattern(R"(\\frac\s*\{([^{}]+)\}\s*(\d))"), "\\frac{$1}{$2}"},
      {Pattern(R"(\\frac\s*(\d)\s*\{)"), "\\frac{$1}{"},
      {Pattern(R"(\\sqrt\s*(\d+))"), "\\sqrt{$1}"},
      {Pattern(R"((\\(?:frac|sqrt))\s+)"), "$1"},
  }};
  for (const Rewrite& rule : kRules) text = rule(text);
  static const Rewrite kRoot{Pattern(R"(\\sqrt([^{\[]))"), "\\sqrt{$1}"};
  text = kRoot(text);
  try {
    text = repair_fractions(text);
  } catch (const NotNormalisable&) {
    return text;
  }
  return repair_slash(text);
}

}  // namespace

std::string normal_latex(std::string_view latex, Boxes boxes) {
  std::string text = boxed_content(latex, boxes);
  text = without_layout(std::move(text));
  text = with_plain_names(text);
  text = on_one_line(std::move(text));
  text = without_units(std::move(text));
  text = std::string(trimmed(text));
  if (!text.empty() && text[0] == '.') text.insert(0, "0");
  if (text == "0.5") text = "\\frac{1}{2}";
  return std::string(trimmed(repaired(std::move(text))));
}

}  // namespace umf
