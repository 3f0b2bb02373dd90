#include "reward/livecodebench_tests.h"

#include <gtest/gtest.h>

#include "support/expect_error.h"

namespace umf {
namespace {

using namespace std::string_literals;

TEST(LiveCodeBenchTests, Base64) {
  EXPECT_EQ(decode_base64("aGVsbG8=", "x"), "hello");
  EXPECT_EQ(decode_base64("aGVsbG8h", "x"), "hello!");
  EXPECT_EQ(decode_base64("aGVsbA==\n", "x"), "hell");
  EXPECT_EQ(decode_base64("", "x"), "");
  EXPECT_ERROR(decode_base64("aGV", "x"), "wrong length");
  EXPECT_ERROR(decode_base64("aG=s", "x"), "a character that base64 does not have");
}

TEST(LiveCodeBenchTests, PicklesOfOneStringInEveryForm) {
  const std::string frame = "\x80\x04\x95\x09\0\0\0\0\0\0\0"s;
  EXPECT_EQ(unpickle_string(frame + "X\x02\0\0\0hi\x94."s, "x"), "hi");
  EXPECT_EQ(unpickle_string("\x80\x04X\x02\0\0\0hi\x94."s, "x"), "hi");
  EXPECT_EQ(unpickle_string(frame + "\x8c\x02hi\x94."s, "x"), "hi");
  EXPECT_EQ(unpickle_string("\x80\x04\x8d\x02\0\0\0\0\0\0\0hi\x94."s, "x"), "hi");
}

TEST(LiveCodeBenchTests, EveryOtherPickleIsRefused) {
  for (const auto& [bytes, what] : {std::pair{"\x80\x04\x8c\x05hi\x94."s, "it ends too early"},
                                    {"\x80\x04X\xff\xff\xff\xffhi."s, "it ends too early"},
                                    {"\x80\x04\x8c\x02hi"s, "it ends too early"},
                                    {"\x80\x04\x8c\x02hi."s + "x", "bytes after its end"},
                                    {"\x80\x04."s, "opcode 0x2e"},
                                    {"\x80\x04\x8c\x02hi\x8c\x02ho."s, "two values"},
                                    {"\x80\x09\x8c\x02hi."s, "protocol 9"},
                                    {"cos\nsystem\n(S'true'\ntR."s, "opcode 0x63"},
                                    {""s, "it ends too early"}}) {
    EXPECT_ERROR(unpickle_string(bytes, "x"), what);
  }
}

TEST(LiveCodeBenchTests, PlainListsStayAsTheyAre) {
  EXPECT_EQ(unpack_tests(" [1]", "x"), " [1]");
  // zlib and base64 around a pickle of "[]".
  EXPECT_EQ(unpack_tests("eJxrYJnKxgABPUzRsVP0ABkLAyg=", "x", 100), "[]");
}

}  // namespace
}  // namespace umf
