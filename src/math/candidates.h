// Where in a model's text an answer may stand, best place first.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "math/math_verify.h"

namespace umf {

struct AnswerCandidate {
  std::size_t begin = 0, end = 0;  // of the match, announcing words included
  std::size_t value_begin = 0;     // plain: of the number or expression alone
  // LaTeX: the contents of up to six environments in a row, each maybe followed by a percent sign.
  struct Environment {
    std::string latex;
    std::size_t begin = 0;  // of `latex` in the text
    bool percent = false, bare_box = false;
  };
  std::vector<Environment> environments;
  // Plain: a number with its separators gone, or an expression.
  std::string number, expression;
  bool percent = false;
};

// All candidates of one rank, in the order in which they are tried: those that end last go first,
// of those the longest.
using CandidateGroup = std::vector<AnswerCandidate>;

// The groups that have candidates, best rank first. Lazy callers take the groups one by one.
class CandidateFinder {
 public:
  CandidateFinder(std::string_view text, const MathVerifyConfig& config);
  // The next group with candidates; empty at the end.
  CandidateGroup next();

 private:
  std::string_view text_;
  std::vector<std::pair<int, int>> ranks_;  // (priority, index of the pattern), sorted
  std::size_t at_ = 0;
};

}  // namespace umf
