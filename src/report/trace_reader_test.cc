#include "report/trace_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/json.h"

namespace umf {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

constexpr TraceShape kShape{.window = 4, .actions = 2};

OrderedJson walk(int from, int end) {
  return {
      {"iteration", 1},
      {"from", from},
      {"action", 1},
      {"draw", 0},
      {"hit", false},
      {"passes", 4},
      {"nfe", 4},
      {"complete", true},
      {"reward", 0.5},
      {"path", {end - 1, end}},
      {"masks", {2, 0}},
      {"writes",
       {{"cells", {0, 1, 2, 3}}, {"texts", {"a", OrderedJson::array({195}), "", nullptr}}}},
      {"verdict",
       {{"why", "no"}, {"names", {"one", "two"}}, {"outcomes", "pw"}, {"failures", {{"1", "x"}}}}}};
}

Json unordered(const OrderedJson& json) { return Json::parse(json.dump()); }

OrderedJson read(const std::vector<OrderedJson>& lines) {
  std::string text;
  for (const OrderedJson& line : lines) text += line.dump() + "\n";
  return read_trace(text, kShape, "file");
}

std::string refusal(const std::vector<OrderedJson>& lines) {
  try {
    read(lines);
  } catch (const Error& error) {
    return error.what();
  }
  return "taken";
}

TEST(TraceReader, GivesBackWhatPagesDraw) {
  OrderedJson line = walk(0, 2), more = walk(2, 4);
  more["window"] = {2, "b", -1, "c"};
  more["writes"]["cells"] = {0, 1, 4, 3};
  more["writes"]["passes"] = {1, 1, 2, 3};
  more["writes"]["texts"][0] = 0;
  OrderedJson hit = walk(0, 2);
  hit["hit"] = true;
  hit.erase("writes");
  hit.erase("verdict");
  EXPECT_EQ(unordered(read({line, more, hit})), unordered(OrderedJson::array({line, more, hit})));
}

TEST(TraceReader, LeavesOutWhatPagesDoNotKnow) {
  OrderedJson line = walk(0, 2), padded = line;
  padded["best"] = 1;
  padded["<b>"] = "<script>";
  padded["verdict"]["more"] = "x";
  EXPECT_EQ(unordered(read({padded})), unordered(OrderedJson::array({line})));
}

TEST(TraceReader, RefusesDamageByItsLine) {
  const auto damaged = [](const std::string& pointer, const OrderedJson& value) {
    OrderedJson line = walk(0, 2);
    line[OrderedJson::json_pointer(pointer)] = value;
    return refusal({walk(0, 2), line});
  };
  const OrderedJson three = {1, 2, 3};
  const std::vector<std::pair<std::string, OrderedJson>> damages = {
      {"/from", 3},
      {"/from", -1},
      {"/from", "0"},
      {"/action", 2},
      {"/action", 1.5},
      {"/hit", 0},
      {"/reward", "1"},
      {"/path", three},
      {"/path", 1},
      {"/path/0", -1},
      {"/masks/1", 1e12},
      {"/draw", -1},
      {"/writes", nullptr},
      {"/writes/cells/0", 4},
      {"/writes/cells", three},
      {"/writes/texts/0", 7},
      {"/writes/texts/0", OrderedJson::array()},
      {"/writes/texts/1/0", 256},
      {"/writes/passes", three},
      {"/window", 3},
      {"/window", OrderedJson::array({1 << 20, 1 << 20})},
      {"/window", OrderedJson::array({nullptr})},
      {"/verdict", "x"},
      {"/verdict/names/0", 1},
      {"/verdict/outcomes", 1},
      {"/verdict/failures", 1},
      {"/verdict/failures/1", OrderedJson::object()},
      {"/complete", nullptr},
      {"/iteration", 0}};
  for (const auto& [pointer, value] : damages)
    EXPECT_THAT(damaged(pointer, value), StartsWith("file line 2: '")) << pointer << " " << value;
  EXPECT_THAT(refusal({OrderedJson::array()}), HasSubstr("file line 1"));
  EXPECT_THROW(read_trace("{", kShape, "file"), Error);
  EXPECT_THROW(read_trace("\n", kShape, "file"), Error);
}

TEST(TraceReader, AHitLeadsWhereSomethingHasBeen) {
  OrderedJson hit = walk(0, 9);
  hit["hit"] = true;
  EXPECT_THAT(refusal({walk(0, 2), hit}), HasSubstr("line 2: 'path'"));
}

}  // namespace
}  // namespace umf
