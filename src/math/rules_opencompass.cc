#include "math/rules_opencompass.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "math/boxed.h"
#include "math/rules_repair.h"
#include "math/text.h"

namespace umf {
namespace {

constexpr std::pair<const char*, const char*> kMinervaReplacements[] = {
    {"an ", ""},          {"a ", ""},
    {".$", "$"},          {"\\$", ""},
    {"\\ ", ""},          {" ", ""},
    {"mbox", "text"},     {",\\text{and}", ","},
    {"\\text{and}", ","}, {"\\text{m}", "\\text{}"},
    {"\\le", "<"},
};

constexpr const char* kMinervaDeletions[] = {
    "square",       "ways",
    "integers",     "dollars",
    "mph",          "inches",
    "ft",           "hours",
    "km",           "units",
    "\\ldots",      "sue",
    "points",       "feet",
    "minutes",      "digits",
    "cents",        "degrees",
    "cm",           "gm",
    "pounds",       "meters",
    "meals",        "edges",
    "students",     "childrentickets",
    "multiples",    "\\text{s}",
    "\\text{.}",    "\\text{\ns}",
    "\\text{}^2",   "\\text{}^3",
    "\\text{\n}",   "\\text{}",
    "\\mathrm{th}", "^\\circ",
    "^{\\circ}",    "\\;",
    ",\\!",         "{,}",
    "\"",           "\\dots",
    "\n",           "\r",
    "\f",
};

// Each open..close becomes what stands between; `close` is the nearest one, or the last of the
// text.
void unwrap(std::string& text, std::string_view open, std::string_view close, bool nearest = true) {
  std::string result;
  std::size_t at = 0;
  for (std::size_t hit; (hit = text.find(open, at)) != std::string::npos;) {
    const std::size_t inside = hit + open.size();
    const std::size_t end = nearest ? text.find(close, inside) : text.rfind(close);
    if (end == std::string::npos || end < inside) break;
    result.append(text, at, hit - at).append(text, inside, end - inside);
    at = end + close.size();
  }
  text = result.append(text, at);
}

// What follows the last `phrase`, where there is one.
void keep_after(std::string& text, std::string_view phrase) {
  const std::size_t at = text.rfind(phrase);
  if (at != std::string::npos) text.erase(0, at + phrase.size());
}

void keep_after_answer_is(std::string& text) {
  std::size_t after = 0;
  for (const std::string_view phrase : {"answeris", "answeis"}) {
    const std::size_t at = text.rfind(phrase);
    if (at != std::string::npos) after = std::max(after, at + phrase.size());
  }
  text.erase(0, after);
  if (after > 0 && text.starts_with(':')) text.erase(0, 1);
}

// What stands in the last open..close, where there is one.
void keep_last(std::string& text, std::string_view open, char close) {
  std::optional<std::string> last;
  for (std::size_t at = text.find(open); at != std::string::npos;) {
    const std::size_t inside = at + open.size(), end = text.find(close, inside);
    if (end == std::string::npos) break;
    last = text.substr(inside, end - inside);
    at = text.find(open, end + 1);
  }
  if (last) text = *last;
}

// frac12 -> frac{1}{2}: so many characters, the first no brace.
void brace_arguments(std::string& text, std::string_view command, int arguments) {
  std::string result;
  std::size_t at = 0;
  for (std::size_t hit; (hit = text.find(command, at)) != std::string::npos;) {
    std::size_t end = hit + command.size();
    result.append(text, at, end - at);
    at = end;
    if (text.substr(end, 1) == "{") continue;
    std::string braces;
    int left = arguments;
    for (; left > 0 && end < text.size(); --left) {
      const std::size_t length = character_length(text, end);
      braces += braced(text.substr(end, length));
      end += length;
    }
    if (left > 0) continue;
    result += braces;
    at = end;
  }
  text = result.append(text, at);
}

std::string minerva_form(std::string_view answer) {
  std::string text(answer);
  for (const auto& [from, to] : kMinervaReplacements) replace_all(text, from, to);
  for (const char* word : kMinervaDeletions) delete_all(text, word);
  unwrap(text, "\\text{(", ")}");
  unwrap(text, "\\text{", "}");
  unwrap(text, "\\textbf{", "}");
  unwrap(text, "\\overline{", "}");
  unwrap(text, "\\boxed{", "}", /*nearest=*/false);
  keep_after(text, "finalansweris");
  keep_after_answer_is(text);
  keep_last(text, "oxed{", '}');
  keep_last(text, "$", '$');
  text = trimmed(text);
  if (contains(text, "rac") && !contains(text, "\\frac")) replace_all(text, "rac", "\\frac");
  brace_arguments(text, "frac", 2);
  brace_arguments(text, "sqrt", 1);
  delete_all(text, "$");
  std::string digits = text;
  delete_all(digits, ",");
  const bool number =
      !digits.empty() && digits.find_first_not_of("0123456789") == std::string::npos;
  return number ? digits : text;
}

// \text{...} at the very end, from the first such command on, unless nothing else remains.
void delete_final_text(std::string& text) {
  if (text.empty() || text.back() != '}') return;
  const std::size_t at = text.find("\\text{");
  if (at == std::string::npos) return;
  const std::string_view rest = trimmed(std::string_view(text).substr(0, at));
  if (!rest.empty()) text = std::string(rest);
}

void delete_boxes_of_text(std::string& text) {  // \mbox{...}
  for (std::size_t at = 0; (at = text.find("\\mbox{", at)) != std::string::npos;) {
    const std::size_t end = text.find('}', at);
    if (end == std::string::npos) return;
    text.erase(at, end + 1 - at);
  }
}

// 3.000 -> 3, unless more digits follow the zeros.
void delete_zero_decimals(std::string& text) {
  std::string result;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '.' && at > 0 && is_digit(text[at - 1])) {
      std::size_t end = at + 1;
      while (end < text.size() && text[end] == '0') ++end;
      if (end > at + 1 && (end == text.size() || !is_digit(text[end]))) {
        at = end - 1;
        continue;
      }
    }
    result += text[at];
  }
  text = result;
}

