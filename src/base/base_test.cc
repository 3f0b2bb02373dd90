#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

#include "base/error.h"
#include "base/files.h"
#include "base/json.h"
#include "base/random.h"
#include "fakes/expect_error.h"
#include "fakes/temporary_directory.h"

namespace umf {
namespace {

TEST(Json, RefusesWhatItsReaderCouldMisunderstand) {
  EXPECT_ERROR(parse_json("{\"a\": 1, \"a\": 2}", "x.json"), "x.json: key 'a' is given twice");
  EXPECT_ERROR(parse_json("{\"a\": ", "x.json"),
               "x.json is not valid JSON: parse error at line 1, column 7");
  EXPECT_ERROR(parse_json("\"\xFF\"", "x.json"), "not valid JSON");
  EXPECT_ERROR(parse_json("[1] 2", "x.json"), "not valid JSON");
  EXPECT_ERROR(parse_json(std::string(100000, '['), "x.json"), "deeper than 64");
  EXPECT_EQ(parse_json("{\"a\": {\"b\": 1}, \"c\": {\"b\": 2}}", "x.json")["c"]["b"], 2);
}

// As {{...}} or [[...]].
std::string nested(int levels, const std::string& open, const std::string& inside, char close) {
  std::string text;
  for (int i = 0; i < levels; ++i) text += open;
  return text + inside + std::string(levels, close);
}

TEST(Json, SixtyFourLevelsAreTheMost) {
  EXPECT_EQ(parse_json(nested(64, "[", "1", ']'), "x").dump(), nested(64, "[", "1", ']'));
  parse_json(nested(63, "{\"a\":", "[]", '}'), "x");
  EXPECT_ERROR(parse_json(nested(65, "[", "", ']'), "x"), "x: nested deeper than 64 levels");
  EXPECT_ERROR(parse_json(nested(64, "{\"a\":", "{}", '}'), "x"), "deeper than 64");
}

TEST(Json, EveryKindOfValueIsRead) {
  const std::string text =
      R"({"a":[null,true,false,-3,18446744073709551615,0.5,"\u00e9\ud83d\ude00",{},[]],"b":{"c":""}})";
  const Json json = parse_json(text, "x");
  EXPECT_EQ(json.dump(-1, ' ', /*ensure_ascii=*/true), text);
  EXPECT_TRUE(json["a"][3].is_number_integer() && json["a"][4].is_number_unsigned());
  EXPECT_ERROR(parse_json("1e999", "x"), "x is not valid JSON");
  for (const char* wrong : {"", "[1,]", "{\"a\"}", "{1: 2}", "NaN", "'a'", "[1]]", "/**/1", "01"})
    EXPECT_ERROR(parse_json(wrong, "x"), "x is not valid JSON");
}

TEST(Json, ADocumentHasABoundedNumberOfValues) {
  EXPECT_EQ(parse_json("[1,{\"a\":2},[]]", "x", 5).size(), 3);
  EXPECT_ERROR(parse_json("[1,{\"a\":2},[]]", "x", 4), "x has more than 4 values");
}

TEST(Json, TimeGrowsAsTheLength) {
  // A parser that looks through a list again for every object in it needs a quarter of an hour.
  std::string text = "[{}";
  while (text.size() < 6 << 20) text += ",{}";
  EXPECT_EQ(parse_json(text + "]", "x").size(), (text.size()) / 3);
}

TEST(Json, AMessageQuotesOnlyTheBeginningOfALongText) {
  const std::string longest(1 << 20, 'x');
  for (const std::string& wrong :
       {"[\"" + longest, "{\"" + longest + "\":1,\"" + longest + "\":2}"}) {
    try {
      parse_json(wrong, "x");
      ADD_FAILURE() << "taken";
    } catch (const Error& error) {
      EXPECT_LT(std::string(error.what()).size(), 500);
    }
  }
}

TEST(Files, WriteReplacesTheWholeFileOrNothing) {
  const TemporaryDirectory directory;
  write_file(directory / "a", "first");
  write_file(directory / "a", std::string(100000, 'x'));
  EXPECT_EQ(read_file(directory / "a").size(), 100000);
  EXPECT_ERROR(write_file(directory / "no/such/folder", "x"), "cannot write");
  int entries = 0;
  for (const auto& entry : std::filesystem::directory_iterator(directory.path()))
    entries += !entry.path().empty();
  EXPECT_EQ(entries, 1) << "a temporary file was left behind";
}

TEST(Files, CreatingNeverReplaces) {
  const TemporaryDirectory directory;
  EXPECT_TRUE(create_file(directory / "a", "first"));
  EXPECT_FALSE(create_file(directory / "a", "second"));
  EXPECT_EQ(read_file(directory / "a"), "first");
  EXPECT_ERROR(create_file(directory / "no/such/folder", "x"), "cannot write");
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(directory.path()), {}), 1);
}

TEST(Files, ReadingSaysWhatIsWrong) {
  const TemporaryDirectory directory;
  EXPECT_ERROR(read_file(directory / "absent"), "No such file");
  EXPECT_ERROR(read_file(directory.path()), "cannot read");
  EXPECT_ERROR(MappedFile(directory.path()), "not a regular file");
  write_file(directory / "long", std::string(100, 'x'));
  EXPECT_ERROR(read_file(directory / "long", 99), "larger than 99 bytes");
}

TEST(Files, AMappedFileShowsItsBytes) {
  const TemporaryDirectory directory;
  write_file(directory / "a", "bytes");
  MappedFile first(directory / "a");
  const MappedFile moved = std::move(first);
  EXPECT_EQ(moved.bytes().size(), 5);
  EXPECT_EQ(static_cast<char>(moved.bytes()[4]), 's');
  write_file(directory / "empty", "");
  EXPECT_TRUE(MappedFile(directory / "empty").bytes().empty());
}

TEST(Random, PhiloxGivesThePublishedVectors) {
  // Known answers of the Random123 distribution for philox4x32-10.
  using Words = std::array<std::uint32_t, 4>;
  EXPECT_EQ(philox({0, 0, 0, 0}, {0, 0}), (Words{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  EXPECT_EQ(philox({~0u, ~0u, ~0u, ~0u}, {~0u, ~0u}),
            (Words{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(philox({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}),
            (Words{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST(Random, UnitsAreStrictlyInsideZeroAndOne) {
  EXPECT_GT(open_unit(0), 0.0f);
  EXPECT_LT(open_unit(~0u), 1.0f);
  EXPECT_TRUE(std::isfinite(-std::log(-std::log(open_unit(~0u)))));
  EXPECT_TRUE(std::isfinite(-std::log(-std::log(open_unit(0)))));
}

TEST(Random, EveryPartOfTheKeyChangesTheNoise) {
  const std::vector<Token> state = {1, 2, 3}, other = {1, 2, 4}, shorter = {1, 2};
  const std::set<NoiseKey> keys = {noise_key(1, 0, state), noise_key(2, 0, state),
                                   noise_key(1, 1, state), noise_key(1, 0, other),
                                   noise_key(1, 0, shorter)};
  EXPECT_EQ(keys.size(), 5);
  EXPECT_EQ(noise_key(1, 0, state), noise_key(1, 0, state));
  const NoiseKey key = noise_key(1, 0, state);
  EXPECT_NE(noise_word(key, 0, 0), noise_word(key, 0, 1));
  EXPECT_NE(noise_word(key, 0, 0), noise_word(key, 1, 0));
}

}  // namespace
}  // namespace umf
