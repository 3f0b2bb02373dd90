#include "math/math_verify.h"

#include <fmt/core.h>
#include <gmock/gmock.h>

#include "math/computer_algebra.h"
#include "math/math_testing.h"
#include "support/expect_error.h"

namespace umf {
namespace {

bool same(const std::string& gold, const std::string& answer, const MathVerifyConfig& config = {}) {
  return verify_answer(find_answer(gold, config), find_answer(answer, config), config).equal;
}

struct Tally {
  int cases = 0, wrong = 0, wrongly_equal = 0;
};

Tally count_verdicts(const std::filesystem::path& path) {
  Tally tally;
  for (const Json& line : read_json_lines(path)) {
    const auto config = parse_math_verify_config(line.value("config", Json()), path.string());
    const bool expected = line["expected"];
    const bool verdict = same(line["gold"], line["pred"], config);
    ++tally.cases;
    if (verdict == expected) continue;
    ++tally.wrong;
    if (verdict) ++tally.wrongly_equal;
    std::cerr << "differs: " << line << "\n";
  }
  return tally;
}

TEST(MathVerify, JudgesOurOwnPairsAsTheRulesSay) {
  const Tally tally = count_verdicts(own_data("verify.jsonl"));
  EXPECT_GT(tally.cases, 100);
  EXPECT_EQ(tally.wrong, 0);
}

TEST(MathVerify, AgreesWithTheReferencesOwnTests) {
  const auto path = shared_data("math_verify_dev.jsonl");
  SKIP_WITHOUT(path);
  const Tally tally = count_verdicts(path);
  EXPECT_LE(tally.wrong, tally.cases * 3 / 100);
  EXPECT_EQ(tally.wrongly_equal, 0);
}

TEST(MathVerify, AgreesWithTheReferenceOnPairs) {
  const auto path = shared_data("math_verify_pair_facts.jsonl");
  SKIP_WITHOUT(path);
  const Tally tally = count_verdicts(path);
  EXPECT_LE(tally.wrong, tally.cases * 3 / 100);
  EXPECT_EQ(tally.wrongly_equal, 0);
}

TEST(MathVerify, ReadsTheTextsThatTheReferenceReads) {
  const auto path = shared_data("math_verify_parse_facts.jsonl");
  SKIP_WITHOUT(path);
  int cases = 0, different = 0;
  for (const Json& line : read_json_lines(path)) {
    const MathAnswer answer = find_answer(line["text"].get<std::string>());
    const bool is_text = line["value_kind"] == "string";
    const std::string text = line["parsed"].back();
    ++cases;
    if (is_text == (answer.value == nullptr) && answer.text == text) continue;
    ++different;
    std::cerr << "differs: " << line << ", read " << answer.reading() << " from "
              << answer.text.value_or("nothing") << "\n";
  }
  EXPECT_LE(different, cases * 3 / 100);
}

TEST(MathVerify, SettingsChangeWhatIsEqual) {
  MathVerifyConfig config;
  config.float_rounding = 2;
  EXPECT_TRUE(same("$\\frac{1}{3}$", "$0.33$", config));
  EXPECT_FALSE(same("$\\frac{1}{3}$", "$0.33$"));
  config = {};
  config.strict = false;
  EXPECT_TRUE(same("$2a+b$", "$2x+y$", config));
  EXPECT_FALSE(same("$2a+b$", "$2x+y$"));
  config = {};
  config.allow_set_relation_comp = true;
  EXPECT_TRUE(same("$(2,\\infty)$", "$x>2$", config));
  EXPECT_FALSE(same("$(2,\\infty)$", "$x>2$"));
  config = {};
  config.plain = false;
  EXPECT_TRUE(find_answer("there are 12", config).empty());
  config = {};
  config.numeric_precision = 5;
  EXPECT_TRUE(same("$\\sqrt{2}$", "$\\sqrt{2}+\\frac{1}{10^{7}}$", config));
  EXPECT_FALSE(same("$\\sqrt{2}$", "$\\sqrt{2}+\\frac{1}{10^{7}}$"));
  config = {};
  config.boxed_match_priority = 0;
  EXPECT_EQ(find_answer("\\boxed{5}. Final answer is $6$.", config).reading(), "5");
  EXPECT_EQ(find_answer("\\boxed{5}. Final answer is $6$.").reading(), "6");
}

TEST(MathVerify, WrongSettingsAreNamed) {
  EXPECT_ERROR(parse_math_verify_config({{"rounding", 3}}, "line 4"), "line 4: unknown config key");
  EXPECT_ERROR(parse_math_verify_config({{"targets", {"string"}}}, "x"), "'targets'");
  EXPECT_ERROR(parse_math_verify_config({{"strict", 1}}, "x"), "'strict' must be true or false");
  EXPECT_ERROR(parse_math_verify_config({{"float_rounding", -1}}, "x"), "'float_rounding'");
  EXPECT_ERROR(parse_math_verify_config({{"boxed_match_priority", 18446744073709551615u}}, "x"),
               "must be a whole number from -1 to 1000");
  EXPECT_ERROR(parse_math_verify_config(Json::array(), "x"), "must be an object");
}

class Oracle final : public ComputerAlgebra {
 public:
  explicit Oracle(std::optional<bool> verdict) : verdict_(verdict) {}
  std::optional<bool> equal(const Expr&, const Expr&) override {
    ++asked;
    return verdict_;
  }
  int asked = 0;

