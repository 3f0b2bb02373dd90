#include "math/latex_parser.h"

#include <gtest/gtest.h>

#include "math/latex_lexer.h"
#include "math/latex_normal.h"
#include "math/text.h"

namespace umf {
namespace {

std::string read(const std::string& latex) { return to_text(parse_latex(latex)); }

TEST(LatexParser, ProductsBindTighterThanASlash) {
  EXPECT_EQ(read("1/2x"), "1/(2*x)");
  EXPECT_EQ(read("a \\cdot b/c"), "a*b/c");
  EXPECT_EQ(read("2^3^2"), "(2**3)**2");
  EXPECT_EQ(read("-x^2"), "-x**2");
  EXPECT_EQ(read("x^23"), "x**23");
}

TEST(LatexParser, AWholeNumberBeforeAFractionIsAMixedNumber) {
  EXPECT_EQ(read("2\\frac{1}{3}"), "7/3");
  EXPECT_EQ(read("-2\\frac{1}{3}"), "-7/3");
  EXPECT_EQ(read("3(2)"), "5");
  EXPECT_EQ(read("10 000"), "10*0");
  EXPECT_EQ(read("2\\frac{1}{3}x"), "2*x/3");
}

TEST(LatexParser, NumbersWithSeparatorsStandAlone) {
  EXPECT_EQ(read("1,234,567"), "1234567");
  EXPECT_EQ(read("-1,000.5"), "-1000.5");
  EXPECT_EQ(read("0,111"), "0.111");
  EXPECT_EQ(read("12,34"), "{12, 34}");
  EXPECT_EQ(read("x=1,000"), "x = {1, 0}");
  EXPECT_EQ(read("101_2"), "101");
  EXPECT_EQ(read("1E3"), "1000.0");
}

TEST(LatexParser, InfixCommandsTakeAllOfTheirGroup) {
  EXPECT_EQ(read("15 \\over 4"), "15/4");
  EXPECT_EQ(read("1+{x+1 \\over 2y}"), "1 + (x + 1)/(2*y)");
  EXPECT_EQ(read("-b \\pm c \\over 2"), "{(-b + c)/2, (-b - c)/2}");
  EXPECT_EQ(read("5 \\choose 2"), "10");
  EXPECT_EQ(read("\\overline{AB}"), "bar{ab}");
}

TEST(LatexParser, StylesAroundMathematicsAreDropped) {
  EXPECT_EQ(read("\\text{\\frac{1}{2}}"), "1/2");
  EXPECT_EQ(read("\\mathbf{x=3}"), "x = 3");
  EXPECT_EQ(read("{\\bf 3x}"), "3*x");
  EXPECT_EQ(read("\\textbf{even}"), "even");
  EXPECT_EQ(read("\\text{H2}"), "h2");
  EXPECT_EQ(read("\\text{12:30}"), "12:30");
}

TEST(LatexParser, CharactersOfSeveralBytesMakeWords) {
  for (const char byte : std::string("\xC3\xA9\xE2\x82\xAC")) EXPECT_TRUE(is_word(byte));
  EXPECT_TRUE(is_mathematics("x = 2"));
  EXPECT_FALSE(is_mathematics("\xC3\xA9 = 2"));
}

TEST(LatexParser, LettersAreSymbolsAndConstants) {
  EXPECT_EQ(read("eE"), "E*e");
  EXPECT_EQ(read("iI"), "i*I");
  EXPECT_EQ(read("X_{12}"), "x_{12}");
  EXPECT_EQ(read("x_{1}"), "x_1");
  EXPECT_EQ(read("\\text{No (way)}"), "noway");
  EXPECT_EQ(read("\\overline{AB}"), "bar{ab}");
  EXPECT_EQ(read("\\quadx"), "x");
  EXPECT_EQ(read("7\\pmod 3"), "{7 + o*d*3, 7 - o*d*3}");
}

TEST(LatexParser, SignsOfComplexNumbersMakeComplexSymbols) {
  EXPECT_TRUE(parse_latex("2i")->args[1]->is_real);
  EXPECT_FALSE(parse_latex("2 i")->args[1]->is_real);
  EXPECT_FALSE(parse_latex("x + i")->args[0]->is_real);
}

TEST(LatexParser, FunctionsTakeTheProductThatFollows) {
  EXPECT_EQ(read("\\sin 2x\\cos x"), "sin(2*x)*cos(x)");
  EXPECT_EQ(read("\\sin(2x)y"), "sin(2*x)*y");
  EXPECT_EQ(read("\\sin^2 x"), "sin(x)**2");
  EXPECT_EQ(read("\\sin^{-1} x"), "asin(x)");
  EXPECT_EQ(read("\\log_{2}{8}"), "log(8, 2)");
  EXPECT_EQ(read("\\log x + 1"), "log(x, 10) + 1");
  EXPECT_EQ(read("f(x)"), "f(x)");
  EXPECT_EQ(read("f(x+1)"), "f*(x + 1)");
  EXPECT_EQ(read("g(x,y)"), "g(x, y)");
}

TEST(LatexParser, BracketsAreIntervalsTuplesAndGroups) {
  EXPECT_EQ(read("(1,2)"), "Interval.open(1, 2)");
  EXPECT_EQ(read("[1,2)"), "Interval.Ropen(1, 2)");
  EXPECT_EQ(read("(2,1)"), "(2, 1)");
  EXPECT_EQ(read("(3,\\frac{\\pi}{2})"), "(3, pi/2)");
  EXPECT_EQ(read("(1,2,3)"), "(1, 2, 3)");
  EXPECT_EQ(read("(1;2)"), "(1, 2)");
  EXPECT_EQ(read("{1,3}"), "{1, 3}");
  EXPECT_EQ(read("\\{\\}"), "{}");
  EXPECT_EQ(read("|x|y|z|"), "Abs(x)*y*Abs(z)");
  EXPECT_EQ(read("2\\{x-5\\}"), "2*(x - 5)");
}

TEST(LatexParser, RelationsAndListsCombine) {
  EXPECT_EQ(read("1<x\\le 2"), "And(1 < x, x <= 2)");
  EXPECT_EQ(read("x=1, 2"), "x = {1, 2}");
  EXPECT_EQ(read("x=1, y=2"), "{x = 1, y = 2}");
  EXPECT_EQ(read("(x,y)=(1,2)"), "(x, y) = Interval.open(1, 2)");
  EXPECT_EQ(read("x=\\pm 3"), "x = {-3, 3}");
  EXPECT_EQ(read("x \\approx 3"), "3");
  EXPECT_EQ(read("\\pi \\approx 3"), "pi");
  EXPECT_EQ(read("x \\notin \\{1\\}"), "Not(x = {1})");
  EXPECT_EQ(read("1,2;3,4"), "{(1, 2), (3, 4)}");
  EXPECT_EQ(read("1 = \\zzz = x = 0"), "0");
}

TEST(LatexParser, QuotientsOfIntegersAreReduced) {
  EXPECT_EQ(read("\\frac{2}{4}"), "1/2");
  EXPECT_EQ(read("\\frac{1}{0}"), "zoo");
  EXPECT_EQ(read("\\frac{0}{0}"), "nan");
  EXPECT_EQ(read("\\binom{5}{2}"), "10");
  EXPECT_EQ(read("\\gcd(4,6)"), "2");
  EXPECT_EQ(read("\\begin{vmatrix}1&2\\\\3&4\\end{vmatrix}"), "-2");
}

TEST(LatexParser, SumsIntegralsLimitsAndDerivativesAreKept) {
  EXPECT_EQ(read("\\sum_{k=1}^{3} k"), "Sum(k, k, 1, 3)");
  EXPECT_EQ(read("\\int_0^1 x dx"), "Integral(x, x, 0, 1)");
  EXPECT_EQ(read("\\lim_{x\\to 0} x"), "Limit(x, x, 0)");
  EXPECT_EQ(read("\\frac{d}{dx} x^2"), "Derivative(x**2, x)");
}

TEST(LatexParser, WhatIsNotUnderstoodIsRefused) {
  for (const char* latex : {"",
                            "\\dots",
                            "z^*",
                            "A \\cup B",
                            "\\det(A)",
                            "\\begin{cases}1\\end{cases}",
                            "(1",
                            "1+",
                            "\\min\\{1,2\\}",
                            "\\binom52",
                            "\\frac{1",
                            "x^",
                            "1..2",
                            "\\begin{pmatrix}1&2\\\\3\\end{pmatrix}",
                            "\\int x",
                            "\\sum k",
                            "|x",
                            "1,",
                            "=",
                            "\\text",
                            "2[x-5)",
                            "(1,2,3]",
                            "{5 \\atop 2}",
                            "1 \\over 2 \\over 3",
                            "\\overset{a}{b}"}) {
    EXPECT_THROW(parse_latex(latex), NotUnderstood) << latex;
  }
}

std::string normal(const std::string& latex) { return normal_latex(latex, Boxes::kAll); }

TEST(LatexNormal, ShorthandIsWrittenOut) {
  EXPECT_EQ(normal("\\dfrac12"), "\\frac{1}{2}");
  EXPECT_EQ(normal("\\frac1{72}"), "\\frac{1}{72}");
  EXPECT_EQ(normal("\\sqrt xy"), "\\sqrt{x}y");
  EXPECT_EQ(normal("\\log_2 8"), "\\log_{2}{8}");
  EXPECT_EQ(normal("2/4"), "\\frac{2}{4}");
  EXPECT_EQ(normal(".5"), "\\frac{1}{2}");
  EXPECT_EQ(normal("x^(n+1)"), "x^{n+1}");
  EXPECT_EQ(normal("\\left(1, 2\\right]"), "(1, 2]");
}

TEST(LatexNormal, WordsBecomeSigns) {
  EXPECT_EQ(normal("1 \\text{ and } 2"), "1, 2");
  EXPECT_EQ(normal("19, 46, and 82"), "19, 46, 82");
  EXPECT_EQ(normal("50 percent"), "50\\%");
  EXPECT_EQ(normal("(0, infinity)"), "(0, \\infty)");
  EXPECT_EQ(normal("1,2,3,\\ldots"), "1,2,3");
  EXPECT_EQ(normal("\\mathbf{v}"), "\\text{v}");
  EXPECT_EQ(normal("11,\\! 111"), "11,111");
}

TEST(LatexNormal, UnitsAreCutOff) {
  EXPECT_EQ(normal("5\\text{ cm}"), "5");
  EXPECT_EQ(normal("15\\mbox{ cm}^2"), "15");
  EXPECT_EQ(normal("5 cm"), "5");
  EXPECT_EQ(normal("3 apples"), "3");
  EXPECT_EQ(normal("\\text{12 hours}"), "\\text{12 hours}");
  EXPECT_EQ(normal("1 - \\frac{1}{\\mathrm{e}}"), "1 - \\frac{1}{");
}

TEST(LatexNormal, WhatIsMeantKeepsItsTerms) {
  const auto meant = [](const std::string& latex) { return meant_latex(latex, Boxes::kAll); };
  EXPECT_EQ(meant("1 - \\frac{1}{\\mathrm{e}}"), "1 - \\frac{1}{e}");
  EXPECT_EQ(meant("2\\mathbf{i}+3\\mathbf{j}"), "2\\boldsymbol{i}+3\\boldsymbol{j}");
  EXPECT_EQ(meant("5\\text{ m}/\\text{s}^2"), "5");
  EXPECT_EQ(meant("x=14{, }916,\\!007"), "x=14916007");
  EXPECT_EQ(meant("\\frac\\pi4."), "\\frac{\\pi}{4}");
  EXPECT_EQ(meant("1,234"), "1,234");
}

TEST(LatexNormal, BoxesNearTheLastBelongToIt) {
  EXPECT_EQ(boxed_content("\\boxed{1} and \\boxed{2}", Boxes::kLast), "1,2");
  EXPECT_EQ(boxed_content("\\boxed{1} no no no no no \\boxed{2}", Boxes::kLast), "2");
  EXPECT_EQ(boxed_content("\\boxed{1} no no no no no \\boxed{2}", Boxes::kAll), "1,2");
  EXPECT_EQ(boxed_content("\\boxed{\\frac{1}{2}} rest", Boxes::kLast), "\\frac{1}{2}");
  EXPECT_EQ(boxed_content("\\boxed{\\boxed{7}}", Boxes::kLast), "7");
  EXPECT_EQ(boxed_content("a \\boxed{1 + 2", Boxes::kLast), "{1 + 2");
  EXPECT_EQ(boxed_content("a \\boxed 12", Boxes::kLast), " 12");
  EXPECT_EQ(boxed_content("no box", Boxes::kLast), "no box");
}

}  // namespace
}  // namespace umf
