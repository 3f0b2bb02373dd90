// Our own cases, one table per kind of answer: tests/data/math/cases/KIND.txt.
//
//     GOLD == ANSWER  # the same answer; what stands behind two spaces and "#" is for people
//     GOLD != ANSWER
#include <fmt/core.h>

#include "math/math_testing.h"
#include "math/math_verify.h"

namespace umf {
namespace {

constexpr int kRightAtLeast = 20, kWrongAtLeast = 30;  // in each of the ten tables

class MathCases : public testing::TestWithParam<const char*> {};

TEST_P(MathCases, AreJudgedAsTheTableSays) {
  const auto path = own_data(fmt::format("cases/{}.txt", GetParam()));
  std::istringstream table(read_file(path));
  int right = 0, wrong = 0, line_number = 0;
  for (std::string line; std::getline(table, line);) {
    const std::string where = fmt::format("{}:{}: {}", path.string(), ++line_number, line);
    if (line.empty() || line[0] == '#') continue;
    const std::string pair = line.substr(0, line.find("  # "));
    const bool same = pair.find(" == ") != std::string::npos;
    const std::size_t sign = pair.find(same ? " == " : " != ");
    ASSERT_NE(sign, std::string::npos) << where;
    const MathAnswer gold = find_answer(pair.substr(0, sign));
    const MathAnswer answer = find_answer(pair.substr(sign + 4));
    const MathVerdict verdict = verify_answer(gold, answer);
    EXPECT_EQ(verdict.equal, same) << where << "\nread as " << gold.reading() << " and "
                                   << answer.reading() << "; " << verdict.decided_by;
    ++(same ? right : wrong);
  }
  EXPECT_GE(right, kRightAtLeast) << path;
  EXPECT_GE(wrong, kWrongAtLeast) << path;
}

INSTANTIATE_TEST_SUITE_P(Tables, MathCases,
                         testing::Values("numbers", "fractions", "intervals", "sets", "tuples",
                                         "matrices", "units", "percentages", "equations", "text"),
                         [](const auto& table) { return std::string(table.param); });

}  // namespace
}  // namespace umf
