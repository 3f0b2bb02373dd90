#include "cli/authors.h"

#include <gtest/gtest.h>

namespace umf {
namespace {

const std::vector<std::string> kNames = {"llada", "dream", "diffcoder"};
const std::vector<AuthoredText> kPieces = {
    {"def f(xs):\n    ", 0}, {"xs = ", 2}, {"xs[1:]\n", 0}, {"    return xs", 2}};

// Not a terminal: no colours.
class PlainPaint : public testing::Test {
 protected:
  std::FILE* file_ = std::tmpfile();
  Paint paint_{file_};
  ~PlainPaint() override { std::fclose(file_); }
};

TEST_F(PlainPaint, LegendGivesSharesOfWhatCanBeSeen) {
  EXPECT_EQ(authors_legend(kPieces, kNames, paint_), "A llada 58 %   C diffcoder 42 %");
}

TEST_F(PlainPaint, EachLineHasTheLettersOfItsAuthors) {
  EXPECT_EQ(lettered_answer(kPieces, paint_),
            "  A   def f(xs):\n"
            "  AC      xs = xs[1:]\n"
            "  C       return xs\n");
}

TEST_F(PlainPaint, EmptyLinesStayAndALastNewlineAddsNone) {
  EXPECT_EQ(lettered_answer({{"a\n\nb\n", 1}}, paint_), "  B  a\n     \n  B  b\n");
  EXPECT_EQ(lettered_answer({}, paint_), "");
}

TEST_F(PlainPaint, AnAnswerCannotCommandTheTerminal) {
  EXPECT_EQ(coloured_answer({{"a\x1b[2Jb", 0}}, paint_), "a\xEF\xBF\xBD[2Jb");
}

}  // namespace
}  // namespace umf
