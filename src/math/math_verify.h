// Are two mathematical answers the same? A checker that reads what the texts mean, after the public
// one of the same name.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/json.h"
#include "math/expr.h"

namespace umf {

class ComputerAlgebra;

struct MathVerifyConfig {
  bool latex = true, plain = true;  // which kinds of candidates are looked for
  int boxed_match_priority = 50;    // lower goes first; -1: boxes have no rank of their own
  int float_rounding = 6;           // decimals that must agree
  int numeric_precision = 15;       // digits of a difference that count
  bool strict = true;               // names of symbols matter
  bool allow_set_relation_comp = false;
};

// From the object that the data sets carry; what is absent keeps its default. Throws Error, which
// begins with `where`, for an unknown key or a value out of range.
MathVerifyConfig parse_math_verify_config(const Json& config, const std::string& where);

// What was found in a text: the value of the first candidate that could be read, and the text of
// the first candidate that was tried.
struct MathAnswer {
  Expr value;                        // null: none could be read
  std::optional<std::string> text;   // as the reference shows it
  std::optional<std::string> meant;  // the same with terms that it would cut off

  bool empty() const { return !value && !text; }
  std::string reading() const;  // for people
};

MathAnswer find_answer(std::string_view text, const MathVerifyConfig& config = {});

struct MathVerdict {
  bool equal = false;
  std::string decided_by;  // "same text", "structure", "numbers", "sets", ...
};

// Not symmetric: the gold answer goes first. `algebra` is asked what our own mathematics leaves
// open, where it is given; without it, open means unequal.
MathVerdict verify_answer(const MathAnswer& gold, const MathAnswer& answer,
                          const MathVerifyConfig& config = {}, ComputerAlgebra* algebra = nullptr);

}  // namespace umf
