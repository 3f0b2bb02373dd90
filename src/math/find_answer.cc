// Reading the answer out of a text: the best candidate that can be understood.
#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "math/candidates.h"
#include "math/latex_lexer.h"
#include "math/latex_normal.h"
#include "math/latex_parser.h"
#include "math/math_verify.h"
#include "math/pattern.h"
#include "math/plain_parser.h"
#include "math/text.h"

namespace umf {
namespace {

// Longer texts are read from their end, where answers stand.
constexpr std::size_t kTextLimit = 64 << 10;
constexpr int kTriesLimit = 200;

struct Read {
  Expr value;
  std::string text, meant;  // see MathAnswer
};

template <class Parse>
Expr value_or_null(const Parse& parse) {
  try {
    return parse();
  } catch (const NotUnderstood&) {
    return nullptr;
  } catch (const MathLimit&) {
    return nullptr;
  }
}

std::string listed(const std::vector<std::string>& texts) {
  std::string all;
  for (const std::string& text : texts) all += (all.empty() ? "" : " and ") + text;
  return all;
}

Read read_environments(const std::vector<AnswerCandidate::Environment>& environments) {
  std::vector<Expr> values;
  std::vector<std::string> texts, meant;
  for (const auto& [latex, begin, is_percent, bare_box] : environments) {
    const Boxes boxes = bare_box ? Boxes::kLast : Boxes::kAll;
    texts.push_back(normal_latex(latex, boxes));
    meant.push_back(meant_latex(latex, boxes));
    const LostUnits lost = contains(latex, "\\$") ? LostUnits::kYes : LostUnits::kNo;
    Expr value = value_or_null([&] { return parse_latex(meant.back(), lost); });
    if (is_percent) {
      meant.back() += "\\%";
      if (value && is_arithmetic(value)) value = percent(value);
    }
    values.push_back(value);
  }
  if (values.empty()) return {};
  if (values.size() == 1 || std::ranges::count(values, nullptr) > 0) {
    return {values[0], texts[0], meant[0]};
  }
  std::vector<Expr> elements;
  for (const Expr& value : values) append_flat(elements, Kind::kSet, value);
  return {finite_set(elements), listed(texts), listed(meant)};
}

Read read_number(const AnswerCandidate& candidate) {
  const std::string& text = candidate.number;
  Expr value = value_or_null([&]() -> Expr {
    if (text.size() > 4000) throw MathLimit("a number of too many digits");
    if (!contains(text, ".")) return number(mpq_class(mpz_class(text, 10)));
    const double real = std::strtod(text.c_str(), nullptr);
    if (!std::isfinite(real)) throw MathLimit("a number that is too large");
    return decimal(real);
  });
  if (value && candidate.percent) value = percent(value);
  return {value, text, candidate.percent ? text + "\\%" : text};
}

Read read_candidate(const AnswerCandidate& candidate) {
  if (!candidate.environments.empty()) return read_environments(candidate.environments);
  if (!candidate.number.empty()) return read_number(candidate);
  const std::string text(trimmed(candidate.expression));
  return {value_or_null([&] { return parse_plain(text); }), candidate.expression, text};
}

// LaTeX that was found and not understood. The numbers in it are parts of something else.
class NotRead {
 public:
  explicit NotRead(std::string_view text) : text_(text) {}

  void add(const AnswerCandidate& candidate) {
    // Prose between two amounts in dollars is no LaTeX.
    static constexpr std::string_view kSigns = "\\^_{}[]()|";
    for (const auto& environment : candidate.environments) {
      const std::string_view latex = environment.latex;
      if (latex.find_first_of(kSigns) == std::string_view::npos) continue;
      if (!environment.bare_box) {
        ranges_.emplace_back(environment.begin, environment.begin + latex.size());
        continue;
      }
      // From the first box on, with the prose between and behind, which is none of it.
      for (std::size_t at = 0; (at = latex.find("\\boxed{", at)) != std::string_view::npos;) {
        const std::size_t end = std::min(after_closing_brace(latex, at), latex.size());
        ranges_.emplace_back(environment.begin + at, environment.begin + end);
        at = end;
      }
    }
  }

  // A number inside that the text sets equal to what is not understood, at its end, is an answer.
  bool owns(const AnswerCandidate& plain) const {
    static const Pattern kEquals(
        R"((?:(?<![<>!])=|\\(?:implies|Rightarrow|therefore|iff|to|rightarrow))\s*$)");
    static const Pattern kEnd(
        R"(^(?:[\s.,$})\]*%]|\\[,;:!%\])]|\\(?:text|mathrm|mbox|textrm)\s*\{[^{}]*\})*$)");
    for (const auto& [begin, end] : ranges_) {
      if (plain.value_begin < begin || plain.value_begin >= end) continue;
      const std::size_t value_end = std::min(plain.end, end);
      const bool value =
          !kEquals.find_all(text_.substr(begin, plain.value_begin - begin)).empty() &&
          !kEnd.find_all(text_.substr(value_end, end - value_end)).empty();
      if (!value) return true;
    }
    return false;
  }

 private:
  std::string_view text_;
  std::vector<std::pair<std::size_t, std::size_t>> ranges_;
};

}  // namespace

std::string MathAnswer::reading() const {
  if (value) return to_text(value);
  return text ? *text : "";
}

MathAnswer find_answer(std::string_view text, const MathVerifyConfig& config) {
  if (text.size() > kTextLimit) text.remove_prefix(text.size() - kTextLimit);
  MathAnswer answer;
  CandidateFinder finder(text, config);
  NotRead not_read(text);
  int tries = 0;
  for (CandidateGroup group = finder.next(); !group.empty(); group = finder.next()) {
    for (const AnswerCandidate& candidate : group) {
      Read read = read_candidate(candidate);
      if (!answer.text && !read.text.empty()) {
        answer.text = std::move(read.text);
        answer.meant = std::move(read.meant);
      }
      const bool latex = !candidate.environments.empty();
      if (read.value && (latex || !not_read.owns(candidate))) {
        answer.value = read.value;
        return answer;
      }
      if (latex) not_read.add(candidate);
      if (++tries >= kTriesLimit) return answer;
    }
  }
  return answer;
}

}  // namespace umf
