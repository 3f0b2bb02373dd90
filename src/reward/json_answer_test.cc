#include "reward/json_answer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "base/error.h"
#include "reward/reward.h"
#include "support/expect_error.h"

namespace umf {
namespace {

using testing::HasSubstr;

Verdict judged(const std::string& schema, const std::string& answer) {
  Json spec = {{"type", "json"}};
  if (!schema.empty()) spec["schema"] = Json::parse(schema);
  return make_reward(spec, {"p", ""}, "here")->judge(answer);
}

void expect_fits(const std::string& schema, const std::string& answer) {
  EXPECT_EQ(judged(schema, answer).reward, 1) << answer << ": " << judged(schema, answer).why;
}
void expect_misfit(const std::string& schema, const std::string& answer, const std::string& why) {
  const Verdict verdict = judged(schema, answer);
  EXPECT_LT(verdict.reward, 1) << answer;
  EXPECT_GE(verdict.reward, 0.5) << "it is JSON";
  EXPECT_THAT(verdict.why, HasSubstr(why));
}

TEST(JsonAnswer, MayStandInAFenceOrInWords) {
  EXPECT_EQ(json_part(" {\"a\": 1}\n"), "{\"a\": 1}");
  EXPECT_EQ(json_part("Here:\n```json\n{\"a\": 1}\n```\nDone."), "{\"a\": 1}");
  EXPECT_EQ(json_part("The answer is [1, 2]."), "[1, 2]");
  EXPECT_EQ(json_part(" no json "), "no json");
  EXPECT_EQ(json_part("{\"a\": "), "{\"a\":");
  EXPECT_EQ(json_part(""), "");
}

TEST(JsonAnswer, IsWorthMoreTheFurtherItIsJson) {
  EXPECT_EQ(judged("", "Hello").reward, 0);
  const double some = judged("", R"({"a": 1, "b" oh no, this goes on)").reward,
               more = judged("", R"({"a": 1, "b": [1, 2, 3)").reward;
  EXPECT_GT(some, 0);
  EXPECT_GT(more, some);
  EXPECT_LT(more, 0.5);
  expect_fits("", R"({"a": 1})");
  expect_fits("", "7");
  EXPECT_LT(judged("", R"({"a": 1, "a": 2})").reward, 1) << "which of them?";
}

TEST(JsonAnswer, FitsItsSchema) {
  const std::string person = R"({"type": "object", "properties": {"name": {"type": "string",
      "minLength": 1}, "age": {"type": "integer", "minimum": 0, "maximum": 150},
      "tags": {"type": "array", "items": {"enum": ["a", "b"]}, "maxItems": 2}},
      "required": ["name", "age"], "additionalProperties": false})";
  expect_fits(person, R"({"name": "Ann", "age": 30, "tags": ["a"]})");
  expect_fits(person, R"({"name": "Ann", "age": 30.0})");
  expect_misfit(person, R"({"name": "Ann"})", "must have 'age'");
  expect_misfit(person, R"({"name": "", "age": 3})", "$.name must have 1 characters at least");
  expect_misfit(person, R"({"name": "A", "age": 3.5})", "$.age must be of type \"integer\"");
  expect_misfit(person, R"({"name": "A", "age": 151})", "$.age is against maximum 150");
  expect_misfit(person, R"({"name": "A", "age": 3, "x": 1})", "$.x is not allowed");
  expect_misfit(person, R"({"name": "A", "age": 3, "tags": ["c"]})", "$.tags[0] must be one of");
  expect_misfit(person, R"({"name": "A", "age": 3, "tags": ["a", "a", "a"]})", "2 values at most");
  expect_misfit(person, "[]", "must be of type \"object\"");
  EXPECT_GT(judged(person, R"({"name": "A", "age": 151})").reward, judged(person, "[]").reward);
}

TEST(JsonAnswer, SchemasMayChooseAndRefer) {
  const std::string choice = R"({"anyOf": [{"type": "string"}, {"type": "null"}]})";
  expect_fits(choice, "null");
  expect_misfit(choice, "1", "must fit one of");
  expect_misfit(R"({"oneOf": [{"type": "number"}, {"type": "integer"}]})", "1", "exactly one");
  expect_misfit(R"({"allOf": [{"minimum": 1}, {"maximum": 2}]})", "3", "maximum");
  const std::string list = R"({"$defs": {"node": {"type": "object", "required": ["v"],
      "properties": {"v": {"const": 1}, "next": {"$ref": "#/$defs/node"}}}},
      "$ref": "#/$defs/node"})";
  expect_fits(list, R"({"v": 1, "next": {"v": 1}})");
  expect_misfit(list, R"({"v": 1, "next": {"v": 2}})", "$.next.v must be 1");
  expect_misfit(R"({"$ref": "#"})", "1", "too deeply");
  expect_fits("true", "1");
  expect_misfit("false", "1", "not allowed");
}

TEST(JsonAnswer, WhatASchemaSaysAndNobodyChecksIsAMistake) {
  const auto made = [](const std::string& schema) {
    return make_reward({{"type", "json"}, {"schema", Json::parse(schema)}}, {"p", ""}, "here");
  };
  EXPECT_ERROR(made(R"({"properties": {"a": {"pattern": "^x"}}})"), "/a/pattern is not a keyword");
  EXPECT_ERROR(made(R"({"type": "text"})"), "the name of a type");
  EXPECT_ERROR(made(R"({"$ref": "http://x"})"), "must point into the schema");
  EXPECT_ERROR(made(R"({"$ref": "#/nothing"})"), "must point into the schema");
  EXPECT_ERROR(made(R"({"required": "a"})"), "a list of names");
  EXPECT_ERROR(made("[]"), "must be an object");
  EXPECT_ERROR(make_reward({{"type", "json"}, {"shema", 1}}, {"p", ""}, "here"), "not 'shema'");
}

}  // namespace
}  // namespace umf
