#include <gmock/gmock.h>

#include "math/boxed.h"
#include "math/math_testing.h"
#include "math/rules_hendrycks.h"
#include "math/rules_opencompass.h"
#include "math/rules_repair.h"

namespace umf {
namespace {

TEST(Boxed, TheLastBoxCountsByItsBraces) {
  EXPECT_EQ(last_boxed("first \\boxed{1}, then $\\boxed{\\frac{1}{2}}$."), "\\frac{1}{2}");
  EXPECT_EQ(last_boxed("\\fbox{7}"), "7");
  EXPECT_EQ(last_boxed("$\\boxed 5$ apples"), "5");
  EXPECT_EQ(last_boxed("\\boxed{never closed"), std::nullopt);
  EXPECT_EQ(last_boxed("\\boxed"), std::nullopt);
  EXPECT_EQ(last_boxed("none"), std::nullopt);
}

TEST(Hendrycks, NormalFormsFollowTheRules) {
  EXPECT_EQ(hendrycks_normal_form("x = \\tfrac 12"), "\\frac{1}{2}");
  EXPECT_EQ(hendrycks_normal_form("\\dfrac1{72}"), "\\frac{1}{72}");
  EXPECT_EQ(hendrycks_normal_form(".5"), "\\frac{1}{2}");
  EXPECT_EQ(hendrycks_normal_form("-3/4"), "\\frac{-3}{4}");
  EXPECT_EQ(hendrycks_normal_form("\\left(1, \\sqrt3\\right)"), "(1,\\sqrt{3})");
  EXPECT_EQ(hendrycks_normal_form("12\\text{ cm}"), "12");
  EXPECT_EQ(hendrycks_normal_form("\\frac1"), "\\frac1");
}

TEST(Hendrycks, WhereTheRulesFailRawTextsAreCompared) {
  EXPECT_THROW(hendrycks_normal_form("2\\sqrt"), NotNormalisable);
  EXPECT_THROW(hendrycks_normal_form("\\frac"), NotNormalisable);
  EXPECT_THROW(hendrycks_normal_form("1\\text{ a} 2\\text{ b}"), NotNormalisable);
  EXPECT_TRUE(hendrycks_equal("\\sqrt", "\\sqrt"));
  EXPECT_FALSE(hendrycks_equal("\\sqrt", " \\sqrt"));
}

TEST(Hendrycks, IsStrictAboutOrderSeparatorsAndSigns) {
  EXPECT_FALSE(hendrycks_equal("1,2", "2,1"));
  EXPECT_FALSE(hendrycks_equal("1,000", "1000"));
  EXPECT_TRUE(hendrycks_equal("-1/2", "\\frac{-1}{2}"));
  EXPECT_FALSE(hendrycks_equal("-1/2", "-\\frac{1}{2}"));
  EXPECT_FALSE(hendrycks_equal("\\text{Tuesday}", "Tuesday"));
}

TEST(OpenCompass, ExtractsABoxElseAnAnnouncedSentence) {
  EXPECT_EQ(opencompass_extract("So \\boxed{{12}}"), "12");
  EXPECT_EQ(opencompass_extract("We add. The answer is $12$. Done."), "12");
  EXPECT_EQ(opencompass_extract("It is 7"), "Itis7");
}

TEST(OpenCompass, ForgivesMoreThanHendrycks) {
  EXPECT_TRUE(opencompass_equal("28", "28.0"));
  EXPECT_FALSE(opencompass_equal("28", "28.05"));
  EXPECT_TRUE(opencompass_equal("3\\sqrt{2}", "3\\cdot\\sqrt2"));
  EXPECT_TRUE(opencompass_equal("Tuesday", "\\text{Tuesday}"));
  EXPECT_TRUE(opencompass_equal("5", "5\\mbox{ cm}"));
  EXPECT_TRUE(opencompass_equal("[1,2]", "x\\in[1,2]"));
  EXPECT_FALSE(opencompass_equal("\\frac12", "\\frac24"));
}

void expect_rule_verdicts(const std::filesystem::path& path) {
  for (const Json& line : read_json_lines(path)) {
    const std::string gold = line["gold"], pred = line["pred"];
    EXPECT_EQ(hendrycks_equal(gold, pred), line["hendrycks_is_equiv"].get<bool>()) << line;
    EXPECT_EQ(opencompass_equal(gold, pred), line["opencompass_v2_is_equiv"].get<bool>()) << line;
    if (!line.contains("completion")) continue;
    const std::string completion = line["completion"];
    const auto box = last_boxed(completion);
    EXPECT_EQ(box.has_value(), !line["last_boxed"].is_null()) << line;
    if (box && !line["last_boxed"].is_null()) {
      EXPECT_EQ("\\boxed{" + *box + "}", line["last_boxed"].get<std::string>()) << line;
    }
    const std::string answer = opencompass_extract(completion);
    EXPECT_EQ(answer, line["opencompass_v2_extracted"].get<std::string>()) << line;
    EXPECT_EQ(opencompass_equal(gold, answer),
              line["opencompass_v2_completion_correct"].get<bool>())
        << line;
  }
}

TEST(Rules, AgreeWithTheReferencesOnTheSharedCases) {
  const auto path = shared_data("math_rule_dev.jsonl");
  SKIP_WITHOUT(path);
  expect_rule_verdicts(path);
}

}  // namespace
}  // namespace umf
