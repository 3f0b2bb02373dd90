#include "tokenizer/pretokenizer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace umf {
namespace {

using ::testing::ElementsAre;

TEST(Pretokenizer, KeepsMatchesAndWhatLiesBetween) {
  const Pretokenizer cutter({{R"(\p{N})", false}}, "file");
  EXPECT_THAT(cutter.cut("ab12c", false), ElementsAre("ab", "1", "2", "c"));
  EXPECT_THAT(cutter.cut("", false), ElementsAre());
}

TEST(Pretokenizer, EachRuleCutsThePiecesOfTheOneBefore) {
  const Pretokenizer cutter({{R"(\p{N}+)", false}, {"b(?!.)", false}}, "file");
  // "b" ends its piece, not the text: a rule sees only its piece.
  EXPECT_THAT(cutter.cut("ab12b", false), ElementsAre("a", "b", "12", "b"));
}

TEST(Pretokenizer, DropsGapsOnlyWhenTheRuleAndTheCallerAgree) {
  const Pretokenizer cutter({{R"(\p{L}+)", true}}, "file");
  EXPECT_THAT(cutter.cut("ab, c!", false), ElementsAre("ab", "c"));
  EXPECT_THAT(cutter.cut("ab, c!", true), ElementsAre("ab", ", ", "c", "!"));
}

TEST(Pretokenizer, EmptyMatchesCutAndDoNotHang) {
  EXPECT_THAT(Pretokenizer({{"x*", false}}, "file").cut("aäxxb", true),
              ElementsAre("a", "ä", "xx", "b"));
  EXPECT_THAT(Pretokenizer({{"(?=b)", false}}, "file").cut("abab", true),
              ElementsAre("a", "ba", "b"));
}

}  // namespace
}  // namespace umf
