#include "math/latex_parser.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "math/latex_grammar.h"
#include "math/pattern.h"
#include "math/text.h"

namespace umf {
namespace {

bool stands_free(std::string_view text, std::string_view word) {
  for (std::size_t at = 0; (at = text.find(word, at)) != std::string_view::npos; ++at) {
    const std::size_t end = at + word.size();
    if ((at == 0 || !is_word(text[at - 1])) && (end == text.size() || !is_word(text[end]))) {
      return true;
    }
  }
  return false;
}

// Signs of complex numbers or matrices make every symbol of the text a complex one.
bool has_complex_symbols(std::string_view text) {
  for (const char* sign : {"\\imath", "\\mathbb{C}", "\\det"}) {
    if (contains(text, sign)) return true;
  }
  for (const char* word : {"i", "trace", "rank", "Re", "Im"}) {
    if (stands_free(text, word)) return true;
  }
  return false;
}

// 1,234,567.8 and nothing else is one number; with a leading 0 the comma is a decimal one.
Expr grouped_number(std::string_view text) {
  text = trimmed(text);
  const bool negative = !text.empty() && text[0] == '-';
  if (negative) text = trimmed(text.substr(1));
  std::size_t at = 0;
  while (at < text.size() && is_digit(text[at])) ++at;
  if (at == 0 || at > 3 || at == text.size() || text[at] != ',') return nullptr;
  std::string digits(text.substr(0, at));
  const bool decimal_comma = text[0] == '0';
  int groups = 0;
  while (at + 3 < text.size() && text[at] == ',' && is_digit(text[at + 1]) &&
         is_digit(text[at + 2]) && is_digit(text[at + 3])) {
    if (decimal_comma && groups == 0) digits += '.';
    digits += text.substr(at + 1, 3);
    at += 4;
    ++groups;
  }
  if (groups == 0 || digits.size() > 1000) return nullptr;
  if (!decimal_comma && at < text.size() && text[at] == '.') {
    std::size_t end = at + 1;
    while (end < text.size() && is_digit(text[end])) ++end;
    if (end == at + 1) return nullptr;
    digits += text.substr(at, end - at);
    at = end;
  }
  if (at != text.size() || (decimal_comma && groups > 1)) return nullptr;
  const bool fraction = contains(digits, ".");
  Expr value = fraction ? decimal(std::strtod(digits.c_str(), nullptr))
                        : number(mpq_class(mpz_class(digits, 10)));
  return negative ? negate(value) : value;
}

const Pattern& either_sign() {
  static const Pattern kSign(R"(\\(pm|mp)(?![A-Za-z]))");
  return kSign;
}

// Two signs in one expression may be chosen alike or not.
bool has_one_sign_in_a_side(std::string_view text) {
  std::size_t most = 0;
  for (const std::string& side : split_at(text, "=")) {
    most = std::max(most, either_sign().find_all(side).size());
  }
  return most == 1;
}

Expr parse_whole(std::string_view text, bool real_symbols, LostUnits lost_units) {
  const bool doubtful = lost_units == LostUnits::kYes;
  try {
    return LatexGrammar(text, latex_tokens(text), real_symbols, doubtful).whole();
  } catch (const NotUnderstood&) {
    // The grammar has \pm between terms alone; inside a fraction the whole is read for each sign.
    if (!has_one_sign_in_a_side(text)) throw;
    std::vector<Expr> values;
    for (const char* plus : {"pm", "mp"}) {
      const std::string chosen = either_sign().replaced(text, [&](const Pattern::Match& match) {
        return match.text(text, 1) == plus ? "+" : "-";
      });
      append_flat(values, Kind::kSet, parse_whole(chosen, real_symbols, lost_units));
    }
    return finite_set(std::move(values));
  }
}

}  // namespace

Expr parse_latex(std::string_view text, LostUnits lost_units) {
  if (Expr number = grouped_number(text)) return number;
  const bool real_symbols = !has_complex_symbols(text);
  try {
    return parse_whole(text, real_symbols, lost_units);
  } catch (const NotUnderstood&) {
    // A broken derivation still ends in its result.
    const std::vector<std::string> parts = split_at(text, "=");
    if (parts.size() < 3 || text.find_first_of(",;") != std::string_view::npos) throw;
    return parse_whole(text.substr(text.rfind('=') + 1), real_symbols, lost_units);
  }
}

}  // namespace umf
