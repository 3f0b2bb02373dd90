#include "base/raw_json.h"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include "support/expect_error.h"

namespace umf {
namespace {

using testing::ElementsAre;

TEST(RawJson, KeepsTheTextOfWhatItDoesNotRead) {
  const std::string text =
      R"( {"a": [1e400, Infinity, 123456789012345678901234567890], "b" : "x\ny}", "c":{"d":[]}} )";
  const RawObject object(text, "here");
  EXPECT_EQ(object.list("a"), "[1e400, Infinity, 123456789012345678901234567890]");
  EXPECT_EQ(object.text("b"), "x\ny}");
  EXPECT_EQ(object.raw("c"), R"({"d":[]})");
  EXPECT_FALSE(object.has("d"));
}

TEST(RawJson, ListsComeApart) {
  EXPECT_THAT(raw_elements(R"([ [1, 2], "a,b]" ,{"k": [3]}, -Infinity ])", "here"),
              ElementsAre("[1, 2]", R"("a,b]")", R"({"k": [3]})", "-Infinity"));
  EXPECT_THAT(raw_elements("[]", "here"), ElementsAre());
  EXPECT_ERROR(raw_elements("[1, ]", "here"), "brackets do not match");
  EXPECT_ERROR(raw_elements("[1", "here"), "']' is missing");
}

TEST(RawJson, TimeGrowsAsTheLengthAlsoWithManyKeys) {
  // Compared with all before it, each of these keys would cost minutes together.
  std::string text = "{\"0\": 0";
  for (int i = 1; i < 500'000; ++i) text += fmt::format(", \"{}\": {}", i, i);
  EXPECT_EQ(RawObject(text + "}", "x").raw("499999"), "499999");
}

TEST(RawJson, MalformedTextIsNamed) {
  for (const auto& [text, what] : {std::pair{"[]", "'{' is missing"},
                                   {R"({"a": 1)", "'}' is missing"},
                                   {R"({"a" 1})", "':' is missing"},
                                   {R"({"a": })", "brackets do not match"},
                                   {R"({"a": [1})", "brackets do not match"},
                                   {R"({"a": "x)", "a string does not end"},
                                   {"{\"a\": \"x\\", "a string does not end"},
                                   {R"({"a": 1} 2)", "something stands behind"},
                                   {R"({"a": 1, "a": 2})", "'a' is given twice"},
                                   {R"({a: 1})", "not valid JSON"},
                                   {R"({"a": @})", "a value is missing"},
                                   {"{", "it ends too early"},
                                   {"", "'{' is missing"}}) {
    EXPECT_ERROR(RawObject(text, "here"), what);
  }
  EXPECT_ERROR(RawObject("{\"a\": " + std::string(65, '[') + std::string(65, ']') + "}", "here"),
               "nested deeper than 64");
}

TEST(RawJson, FieldsOfTheWrongKindAreNamed) {
  const RawObject object(R"({"a": 1, "b": ["x", 2]})", "here");
  EXPECT_ERROR(object.text("a"), "here: field 'a' must be a string");
  EXPECT_ERROR(object.text("z"), "here: field 'z' is missing");
  EXPECT_ERROR(object.list("a"), "field 'a' must be a list");
  EXPECT_ERROR(object.texts("b"), "field 'b' must be a string");
}

}  // namespace
}  // namespace umf
