// Reading the answer out of a text: the best candidate that can be understood.
#include <cmath>
#include <cstdlib>

#include "math/candidates.h"
#include "math/latex_lexer.h"
#include "math/latex_normal.h"
#include "math/latex_parser.h"
#include "math/math_verify.h"
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

Expr in_percent(const Expr& value) {
  return is_relation(value) || is_set_like(value) ? value : percent(value);
}

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
  for (const auto& [latex, is_percent, bare_box] : environments) {
    const Boxes boxes = bare_box ? Boxes::kLast : Boxes::kAll;
    texts.push_back(normal_latex(latex, boxes));
    meant.push_back(meant_latex(latex, boxes));
    const LostUnits lost = contains(latex, "\\$") ? LostUnits::kYes : LostUnits::kNo;
    Expr value = value_or_null([&] { return parse_latex(meant.back(), lost); });
    if (value && is_percent) value = in_percent(value);
    values.push_back(value);
  }
  if (values.empty()) return {};
  bool all = true;
  std::vector<Expr> elements;
  for (std::size_t i = 0; i < values.size(); ++i) {
    all = all && values[i];
    if (!values[i]) continue;
    if (is(values[i], Kind::kSet))
      elements.insert(elements.end(), values[i]->args.begin(), values[i]->args.end());
    else
      elements.push_back(values[i]);
  }
  if (values.size() > 1 && all) return {finite_set(elements), listed(texts), listed(meant)};
  return {values[0], texts[0], meant[0]};
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
  return {value, text, text};
}

Read read_candidate(const AnswerCandidate& candidate) {
  if (!candidate.environments.empty()) return read_environments(candidate.environments);
  if (!candidate.number.empty()) return read_number(candidate);
  const std::string text(trimmed(candidate.expression));
  return {value_or_null([&] { return parse_plain(text); }), candidate.expression, text};
}

}  // namespace

std::string MathAnswer::reading() const {
  if (value) return to_text(value);
  return text ? *text : "";
}

MathAnswer find_answer(std::string_view text, const MathVerifyConfig& config) {
  if (text.size() > kTextLimit) text.remove_prefix(text.size() - kTextLimit);
  MathAnswer answer;
  CandidateFinder finder(text, config);
  int tries = 0;
  for (CandidateGroup group = finder.next(); !group.empty(); group = finder.next()) {
    for (const AnswerCandidate& candidate : group) {
      Read read = read_candidate(candidate);
      if (!answer.text && !read.text.empty()) {
        answer.text = std::move(read.text);
        answer.meant = std::move(read.meant);
      }
      if (read.value) {
        answer.value = read.value;
        return answer;
      }
      if (++tries >= kTriesLimit) return answer;
    }
  }
  return answer;
}

}  // namespace umf
