#include "tokenizer/regex.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "tokenizer/regex_dialect.h"

namespace umf {
namespace {

using ::testing::HasSubstr;

std::string error_of(const std::string& pattern, const std::string& text = "") {
  try {
    Regex::Match match{};
    Regex(pattern, "file").find(text, 0, match);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

std::string first_match(const std::string& pattern, const std::string& text) {
  Regex::Match match{};
  return Regex(pattern, "file").find(text, 0, match)
             ? text.substr(match.begin, match.end - match.begin)
             : "(none)";
}

TEST(RegexDialect, RewritesWhatTheEnginesReadDifferently) {
  EXPECT_EQ(to_pcre2(R"([^\s\p{L}]+\S)"), R"([^\p{White_Space}\p{L}]+\P{White_Space})");
  EXPECT_EQ(to_pcre2(R"(\p{Han}\u4e00)"), R"(\p{sc:Han}\x{4e00})");
  EXPECT_EQ(to_pcre2(R"((?i)'s|\p{N}{1,3}|a++)"), R"((?i)'s|\p{N}{1,3}|a++)");
}

TEST(RegexDialect, RefusesWhatCannotBeRewritten) {
  for (const char* pattern :
       {"^a",      "a$",    R"(\w)",       R"(\b)",   R"(\h)",     R"(\v)",   R"(\X)",
        R"(\C)",   R"(\K)", R"(\1)",       R"(\pL)",  R"(\p{^L})", R"(\xff)", "[a[b]]",
        "[a&&b]",  "[]a]",  "[[:alpha:]]", "a{2}+",   "a{2}?",     "a{,2}",   "a{",
        "(?<n>a)", "(?R)",  "(?C1)",       "(*UTF)a", "a(?i)b",    "(?m:a)",  "(?#x)"}) {
    EXPECT_THAT(error_of(pattern), HasSubstr("is not supported")) << pattern;
  }
  EXPECT_THAT(error_of("[a"), HasSubstr("not closed"));
}

TEST(Regex, ClassesAreThoseOfUnicode) {
  EXPECT_EQ(first_match(R"(\s+)", "a\u00A0\u3000\u0085b"), "\u00A0\u3000\u0085");
  EXPECT_EQ(first_match(R"(\s+)", "a\u180E\u200Bb"), "(none)");
  EXPECT_EQ(first_match(R"(\p{L}+)", "1Жя你\u0301"), "Жя你");
  EXPECT_EQ(first_match(R"(\p{N}+)", "a½Ⅷ٣b"), "½Ⅷ٣");
  EXPECT_EQ(first_match(R"((?i:'s))", "x'\u017F"), "'\u017F");
}

TEST(Regex, SaysWhereItDoesNotCompile) {
  EXPECT_THAT(error_of("(a"), HasSubstr("file: regex \"(a\" does not compile: missing closing"));
  EXPECT_THAT(error_of(R"(\p{Klingon})"), HasSubstr("does not compile"));
  EXPECT_THAT(error_of(std::string(20000, 'a')), HasSubstr("longer than"));
  EXPECT_THAT(error_of("(?:(?:a{999}){999}){999}"), HasSubstr("does not compile"));
  EXPECT_THAT(error_of(std::string(5000, '(') + std::string(5000, ')')),
              HasSubstr("does not compile"));
}

TEST(Regex, HostilePatternGivesUpInsteadOfHanging) {
  EXPECT_THAT(error_of("(?:a|a)+(?!.)", std::string(200, 'a') + "b"),
              HasSubstr("the regex gave up"));
  EXPECT_THAT(error_of("(?:(?:a+)+)+(?!.)", std::string(200, 'a') + "b"), HasSubstr("gave up"));
  // Deep but harmless: each round of the group takes some of the matcher's stack.
  const std::string deep = error_of("(?:a|b)*c", std::string(4 << 20, 'a') + "d");
  EXPECT_TRUE(deep.empty() || deep.find("gave up") != std::string::npos) << deep;
}

}  // namespace
}  // namespace umf
