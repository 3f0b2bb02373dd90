#include "base/json_fields.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "support/expect_error.h"

namespace umf {
namespace {

const Json kObject =
    Json::parse(R"({"name": "a", "on": true, "count": 3, "share": 0.5, "none": null,
                                     "large": 18446744073709551615})");

TEST(JsonFields, FieldsArriveAndAbsentOnesAreNothing) {
  const JsonFields fields(kObject, "f.json");
  EXPECT_EQ(fields.text("name"), "a");
  EXPECT_EQ(fields.needed_text("name"), "a");
  EXPECT_EQ(fields.flag("on"), true);
  EXPECT_EQ(fields.integer("count", 3, 3), 3);
  EXPECT_EQ(fields.number("share", 0, 1), 0.5);
  EXPECT_EQ(fields.number("count", 0, 3), 3.0);
  EXPECT_EQ(fields.text("x"), std::nullopt);
  EXPECT_EQ(fields.flag("x"), std::nullopt);
  EXPECT_EQ(fields.integer("x", 0, 1), std::nullopt);
  EXPECT_EQ(fields.number("x", 0, 1), std::nullopt);
  EXPECT_FALSE(fields.has("x"));
}

TEST(JsonFields, ValuesOfAnotherKindOrSizeAreRefused) {
  const JsonFields fields(kObject, "f.json");
  EXPECT_ERROR(fields.text("on"), "f.json: 'on' must be a string");
  EXPECT_ERROR(fields.needed_text("x"), "f.json: 'x' must be a string");
  EXPECT_ERROR(fields.flag("count"), "f.json: 'count' must be true or false");
  for (const char* key : {"share", "large", "name", "on"})
    EXPECT_ERROR(fields.integer(key, -1, 9), "must be a whole number from -1 to 9");
  EXPECT_ERROR(fields.integer("count", 0, 2), "f.json: 'count' must be a whole number from 0 to 2");
  EXPECT_ERROR(fields.number("share", 1, 2), "f.json: 'share' must be a number from 1 to 2");
  EXPECT_ERROR(fields.number("name", 1, 2), "f.json: 'name' must be a number from 1 to 2");
}

TEST(JsonFields, NullIsAValueOrAbsentAsTheReaderSays) {
  const JsonFields strict(kObject, "f.json");
  EXPECT_TRUE(strict.has("none"));
  EXPECT_ERROR(strict.text("none"), "must be a string");
  const JsonFields lenient(kObject, "f.json", JsonFields::Null::kIsAbsent);
  EXPECT_FALSE(lenient.has("none"));
  EXPECT_EQ(lenient.text("none"), std::nullopt);
}

TEST(JsonFields, KeysThatNobodyAskedForAreNamed) {
  const JsonFields fields(kObject, "f.json");
  EXPECT_EQ(fields.unasked(), "count");
  EXPECT_EQ(fields.all_unasked().size(), kObject.size());
  fields.number("count", 0, 9);
  fields.ignore({"large", "none", "on"});
  EXPECT_EQ(fields.unasked(), "name");
  EXPECT_EQ(fields.all_unasked(), (std::vector<std::string>{"name", "share"}));
  EXPECT_ERROR(fields.only({"share"}, "there is share"),
               "f.json: there is share; 'name' is not understood");
  fields.only({"name"}, "there are name and share");
  EXPECT_EQ(fields.unasked(), std::nullopt);
}

TEST(JsonFields, AReaderTellsMistakesInItsOwnWords) {
  class Loud final : public JsonFields {
   public:
    using JsonFields::JsonFields;
    [[noreturn]] void refuse(const std::string& key, const std::string& wish) const override {
      throw Error(where() + "! " + key + " " + wish + (has(key) ? "" : ", and is not there"));
    }
  };
  const Loud fields(kObject, "f.json");
  EXPECT_ERROR(fields.text("on"), "f.json! on must be a string");
  EXPECT_ERROR(fields.needed_text("x"), "f.json! x must be a string, and is not there");
}

}  // namespace
}  // namespace umf
