#include "tokenizer/utf8.h"

#include <gtest/gtest.h>

#include "tokenizer/tokenizer.h"

namespace umf {
namespace {

const std::string kMark = "\xEF\xBF\xBD";

TEST(Utf8, ReplacesEachLongestBrokenBeginningByOneMark) {
  EXPECT_EQ(to_valid_utf8("plain äß"), "plain äß");
  EXPECT_EQ(to_valid_utf8("a\x80z"), "a" + kMark + "z");
  EXPECT_EQ(to_valid_utf8("\xE2\x82"), kMark);  // cut off
  EXPECT_EQ(to_valid_utf8("\xF0\x9F\x98"
                          "a"),
            kMark + "a");                                           // cut off by a letter
  EXPECT_EQ(to_valid_utf8("\xC0\xAF"), kMark + kMark);              // overlong
  EXPECT_EQ(to_valid_utf8("\xED\xA0\x80"), kMark + kMark + kMark);  // a surrogate
  EXPECT_EQ(to_valid_utf8("\xF4\x90\x80\x80"), kMark + kMark + kMark + kMark);  // past U+10FFFF
  EXPECT_EQ(to_valid_utf8("\xE1\x80\xE2\xF0\x91\x92\xF1\xBF"
                          "A"),
            kMark + kMark + kMark + kMark + "A");
}

TEST(Utf8, ReadsTheFirstAndLastCharacterOfEachLength) {
  const auto code = [](std::string_view text) { return utf8_char(text, 0).code; };
  EXPECT_EQ(code("\x7F"), 0x7F);
  EXPECT_EQ(code("\xC2\x80"), 0x80);
  EXPECT_EQ(code("\xDF\xBF"), 0x7FF);
  EXPECT_EQ(code("\xE0\xA0\x80"), 0x800);
  EXPECT_EQ(code("\xEF\xBF\xBF"), 0xFFFF);
  EXPECT_EQ(code("\xF0\x90\x80\x80"), 0x10000);
  EXPECT_EQ(code("\xF4\x8F\xBF\xBF"), 0x10FFFF);
}

TEST(Utf8, ExcerptIsOneShortLine) {
  EXPECT_EQ(excerpt("a\nb\x7F\xFF"), "a\\x0Ab\\x7F" + kMark);
  EXPECT_EQ(excerpt(std::string(100, 'x'), 4), "xxxx...");
}

}  // namespace
}  // namespace umf
