#include "base/inflate.h"

#include <gtest/gtest.h>
#include <zlib.h>

#include "base/files.h"
#include "support/expect_error.h"
#include "support/temporary_directory.h"

namespace umf {
namespace {

std::string deflated(const std::string& text, int window_bits = 15) {
  z_stream stream{};
  deflateInit2(&stream, 6, Z_DEFLATED, window_bits, 8, Z_DEFAULT_STRATEGY);
  std::string out(deflateBound(&stream, text.size()) + 32, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  deflate(&stream, Z_FINISH);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

std::vector<std::string> lines_of(const std::string& path, std::size_t limit = 1 << 20) {
  LineReader reader(path, limit);
  std::vector<std::string> lines;
  while (auto line = reader.next()) lines.push_back(*line);
  return lines;
}

TEST(Inflate, GivesBackWhatWasPacked) {
  const std::string text(300'000, 'z');
  EXPECT_EQ(inflate_zlib(deflated(text), 300'000, "x"), text);
  EXPECT_ERROR(inflate_zlib(deflated(text), 299'999, "x"), "larger than 299999 bytes");
  EXPECT_ERROR(inflate_zlib(deflated(text).substr(0, 40), 1 << 20, "x"), "damaged or truncated");
  EXPECT_ERROR(inflate_zlib("nothing", 1 << 20, "x"), "damaged or truncated");
  EXPECT_ERROR(inflate_zlib(deflated(text) + "more", 1 << 20, "x"), "bytes after the end");
}

TEST(LineReader, PlainAndGzipReadAlike) {
  const TemporaryDirectory directory;
  const std::string path = directory / "lines";
  for (const std::string& text : {std::string("one\n\ntwo"), std::string("one\n\ntwo\n")}) {
    for (const bool packed : {false, true}) {
      write_file(path, packed ? deflated(text, 31) : text);
      EXPECT_THAT(lines_of(path), testing::ElementsAre("one", "", "two"));
    }
  }
  write_file(path, "");
  EXPECT_THAT(lines_of(path), testing::IsEmpty());
}

TEST(LineReader, LongLinesCrossItsBuffer) {
  const TemporaryDirectory directory;
  const std::string path = directory / "lines";
  const std::string a(700'000, 'a'), b(400'000, 'b');
  write_file(path, deflated(a + "\n" + b, 31));
  EXPECT_EQ(lines_of(path), (std::vector{a, b}));
  EXPECT_ERROR(lines_of(path, 500'000), "line 1: longer than 500000 bytes");
}

TEST(LineReader, DamageIsAnError) {
  const TemporaryDirectory directory;
  const std::string path = directory / "lines";
  write_file(path, deflated("a line\n", 31).substr(0, 18));
  EXPECT_ERROR(lines_of(path), "damaged or truncated gzip data");
  EXPECT_ERROR(lines_of(directory / "absent"), "No such file");
  EXPECT_ERROR(lines_of(directory / "."), "it is a directory");
}

}  // namespace
}  // namespace umf