void brace_words_under_roots(std::string& text) {
  std::string result;
  std::size_t at = 0;
  for (std::size_t hit; (hit = text.find("\\sqrt", at)) != std::string::npos;) {
    const std::size_t begin = hit + 5;
    std::size_t end = begin;
    while (end < text.size() && is_word(text[end])) ++end;
    result.append(text, at, begin - at);
    if (end > begin) result += braced(text.substr(begin, end - begin));
    at = end;
  }
  text = result.append(text, at);
}

std::string stripped_form(std::string_view answer) {
  std::string text(trimmed(answer));
  delete_all(text, "\n");
  while (!text.empty() && text.back() == '.') text.pop_back();
  delete_all(text, "\\!");
  delete_all(text, "\\ ");
  replace_all(text, "\\\\", "\\");
  replace_all(text, "\\\\", "\\");
  name_fractions_alike(text);
  delete_final_text(text);
  delete_degrees(text);
  for (const char* what : {"\\$", "$", "\\text", "x\\in", "\\%", "%"}) delete_all(text, what);
  complete_decimals(text);
  delete_all(text, "\\cdot");
  replace_all(text, "infinity", "\\infty");
  if (!contains(text, "\\infty")) replace_all(text, "inf", "\\infty");
  delete_all(text, "and");
  delete_all(text, "\\mathbf");
  delete_boxes_of_text(text);
  if (contains(text, "j") && !contains(text, "i")) replace_all(text, "j", "i");
  delete_zero_decimals(text);
  if (text.empty()) return text;
  if (text[0] == '.') text.insert(text.begin(), '0');
  text = drop_short_left_side(text);
  brace_words_under_roots(text);
  delete_all(text, " ");
  return repair_slash(repair_fractions(text));
}

bool equal_when_stripped(std::string_view gold, std::string_view answer) {
  try {
    const std::string a = stripped_form(gold), b = stripped_form(answer);
    return a == b || minerva_form(a) == minerva_form(b);
  } catch (const NotNormalisable&) {
    return false;
  }
}

}  // namespace

std::string opencompass_extract(std::string_view completion) {
  if (auto box = last_boxed(completion); box && !box->empty()) {
    if (box->size() > 1 && box->front() == '{' && box->back() == '}') {
      return box->substr(1, box->size() - 2);
    }
    return *box;
  }
  const std::vector<std::string> sentences = split_at(completion, ".");
  for (const std::string& sentence : sentences) {
    const std::string lower = lower_case(sentence);
    if (contains(lower, "final answer") || contains(lower, "answer is")) {
      return minerva_form(sentence);
    }
  }
  return minerva_form(sentences[0]);
}

bool opencompass_equal(std::string_view gold, std::string_view answer) {
  return equal_when_stripped(gold, answer) || minerva_form(gold) == minerva_form(answer) ||
         gold == answer;
}

}  // namespace umf
