#include "bench/table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

namespace umf {
namespace {

std::vector<std::string> lines_of(const std::string& text) {
  std::istringstream in(text);
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

TEST(Tables, AlignNamesLeftAndNumbersRight) {
  EXPECT_EQ(table_text({"", {"name", "n"}, {{"a", "10"}, {"bcdef", "7"}}}),
            "name    n\n"
            "a      10\n"
            "bcdef   7\n");
}

TEST(Tables, PutNamesThatAreTooLongAboveTheirNumbers) {
  const std::string name(70, 'x'), number(30, '1');
  const auto lines = lines_of(table_text({"", {"name", "n"}, {{name, number}, {"b", number}}}));
  ASSERT_EQ(lines.size(), 4);
  EXPECT_EQ(lines[1], name);
  EXPECT_EQ(lines[2], std::string(50, ' ') + number);
  EXPECT_EQ(lines[3], "b" + std::string(49, ' ') + number);
}

TEST(Tables, CountCharactersAndNotBytes) {
  EXPECT_EQ(table_text({"", {"n", "v"}, {{"\u00e9\u00e9", "1"}, {"ab", "2"}}}),
            "n   v\n\u00e9\u00e9  1\nab  2\n");
}

TEST(Tables, BecomeLatexWithTheirSignsEscaped) {
  EXPECT_EQ(table_latex({"Shares", {"a_b", "95 %"}, {{"x & y", "<0.1"}}}),
            "% Shares\n% \\usepackage{booktabs}\n\\begin{tabular}{lr}\n\\toprule\n"
            "a\\_b & 95 \\% \\\\\n\\midrule\nx \\& y & $<$0.1 \\\\\n"
            "\\bottomrule\n\\end{tabular}\n");
}

TEST(Tables, BecomeCsvWithAllDigits) {
  const auto list = nlohmann::ordered_json::parse(
      R"([{"id": "a,\"b\"", "in": [0.1, 1e-12], "none": null}, {"id": "c"}])");
  EXPECT_EQ(csv_text(list, {{"id", "/id"}, {"low", "/in/1"}, {"none", "/none"}}),
            "id,low,none\n\"a,\"\"b\"\"\",1e-12,\nc,,\n");
}

TEST(Tables, WrapSentencesAtEightyColumns) {
  const std::string word(30, 'w');
  EXPECT_EQ(wrapped(word + " " + word + " " + word, "  "),
            word + " " + word + "\n  " + word + "\n");
  EXPECT_EQ(wrapped("a b", ""), "a b\n");
}

}  // namespace
}  // namespace umf
