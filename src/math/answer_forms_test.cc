// Forms in which the same answer is written, and forms that only look the same. `gold` goes first.
#include <gtest/gtest.h>

#include "math/math_verify.h"

namespace umf {
namespace {

bool same(const std::string& gold, const std::string& answer) {
  return verify_answer(find_answer(gold), find_answer(answer)).equal;
}

TEST(AnswerForms, MembersOfAListAreFoundInAnyOrder) {
  EXPECT_TRUE(same("$-x^2+2x, 3x$", "$x(2-x), 3x$"));
  EXPECT_TRUE(same("$\\{(x+1)^2, \\frac{1}{x}, |x|\\}$", "$|x|, x^2+2x+1, x^{-1}$"));
  EXPECT_TRUE(same("$0.5a, 2, -a(a-2)$", "$2a-a^2, \\frac{a}{2}, \\sqrt{4}$"));
  EXPECT_TRUE(same("$(x+1)^2, y$", "$y, x^2+2x+1$"));
  EXPECT_FALSE(same("$-x^2+2x, 3x$", "$x(2-x), 2x$"));
  EXPECT_FALSE(same("$x^2, x$", "$x, x$"));
  EXPECT_FALSE(same("$x+x, y$", "$2x, x+x$"));
  EXPECT_TRUE(same("$(-x^2+2x, 3x, 1)$", "$(x(2-x), 3x, 1)$"));
  EXPECT_FALSE(same("$(-x^2+2x, 3x, 1)$", "$(3x, x(2-x), 1)$"));
}

TEST(AnswerForms, EquationsAreSolvedOverAllSigns) {
  EXPECT_FALSE(same("$x=|a|$", "$x=a$"));
  EXPECT_FALSE(same("$x=|a|x$", "$x=ax$"));
  EXPECT_FALSE(same("$x=\\sqrt{14}$", "$\\lfloor x\\rfloor=\\sqrt{14}$"));
  EXPECT_TRUE(same("$y=3x$", "$x=\\frac{y}{3}$"));
}

}  // namespace
}  // namespace umf
