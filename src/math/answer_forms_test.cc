// Forms in which the same answer is written, and forms that only look the same. `gold` goes first.
#include <fmt/core.h>
#include <gtest/gtest.h>

#include "math/math_verify.h"

namespace umf {
namespace {

bool same(const std::string& gold, const std::string& answer) {
  return verify_answer(find_answer(gold), find_answer(answer)).equal;
}

std::string reading(const std::string& text) { return find_answer(text).reading(); }

TEST(AnswerForms, OverDividesTheWholeGroup) {
  EXPECT_EQ(reading("$15 \\over 4$"), "15/4");
  EXPECT_TRUE(same("$\\frac{15}{4}$", "$15 \\over 4$"));
  EXPECT_FALSE(same("$4$", "$15 \\over 4$"));
  EXPECT_TRUE(same("${15\\over 4}$", "$\\frac{15}{4}$"));
  EXPECT_TRUE(same("$\\frac{x+1}{4}$", "${x+1 \\over 4}$"));
  EXPECT_FALSE(same("$x+\\frac{1}{4}$", "${x+1 \\over 4}$"));
  EXPECT_TRUE(same("$1+\\frac{2x}{y}$", "$1+{2x \\over y}$"));
  EXPECT_TRUE(same("$\\sqrt{\\frac{3}{5}}$", "$\\sqrt{3 \\over 5}$"));
  EXPECT_TRUE(same("$x^{\\frac{2}{3}}$", "$x^{2 \\over 3}$"));
  EXPECT_TRUE(same("$(\\frac{1}{2}, 3)$", "$({1\\over 2}, 3)$"));
  EXPECT_TRUE(same("$\\frac{5}{7}$", "$x = {5 \\over 7}$"));
  EXPECT_TRUE(same("$|\\frac{a}{b}|$", "$|{a \\over b}|$"));
  EXPECT_FALSE(same("$5$", "$1 \\over 2 \\over 5$"));  // TeX refuses it, too
}

TEST(AnswerForms, AnArgumentWithoutBracesMayBeACommand) {
  EXPECT_TRUE(same("$\\frac{\\pi}{4} + 2 - \\sqrt{2}$", "$\\frac \\pi4 + 2 - \\sqrt2$"));
  EXPECT_TRUE(same("$\\frac{3}{\\pi}$", "$\\frac3\\pi$"));
  EXPECT_TRUE(same("$\\frac{3x}{\\pi}$", "$\\dfrac{3x}\\pi$"));
  EXPECT_TRUE(same("$\\sqrt{\\pi}$", "$\\sqrt\\pi$"));
  EXPECT_TRUE(same("$\\frac{\\sqrt{3}}{2}$", "$\\frac{\\sqrt3}2$"));
}

TEST(AnswerForms, ChooseIsABinomialWithAndWithoutBraces) {
  EXPECT_TRUE(same("$10$", "${5 \\choose 2}$"));
  EXPECT_TRUE(same("$10$", "$5 \\choose 2$"));
  EXPECT_FALSE(same("$2$", "$5 \\choose 2$"));
  EXPECT_TRUE(same("$\\binom{n}{k+1}$", "${n \\choose k+1}$"));
  EXPECT_TRUE(same("$\\binom{n+1}{k}$", "${n+1 \\choose k}$"));
  EXPECT_TRUE(same("$10$", "$\\left({5 \\atop 2}\\right)$"));
  EXPECT_FALSE(same("$2$", "${5 \\atop 2}$"));
  EXPECT_FALSE(same("$2$", "${5 \\brace 2}$"));
}

TEST(AnswerForms, AStyleDoesNotChangeAValue) {
  for (const char* style :
       {"\\mathbf", "\\mathrm", "\\text", "\\textbf", "\\textit", "\\textrm", "\\mathit", "\\mbox",
        "\\boldsymbol", "\\bm", "\\mathsf", "\\mathtt", "\\textnormal"}) {
    const auto styled = [&](const std::string& inside) {
      return fmt::format("${}{{{}}}$", style, inside);
    };
    EXPECT_TRUE(same("$\\frac{1}{2}$", styled("\\frac{1}{2}"))) << style;
    EXPECT_TRUE(same("$0.75$", styled("0.75"))) << style;
    EXPECT_TRUE(same("$3\\sqrt{2}$", styled("3\\sqrt{2}"))) << style;
    EXPECT_TRUE(same("$x=17$", styled("x=17"))) << style;
    EXPECT_FALSE(same("$\\frac{1}{2}$", styled("\\frac{1}{3}"))) << style;
    const std::string fraction = fmt::format("$\\frac{{{0}{{3}}}}{{{0}{{4}}}}$", style);
    EXPECT_TRUE(same("$\\frac{3}{4}$", fraction)) << style;
  }
  EXPECT_TRUE(same("$\\frac{1}{2}$", "${\\bf \\frac{1}{2}}$"));
  EXPECT_TRUE(same("$12$", "${\\rm 12}$"));
  EXPECT_TRUE(same("$12$", "$\\Large 12$"));
  EXPECT_TRUE(same("$12$", "\\boxed{\\color{blue}{12}}"));
  EXPECT_TRUE(same("$12$", "$12 \\quad\\checkmark$"));
  EXPECT_TRUE(same("$\\frac{1}{2}$", "$\\fbox{\\frac12}$"));
  EXPECT_TRUE(same("$\\frac{1}{2}$", "\\boxed{\\text{\\textbf{\\frac12}}}"));
  EXPECT_TRUE(same("$\\text{even}$", "$\\textbf{even}$"));
  EXPECT_FALSE(same("$\\text{A1}$", "$\\text{A}$"));
  EXPECT_TRUE(same("$7996912$", "$\\text{7 996 912}$"));
  EXPECT_FALSE(same("$\\text{12:30}$", "$\\text{2:5}$"));
}

TEST(AnswerForms, AUnitIsCutOffAndATermIsNot) {
  EXPECT_TRUE(same("$5$", "$5\\text{ cm}$"));
  EXPECT_TRUE(same("$5$", "$5\\,\\text{m}/\\text{s}^2$"));
  EXPECT_TRUE(same("$4$", "$4^{\\text{th}}$"));
  EXPECT_TRUE(same("$18$", "$18 \\rm{ cm}$"));
  EXPECT_TRUE(same("$18$", "$18 {\\rm cm}$"));
  EXPECT_TRUE(same("$5$", "The answer is $5\\text{ cm}.$"));
  EXPECT_TRUE(same("$5\\sqrt{2}$", "So it is $5\\sqrt{2}.$"));
  EXPECT_FALSE(same("$\\text{even}$", "$\\text{even}\\text{ or odd}$"));
  EXPECT_FALSE(same("$2\\mathbf{i}+3\\mathbf{j}$", "$2\\mathbf{i}+5\\mathbf{j}$"));
  EXPECT_TRUE(same("$2\\mathbf{i}+3\\mathbf{j}$", "$3\\mathbf{j}+2\\mathbf{i}$"));
  EXPECT_FALSE(same("$2$", "$2\\mathbf{i}+5\\mathbf{j}$"));
  EXPECT_FALSE(same("$3$", "$3+\\mathbf{\\frac{1}{2}}$"));
  EXPECT_TRUE(same("$\\frac{7}{2}$", "$3+\\mathbf{\\frac{1}{2}}$"));
  EXPECT_FALSE(same("$2$", "$2\\mathrm{e}$"));
  EXPECT_TRUE(same("$2e$", "$2\\mathrm{e}$"));
  EXPECT_TRUE(same("$3+4i$", "$3+4\\mathrm{i}$"));
  EXPECT_FALSE(same("$2$", "$2{\\bf v}$"));
  EXPECT_FALSE(same("$1$", "$1-\\frac{1}{\\mathrm{e}}$"));
  EXPECT_TRUE(same("$1-\\frac{1}{e}$", "$1-\\frac{1}{\\mathrm{e}}$"));
  EXPECT_FALSE(same("$1-\\frac{1}{\\mathrm{e}}$", "$1-\\frac{1}{\\mathrm{x}}$"));
}

TEST(AnswerForms, DigitGroupsMayBeSeparatedByEveryComma) {
  for (const char* separator :
       {",", "{,}", "{, }", "{ , }", " {,} ", ",\\!", "\\!,", "{,}\\!", ",\\! ", "{\\!,\\!}"}) {
    const std::string number = fmt::format("14{}916", separator);
    EXPECT_TRUE(same("$14916$", "$" + number + "$")) << separator;
    EXPECT_TRUE(same("$" + number + "$", "\\boxed{14916}")) << separator;
    EXPECT_FALSE(same("$14$", "$" + number + "$")) << separator;
  }
  EXPECT_FALSE(same("$14$", "$14{\\,}916$"));
  EXPECT_TRUE(same("$1234567.5$", "$1{,}234{,}567.5$"));
  EXPECT_TRUE(same("$14916$", "$x=14{,}916$"));
  EXPECT_TRUE(same("$14916\\pi$", "$14{,}916\\pi$"));
  EXPECT_TRUE(same("$(1000, 3)$", "$(1{,}000, 3)$"));
  EXPECT_TRUE(same("$14916$", "$14,\\!916\\text{ cm}$"));
  EXPECT_FALSE(same("$1491$", "$14{,}91$"));
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

TEST(AnswerForms, AGoldEquationStandsForItsValueWhereItsLeftSideIsMadeOfNames) {
  for (const char* left : {"|z|",
                           "\\sin A",
                           "\\binom{n}{k}",
                           "{n \\choose k}",
                           "\\lvert z\\rvert",
                           "\\cos\\theta",
                           "\\frac{\\sin A}{\\sin B}",
                           "\\sin A+\\cos B",
                           "|AB|=|CD|",
                           "\\sin A=\\cos B",
                           "\\lfloor x\\rfloor",
                           "\\lceil x\\rceil",
                           "\\max(a,b)",
                           "a^n",
                           "\\arcsin x",
                           "|x||y|",
                           "\\sinh x",
                           "e^x",
                           "\\{x\\}",
                           "f(x)",
                           "P(A)",
                           "AB",
                           "x+y",
                           "\\frac{a}{b}",
                           "n!"}) {
    const std::string gold = std::string("$") + left + " =3$";
    EXPECT_TRUE(same(gold, "$3$")) << left;
    EXPECT_FALSE(same(gold, "$4$")) << left;
    EXPECT_TRUE(same("$3$", gold)) << left;
  }
  EXPECT_TRUE(same("$\\sin A=\\frac12$", "$\\frac{1}{2}$"));
  EXPECT_TRUE(same("$|z|=|w|=2$", "$|z|=2$"));
  EXPECT_TRUE(same("$|z|=20, 16$", "$20, 16$"));
  // An equation to be solved does not stand for its right side.
  for (const char* left : {"2x", "x^2", "\\sqrt{x}", "\\frac{x}{2}", "x-y", "-x", "\\log x"}) {
    EXPECT_FALSE(same(std::string("$") + left + "=3$", "$3$")) << left;
  }
}

TEST(AnswerForms, OnlyMatchingBracketsGroup) {
  EXPECT_FALSE(same("$2(x-5)$", "$2[x-5)$"));
  EXPECT_FALSE(same("$2[x-5)$", "$2(x-5)$"));
  EXPECT_FALSE(same("$2$", "$2[x-5)$"));
  EXPECT_TRUE(same("$2(x-5)$", "$2[x-5]$"));
  EXPECT_TRUE(same("$2(x-5)$", "$2\\{x-5\\}$"));
  EXPECT_FALSE(same("$x(3]^2$", "$9x$"));
  EXPECT_TRUE(same("$1\\pm\\sqrt{2}$", "$(1\\pm\\sqrt{2})$"));
  EXPECT_FALSE(same("$1\\pm\\sqrt{2}$", "$(1\\pm\\sqrt{3})$"));
  EXPECT_FALSE(same("$(1,2,3)$", "$(1,2,3]$"));
  EXPECT_TRUE(same("$[1,2)$", "$\\left[1,2\\right)$"));
  EXPECT_FALSE(same("$[1,2)$", "$(1,2]$"));
}

TEST(AnswerForms, AFalseEquationIsNoAnswer) {
  EXPECT_FALSE(same("$7$", "\\boxed{8=7}"));
  EXPECT_FALSE(same("$7$", "\\boxed{3+5=7}"));
  EXPECT_FALSE(same("$7$", "$7.5=7$"));
  EXPECT_FALSE(same("$7, 3$", "$8=7, 3$"));
  EXPECT_FALSE(same("$\\sqrt{2}$", "$2=\\sqrt{2}$"));
  EXPECT_TRUE(same("$7$", "\\boxed{3+4=7}"));
  EXPECT_TRUE(same("$7$", "\\boxed{x=3+4=7}"));
  EXPECT_TRUE(same("$0.333$", "$\\frac{1}{3}=0.333$"));
  EXPECT_TRUE(same("$0.66$", "$\\frac{2}{3}=0.66$"));
  EXPECT_TRUE(same("$\\sqrt{2}$", "$\\sqrt{8}/2=\\sqrt{2}$"));
  EXPECT_TRUE(same("$67\\%$", "$\\frac{2}{3}=67\\%$"));
}

TEST(AnswerForms, WhatMayBeMeantOtherwiseIsNoFalseEquation) {
  EXPECT_TRUE(same("$6$", "$2(3)=6$"));
  EXPECT_TRUE(same("$5$", "$101_2=5$"));
  EXPECT_TRUE(same("$\\frac{\\pi}{6}$", "$30^\\circ=\\frac{\\pi}{6}$"));
  EXPECT_TRUE(same("$-2$", "$\\sqrt[3]{-8}=-2$"));
  EXPECT_TRUE(same("$1$", "$\\log e=1$"));
  EXPECT_TRUE(same("$-6$", "$-2(3)=-6$"));
  EXPECT_TRUE(same("$2$", "$7\\equiv 2$"));
  EXPECT_TRUE(same("$100$", "$\\$1=100$"));
  // A name that is given a value has the last one.
  EXPECT_TRUE(same("$x=7$", "$x=8=7$"));
}

TEST(AnswerForms, EquationsAreSolvedOverAllSigns) {
  EXPECT_FALSE(same("$x=|a|$", "$x=a$"));
  EXPECT_FALSE(same("$x=|a|x$", "$x=ax$"));
  EXPECT_FALSE(same("$x=\\sqrt{14}$", "$\\lfloor x\\rfloor=\\sqrt{14}$"));
  EXPECT_TRUE(same("$y=3x$", "$x=\\frac{y}{3}$"));
}

TEST(AnswerForms, ASymbolIsWhatSimplifiesToIt) {
  EXPECT_TRUE(same("$x$", "$2x-x$"));
  EXPECT_TRUE(same("$\\frac{x}{\\sqrt{1}}$", "$x$"));
  EXPECT_FALSE(same("$x$", "$|x|$"));
  EXPECT_FALSE(same("$\\text{even}$", "$\\text{odd}$"));
}

TEST(AnswerForms, ANumberInsideWhatIsNotUnderstoodIsNoAnswer) {
  EXPECT_FALSE(same("$6$", "$\\frac{1}{\\unknown 6}$"));
  EXPECT_FALSE(same("$4$", "$x \\unknown 4$"));
  EXPECT_FALSE(same("$3$", "$3+\\lfloor 3)$"));
  // But what such a text sets equal to a number is that number.
  EXPECT_TRUE(same("$5$", "$\\Pr(A) = 5$"));
  EXPECT_TRUE(same("$5$", "$\\deg f = 5$."));
  EXPECT_TRUE(same("$5$", "The final answer is: $\\deg f=5$. I hope it is correct."));
  EXPECT_FALSE(same("$2$", "\\boxed{5 \\brace 2}"));
  EXPECT_TRUE(same("$7$", "\\boxed{\\unknown} so there are 7 in \\emph{all}"));
  // Amounts of money are no LaTeX.
  EXPECT_TRUE(same("$15$", "That is $5 (or so) for each of 3, in all $15."));
}

}  // namespace
}  // namespace umf
