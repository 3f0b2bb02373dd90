#include "base/folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/expect_error.h"
#include "support/temporary_directory.h"

namespace umf {
namespace {

using testing::ElementsAre;

std::span<const std::byte> bytes_of(std::string_view text) {
  return std::as_bytes(std::span(text));
}

const BuiltInFile kFiles[] = {{"a.txt", bytes_of("first")}, {"b.txt", bytes_of("second")}};
const BuiltInFolder kBuiltIn = {"letters", kFiles};

TEST(Folder, BuiltInFilesReadLikeFilesOfADirectory) {
  const TemporaryDirectory directory;
  write_file(directory / "a.txt", "first");
  write_file(directory / "b.txt", "second");
  for (const Folder& folder : {Folder(directory.path()), Folder(kBuiltIn)}) {
    EXPECT_THAT(folder.names(), ElementsAre("a.txt", "b.txt"));
    EXPECT_TRUE(folder.contains("b.txt"));
    EXPECT_FALSE(folder.contains("c.txt"));
    EXPECT_EQ(folder.read("b.txt"), "second");
    EXPECT_EQ(folder.map("a.txt").bytes().size(), 5u);
    EXPECT_ERROR(folder.read("b.txt", 5), "larger than 5 bytes");
    EXPECT_ERROR(folder.read("c.txt"), "c.txt");
    EXPECT_ERROR(folder.map("c.txt"), "c.txt");
  }
}

TEST(Folder, BuiltInFilesAreNotCopied) {
  MappedFile file = Folder(kBuiltIn).map("a.txt");
  const MappedFile moved = std::move(file);
  EXPECT_EQ(moved.bytes().data(), kFiles[0].bytes.data());
  moved.release_pages();  // would fail on memory that is not a mapping of its own
  EXPECT_EQ(static_cast<char>(moved.bytes()[0]), 'f');
}

TEST(Folder, IsTheSameByAnyPath) {
  const TemporaryDirectory directory;
  const Folder folder(directory.path());
  EXPECT_TRUE(folder.is(directory / "."));
  EXPECT_FALSE(folder.is(kBuiltIn));
  EXPECT_TRUE(Folder(kBuiltIn).is(kBuiltIn));
  EXPECT_EQ(Folder(kBuiltIn).place("a.txt"), "embedded:letters/a.txt");
}

}  // namespace
}  // namespace umf
