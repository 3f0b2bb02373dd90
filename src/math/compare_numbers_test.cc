#include "math/compare_numbers.h"

#include <gtest/gtest.h>

#include "math/exact.h"
#include "math/latex_parser.h"
#include "math/matrix.h"
#include "math/real_sets.h"

namespace umf {
namespace {

Expr e(const char* latex) { return parse_latex(latex); }

Truth identical(const char* a, const char* b) {
  Work work(400'000);
  return identically_equal(e(a), e(b), work);
}

TEST(Exact, RationalArithmeticIsDoneExactly) {
  EXPECT_EQ(exact_value(e("\\frac{1}{3}+\\frac{1}{6}")), mpq_class(1, 2));
  EXPECT_EQ(exact_value(e("2^{-3}\\cdot 4!")), mpq_class(3));
  EXPECT_EQ(exact_value(e("\\sqrt{\\frac{9}{4}}")), mpq_class(3, 2));
  EXPECT_EQ(exact_value(e("\\log_2 \\frac{1}{8}")), mpq_class(-3));
  EXPECT_EQ(exact_value(e("\\lfloor -\\frac{7}{2} \\rfloor")), mpq_class(-4));
  EXPECT_EQ(exact_value(e("-7 \\mod 3")), mpq_class(2));
  EXPECT_EQ(exact_value(e("0^0")), mpq_class(1));
}

TEST(Exact, WhatIsIrrationalOrHugeHasNoExactValue) {
  for (const char* latex :
       {"\\sqrt{2}", "x", "0.5", "2^{100000}", "3000!", "0^{-1}", "9^{9^{9}}"}) {
    EXPECT_EQ(exact_value(e(latex)), std::nullopt) << latex;
  }
}

TEST(CompareValues, OrdersConstantsAndInfinities) {
  EXPECT_EQ(compare_values(e("\\pi"), e("\\frac{22}{7}")), -1);
  EXPECT_EQ(compare_values(e("\\sqrt{8}"), e("2\\sqrt{2}")), 0);
  EXPECT_EQ(compare_values(e("\\infty"), e("10^{9}")), 1);
  EXPECT_EQ(compare_values(e("-\\infty"), e("\\infty")), -1);
  EXPECT_EQ(compare_values(e("x"), e("1")), std::nullopt);
  EXPECT_EQ(compare_values(e("\\sqrt{-1}"), e("1")), std::nullopt);
}

TEST(IdenticallyEqual, HoldsForIdentitiesAndOnlyThose) {
  EXPECT_EQ(identical("\\sin^2 x+\\cos^2 x", "1"), Truth::kYes);
  EXPECT_EQ(identical("\\sqrt{2}+\\sqrt{3}", "\\sqrt{5+2\\sqrt{6}}"), Truth::kYes);
  EXPECT_EQ(identical("e^{-1000}", "0"), Truth::kNo);
  EXPECT_EQ(identical("e^{1000}", "e^{1000}+1"), Truth::kNo);
  EXPECT_EQ(identical("\\sqrt{x^2}", "x"), Truth::kNo);
  EXPECT_EQ(identical("\\sqrt{x^2}", "|x|"), Truth::kYes);
  EXPECT_EQ(identical("\\ln(xy)", "\\ln x+\\ln y"), Truth::kNo);
  EXPECT_EQ(identical("0.1x", "\\frac{x}{10}"), Truth::kYes);
  EXPECT_EQ(identical("\\pi x", "3.141593x"), Truth::kNo);
  EXPECT_EQ(identical("\\frac{d}{dx}\\sin x", "\\cos x"), Truth::kYes);
  EXPECT_EQ(identical("\\int_0^1 x^3 dx", "\\frac{1}{4}"), Truth::kYes);
  EXPECT_EQ(identical("\\sum_{k=1}^{\\infty} k", "1"), Truth::kUnknown);
  EXPECT_EQ(identical("\\infty", "1"), Truth::kUnknown);
}

TEST(Solutions, AreComparedUpToFactors) {
  Work work(400'000);
  EXPECT_EQ(proportional(e("2x+4y-6"), e("3-x-2y"), work), Truth::kYes);
  EXPECT_EQ(proportional(e("x^2+2x+1"), e("x+1"), work), Truth::kNo);
  EXPECT_EQ(same_linear_root(e("y-\\frac{1}{x}"), e("xy-1"), "$y", work), Truth::kYes);
  EXPECT_EQ(same_linear_root(e("y-x^2"), e("y+x^2"), "$y", work), Truth::kNo);
  EXPECT_EQ(same_linear_root(e("y^2-x"), e("y-x"), "$y", work), Truth::kUnknown);
}

bool same_set(const char* a, const char* b) { return same_real_set(e(a), e(b)).value(); }

TEST(RealSets, AreTheSameWhenTheyHoldTheSameNumbers) {
  EXPECT_TRUE(same_set("[0,2]\\cup[1,3]", "[0,3]"));
  EXPECT_TRUE(same_set("(0,2)\\setminus\\{1\\}", "(0,1)\\cup(1,2)"));
  EXPECT_TRUE(same_set("(0,2]\\cap[2,3)", "\\{2\\}"));
  EXPECT_TRUE(same_set("(0,1)\\cap(1,2)", "\\emptyset"));
  EXPECT_TRUE(same_set("\\mathbb{R}", "(-\\infty,\\infty)"));
  EXPECT_FALSE(same_set("(0,1)\\cup(1,2)", "(0,2)"));
  EXPECT_FALSE(same_set("[0,1)", "[0,1]"));
  EXPECT_EQ(same_real_set(e("[a,b]"), e("[0,1]")), std::nullopt);
  EXPECT_EQ(same_real_set(e("\\mathbb{Z}"), e("[0,1]")), std::nullopt);
}

bool solves(const char* relation, const char* set) {
  Work work(400'000);
  const Expr solutions = solution_set(e(relation), work);
  return solutions && same_real_set(solutions, e(set)).value_or(false);
}

TEST(RealSets, RelationsInOneUnknownAreSolved) {
  EXPECT_TRUE(solves("2x+1 < 5", "(-\\infty,2)"));
  EXPECT_TRUE(solves("5 - x \\le 3", "[2,\\infty)"));
  EXPECT_TRUE(solves("x^2 - x - 2 > 0", "(-\\infty,-1)\\cup(2,\\infty)"));
  EXPECT_TRUE(solves("x^2 \\le 2", "[-\\sqrt{2},\\sqrt{2}]"));
  EXPECT_TRUE(solves("-x^2+4 > 0", "(-2,2)"));
  EXPECT_TRUE(solves("x^2 \\le 0", "\\{0\\}"));
  EXPECT_TRUE(solves("x^2 > 0", "\\mathbb{R}\\setminus\\{0\\}"));
  EXPECT_TRUE(solves("x^2 + 1 > 0", "\\mathbb{R}"));
  EXPECT_TRUE(solves("x^2 = 9", "\\{-3,3\\}"));
  EXPECT_TRUE(solves("0 < f(x) < 1", "(0,1)"));
  EXPECT_TRUE(solves("|x-1| < 2", "(-1,3)"));
  EXPECT_TRUE(solves("3 \\le |x|", "(-\\infty,-3]\\cup[3,\\infty)"));
  EXPECT_FALSE(solves("\\sin x > 0", "(0,1)"));
}

TEST(Matrix, SumsProductsPowersAndTranspositionsAreDone) {
  const auto text = [](const char* latex) { return to_text(as_matrix(e(latex))); };
  EXPECT_EQ(text("\\begin{pmatrix}1&2\\\\3&4\\end{pmatrix}^2"), "Matrix([[7, 10], [15, 22]])");
  EXPECT_EQ(text("\\begin{pmatrix}1&2\\end{pmatrix}^T"), "Matrix([[1], [2]])");
  EXPECT_EQ(text("\\begin{pmatrix}1\\end{pmatrix}-\\begin{pmatrix}3\\end{pmatrix}"),
            "Matrix([[-2]])");
  EXPECT_EQ(as_matrix(e("\\begin{pmatrix}1&2\\end{pmatrix}+\\begin{pmatrix}3\\end{pmatrix}")),
            nullptr);
  EXPECT_EQ(text("\\begin{pmatrix}1&2\\\\3&4\\end{pmatrix}^{-1}"),
            "Matrix([[-2, 1], [3/2, -1/2]])");
  EXPECT_EQ(as_matrix(e("\\begin{pmatrix}1&2\\\\2&4\\end{pmatrix}^{-1}")), nullptr);
  EXPECT_EQ(to_text(determinant(e("\\begin{pmatrix}2&0&1\\\\1&3&0\\\\0&1&1\\end{pmatrix}"))), "7");
}

}  // namespace
}  // namespace umf
