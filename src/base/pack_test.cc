#include "base/pack.h"

#include <gtest/gtest.h>
#include <zlib.h>

namespace umf {
namespace {

std::string unpacked(const std::string& packed, std::size_t size) {
  std::string bytes(size + 1, '\0');
  z_stream stream{};
  inflateInit2(&stream, 15 + 16);
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));
  stream.avail_in = static_cast<uInt>(packed.size());
  stream.next_out = reinterpret_cast<Bytef*>(bytes.data());
  stream.avail_out = static_cast<uInt>(bytes.size());
  EXPECT_EQ(inflate(&stream, Z_FINISH), Z_STREAM_END);
  bytes.resize(stream.total_out);
  inflateEnd(&stream);
  return bytes;
}

TEST(Pack, GzipComesBackAndIsTheSameEveryTime) {
  std::string bytes;
  for (int i = 0; i < 100'000; ++i) bytes += static_cast<char>(i * i / 7);
  for (const std::string& text : {std::string(), std::string("a"), bytes}) {
    EXPECT_EQ(unpacked(gzip(text), text.size()), text);
    EXPECT_EQ(gzip(text), gzip(text));
  }
  EXPECT_LT(gzip(std::string(100'000, 'x')).size(), 200);
}

TEST(Pack, Base64AsTheStandardHasIt) {  // RFC 4648, section 10
  EXPECT_EQ(base64(""), "");
  EXPECT_EQ(base64("f"), "Zg==");
  EXPECT_EQ(base64("fo"), "Zm8=");
  EXPECT_EQ(base64("foo"), "Zm9v");
  EXPECT_EQ(base64("foobar"), "Zm9vYmFy");
  EXPECT_EQ(base64("\xff\xfe"), "//4=");
}

}  // namespace
}  // namespace umf
