#include "gguf/gguf_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gguf/gguf_testing.h"
#include "support/expect_error.h"
#include "support/temporary_directory.h"

namespace umf {
namespace {

using testing::ElementsAre;

// Part `number` (from 0) of `count`, with one tensor of eight numbers.
std::string part(int number, int count, const std::string& tensor, int all = 3) {
  GgufBytes file;
  file.header(1, 4)
      .key("split.no", GgufKind::kU16, static_cast<std::uint16_t>(number))
      .key("split.count", GgufKind::kU16, static_cast<std::uint16_t>(count))
      .key("split.tensors.count", GgufKind::kI32, all)
      .key("general.name", "part " + std::to_string(number))
      .tensor(tensor, {8}, 0, 0)
      .align(32);
  for (int i = 0; i < 8; ++i) file.number(static_cast<float>(10 * number + i));
  return file.str();
}

class SplitFiles : public testing::Test {
 protected:
  void SetUp() override {
    for (int i = 0; i < 3; ++i) write(i, part(i, 3, std::string(1, static_cast<char>('a' + i))));
  }
  std::filesystem::path path(int number) const {
    return directory_ / ("m-0000" + std::to_string(number + 1) + "-of-00003.gguf");
  }
  void write(int number, const std::string& bytes) const { write_file(path(number), bytes); }

  TemporaryDirectory directory_;
};

TEST_F(SplitFiles, AreOneModel) {
  const GgufModel model = open_gguf(path(0));
  EXPECT_EQ(model.files.size(), 3u);
  EXPECT_EQ(model.metadata.text("general.name"), "part 0");
  std::vector<std::string> names;
  std::vector<float> firsts;
  for (const GgufTensor& tensor : model.tensors) {
    names.push_back(tensor.name);
    std::memcpy(&firsts.emplace_back(), tensor.bytes.data(), sizeof(float));
  }
  EXPECT_THAT(names, ElementsAre("a", "b", "c"));
  EXPECT_THAT(firsts, ElementsAre(0, 10, 20));
}

TEST_F(SplitFiles, ALaterPartNamesTheFirst) {
  EXPECT_ERROR(open_gguf(path(1)),
               "is part 2 of 3 of a model; give the first: '" + path(0).string() + "'");
}

TEST_F(SplitFiles, AMissingPartIsNamed) {
  std::filesystem::remove(path(2));
  EXPECT_ERROR(open_gguf(path(0)), "has 3 parts, but '" + path(2).string() + "' is not there");
}

TEST_F(SplitFiles, ForeignPartsAreRefused) {
  write(1, part(2, 3, "b"));
  EXPECT_ERROR(open_gguf(path(0)), "key 'split.no' must be 1 in part 2 of 3");
  write(1, part(1, 4, "b"));
  EXPECT_ERROR(open_gguf(path(0)), "key 'split.count' must be 3 in every part");
  write(1, part(1, 3, "a"));
  EXPECT_ERROR(open_gguf(path(0)), "tensor 'a' is in part 1, too");
  write(1, part(1, 3, "b"));
  write(0, part(0, 3, "a", 4));
  EXPECT_ERROR(open_gguf(path(0)), "key 'split.tensors.count' must be 3");
}

TEST_F(SplitFiles, AFirstPartOfAnotherNameCannotFindTheOthers) {
  const auto other = directory_ / "renamed.gguf";
  std::filesystem::rename(path(0), other);
  EXPECT_ERROR(open_gguf(other), "does not end in '-00001-of-00003.gguf'");
}

TEST(GgufFiles, OneFileMayCallItselfTheOnlyPart) {
  const TemporaryDirectory directory;
  for (const int count : {0, 1}) {
    write_file(directory / "m.gguf", part(0, count, "a", 1));
    EXPECT_EQ(open_gguf(directory / "m.gguf").tensors.size(), 1u);
  }
}

TEST(GgufFiles, PiecesCutByHandAreKnownByTheirNames) {
  EXPECT_TRUE(is_gguf_piece("model.gguf.part1of2"));
  EXPECT_TRUE(is_gguf_piece("dir/model.gguf.part-aa"));
  EXPECT_FALSE(is_gguf_piece("model.gguf"));
  EXPECT_FALSE(is_gguf_piece("model-00001-of-00002.gguf"));
}

}  // namespace
}  // namespace umf
