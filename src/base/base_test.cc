#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <thread>

#include "base/error.h"
#include "base/files.h"
#include "base/json.h"
#include "base/random.h"
#include "support/expect_error.h"
#include "support/temporary_directory.h"

namespace umf {
namespace {

TEST(Json, RefusesWhatItsReaderCouldMisunderstand) {
  EXPECT_ERROR(parse_json("{\"a\": 1, \"a\": 2}", "x.json"), "x.json: key 'a' is given twice");
  EXPECT_ERROR(parse_json(R"({"a\nb": 1, "a\nb": 2})", "x"), R"(x: key 'a\nb' is given twice)");
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

TEST(Files, WritingThroughALinkReplacesWhatItNamesAndKeepsTheLink) {
  const TemporaryDirectory directory;
  namespace fs = std::filesystem;
  fs::create_directory(directory / "folder");
  write_file(directory / "folder/real", "first");
  fs::create_symlink("folder/real", directory / "link");
  fs::create_symlink("link", directory / "second");
  write_file(directory / "second", "new");
  EXPECT_EQ(read_file(directory / "folder/real"), "new");
  EXPECT_TRUE(fs::is_symlink(directory / "link"));
  EXPECT_TRUE(fs::is_symlink(directory / "second"));
  fs::create_symlink("folder/absent", directory / "dangling");
  write_file(directory / "dangling", "made");
  EXPECT_EQ(read_file(directory / "folder/absent"), "made");
  EXPECT_TRUE(fs::is_symlink(directory / "dangling"));
  fs::create_symlink("loop", directory / "loop");
  EXPECT_ERROR(write_file(directory / "loop", "x"), "cannot write");
}

TEST(Files, DevicesAreWrittenToAndNeverReplaced) {
  const TemporaryDirectory directory;
  std::filesystem::create_symlink("/dev/full", directory / "full");
  EXPECT_ERROR(write_file(directory / "full", "x"), "No space left");
  EXPECT_TRUE(std::filesystem::is_symlink(directory / "full"));
  std::filesystem::create_symlink("/dev/null", directory / "null");
  write_file(directory / "null", "x");
  EXPECT_TRUE(std::filesystem::is_character_file(directory / "null"));
  // A node of its own, which could be replaced, where this user may make one.
  if (::mknod((directory / "node").c_str(), S_IFCHR | 0666, ::makedev(1, 7)) != 0)
    GTEST_SKIP() << "device nodes are root's to make";
  EXPECT_ERROR(write_file(directory / "node", "x"), "cannot write");
  EXPECT_TRUE(std::filesystem::is_character_file(directory / "node"));
}

TEST(Files, APipeGetsItsBytesWhereSomebodyReadsThem) {
  const TemporaryDirectory directory;
  ASSERT_EQ(::mkfifo((directory / "pipe").c_str(), 0600), 0);
  EXPECT_ERROR(write_file(directory / "pipe", "x"), "nobody reads this pipe");
  EXPECT_ERROR(OutputFile(directory / "pipe"), "nobody reads this pipe");
  std::string read;
  std::thread reader([&] { read = read_stream(directory / "pipe"); });
  std::optional<OutputFile> output;
  while (!output) {  // until the reader is there
    try {
      output.emplace(directory / "pipe");
    } catch (const Error&) {
      std::this_thread::yield();
    }
  }
  output->write(std::string(200000, 'x'));
  output.reset();
  reader.join();
  EXPECT_EQ(read.size(), 200000);
  EXPECT_TRUE(std::filesystem::is_fifo(directory / "pipe"));
}

TEST(Files, AReaderWhoHasLeftIsAnErrorAndNotOurEnd) {
  const TemporaryDirectory directory;
  ASSERT_EQ(::mkfifo((directory / "pipe").c_str(), 0600), 0);
  std::optional<Descriptor> reader(::open((directory / "pipe").c_str(), O_RDONLY | O_NONBLOCK));
  const OutputFile output(directory / "pipe");
  reader.reset();
  EXPECT_ERROR(output.write("x"), "Broken pipe");
}

TEST(Files, WhereAnOutputCannotGoIsKnownBeforehand) {
  const TemporaryDirectory directory;
  EXPECT_ERROR(OutputFile(directory / "no/such/folder"), "cannot write");
  EXPECT_ERROR(OutputFile(directory.path()), "cannot write");
  const OutputFile output(directory / "a");
  EXPECT_FALSE(std::filesystem::exists(directory / "a")) << "nothing to write yet";
  EXPECT_TRUE(std::filesystem::is_empty(directory.path()));
  output.write("text");
  EXPECT_EQ(read_file(directory / "a"), "text");
}

TEST(Files, OnlyRegularFilesAreReadAsFiles) {
  const TemporaryDirectory directory;
  ASSERT_EQ(::mkfifo((directory / "pipe").c_str(), 0600), 0);
  EXPECT_ERROR(read_file(directory / "pipe"), "pipe': it is not a regular file");
  EXPECT_ERROR(MappedFile(directory / "pipe"), "pipe': it is not a regular file");
  EXPECT_ERROR(read_file("/dev/zero"), "cannot read '/dev/zero': it is not a regular file");
  EXPECT_ERROR(MappedFile("/dev/zero"), "cannot open '/dev/zero': it is not a regular file");
  EXPECT_EQ(read_stream("/dev/null"), "");
  write_file(directory / "a", "0123456789");
  EXPECT_EQ(read_file(directory / "a", 100, 7), "789");
}

TEST(Files, CreatingNeverReplaces) {
  const TemporaryDirectory directory;
  EXPECT_TRUE(create_file(directory / "a", "first"));
  EXPECT_FALSE(create_file(directory / "a", "second"));
  EXPECT_EQ(read_file(directory / "a"), "first");
  EXPECT_ERROR(create_file(directory / "no/such/folder", "x"), "cannot write");
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(directory.path()), {}), 1);
}

TEST(Files, ADraftIsThereWhenItIsComplete) {
  const TemporaryDirectory directory;
  write_file(directory / "a", "before");
  {
    DraftFile draft(directory / "a");
    draft.append("one ");
    EXPECT_EQ(read_file(directory / "a"), "before");
    draft.append("two");
    draft.rename();
  }
  EXPECT_EQ(read_file(directory / "a"), "one two");
  DraftFile(directory / "b").append("given up");
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