 private:
  std::optional<bool> verdict_;
};

TEST(MathVerify, AsksTheComputerAlgebraOnlyWhatItLeavesOpen) {
  const MathAnswer limit = find_answer("$\\lim_{x\\to 0} \\frac{\\sin x}{x}$");
  const MathAnswer one = find_answer("$1$"), two = find_answer("$2$");
  Oracle yes(true), unsure(std::nullopt);
  EXPECT_TRUE(verify_answer(limit, one, {}, &yes).equal);
  EXPECT_EQ(yes.asked, 1);
  EXPECT_FALSE(verify_answer(limit, one, {}, &unsure).equal);
  EXPECT_FALSE(verify_answer(one, two, {}, &yes).equal);
  EXPECT_EQ(yes.asked, 1);
  EXPECT_EQ(verify_answer(limit, one).decided_by, "open: no computer algebra");
}

std::string repeated(const std::string& text, int times) {
  std::string all;
  for (int i = 0; i < times; ++i) all += text;
  return all;
}

std::string nested(const char* open, const char* inside, const char* close, int times) {
  return fmt::format("${}{}{}$", repeated(open, times), inside, repeated(close, times));
}

TEST(MathVerify, EndlessExpressionsAreGivenUp) {
  EXPECT_FALSE(same(nested("(", "1", ")", 20'000), "$1$"));
  EXPECT_FALSE(same(nested("-", "1", "", 20'000), "$2$"));
  EXPECT_FALSE(same(nested("{", "x", "}", 5'000), "$1$"));
  EXPECT_FALSE(same(nested("", "x", "^2", 3'000), "$x$"));
  EXPECT_FALSE(same(nested("\\sqrt{", "2", "}", 900), "$1$"));
  EXPECT_FALSE(same("$9^{9^{9^{9^{9}}}}$", "$9^{9^{9^{9}}}$"));
  EXPECT_FALSE(same("$\\sin(10^{10^{8}})$", "$0$"));
  EXPECT_FALSE(same("$1000000000!$", "$1$"));
  EXPECT_FALSE(same(nested("9", "", "", 100'000), "$1$"));
  EXPECT_FALSE(same(nested("", "x", "+x", 5'000), "$x$"));
  EXPECT_FALSE(same("$\\sum_{a=1}^{9999}\\sum_{b=1}^{9999}\\sum_{c=1}^{9999} abc$", "$1$"));
  std::string rows;
  for (int i = 0; i < 60; ++i) rows += repeated("1&", 59) + "1\\\\";
  EXPECT_FALSE(same("$\\begin{pmatrix}" + rows + "\\end{pmatrix}$", "$1$"));
  EXPECT_FALSE(same("$\\begin{pmatrix}x&y\\\\y&x\\end{pmatrix}^{64}$",
                    "$\\begin{pmatrix}x&y\\\\y&z\\end{pmatrix}^{64}$"));
  EXPECT_TRUE(same(nested("(", "7", ")", 60), "$7$"));
  EXPECT_FALSE(same(repeated("$", 50'000), "$1$"));
  EXPECT_FALSE(same(repeated("\\[", 20'000), "$1$"));
  EXPECT_FALSE(same(repeated("\\boxed{", 20'000), "$1$"));
  EXPECT_FALSE(same(nested("\\text{", "2^3", "}", 2'500), "$1$"));
  EXPECT_FALSE(same(nested("\\mathbf{", "2", "}\\text{ cm}", 900), "$1$"));
  EXPECT_FALSE(same(nested("{1 \\over ", "2", "}", 1'200), "$1$"));
  EXPECT_FALSE(same(nested("({", "1 \\atop 2", "})", 1'200), "$3$"));
  EXPECT_FALSE(same(nested("(", "1 \\atop 2", ")", 1'900), "$3$"));
  EXPECT_FALSE(same(nested("1{,}", "", "111", 3'000), "$2$"));
  EXPECT_FALSE(same(nested("1{,}111", "", "", 3'000), "$2$"));
  EXPECT_FALSE(same(nested("\\fbox{1}", "", "", 8'000), "$2$"));
  EXPECT_FALSE(same(nested("\\text{a}/", "5", "\\text{a}", 4'000), "$2$"));
  EXPECT_FALSE(
      same("$" + repeated("x^2+2x+1,y,", 300) + "1$", "$" + repeated("(x+1)^2,y,", 300) + "2$"));
  EXPECT_FALSE(same("$\\unknown$ " + repeated("1 = 2 ", 2'000), "$3$"));
  EXPECT_FALSE(same(repeated("$\\unknown 1$ ", 1'000), "$3$"));
}

}  // namespace
}  // namespace umf
