#include "tokenizer/normalizer.h"

#include <gtest/gtest.h>
#include <utf8proc.h>

#include <cstdlib>
#include <random>

namespace umf {
namespace {

std::string nfc(std::string_view text) {
  std::string storage;
  return std::string(to_nfc(text, storage));
}

// utf8proc alone, without our short cut.
std::string plain_nfc(const std::string& text) {
  auto* raw = utf8proc_NFC(reinterpret_cast<const utf8proc_uint8_t*>(text.c_str()));
  std::string result = reinterpret_cast<const char*>(raw);
  std::free(raw);
  return result;
}

TEST(Normalizer, ComposesAndOrdersMarks) {
  EXPECT_EQ(nfc("cafe\u0301"), "caf\u00E9");
  EXPECT_EQ(nfc("e\u0302\u0323"), "\u1EC7");
  EXPECT_EQ(nfc("\u1112\u1161\u11AB"), "\uD55C");
  EXPECT_EQ(nfc("\u212B\u2126"), "\u00C5\u03A9");
  EXPECT_EQ(nfc("\u0958"), "\u0915\u093C");
  EXPECT_EQ(nfc("\uFB01"), "\uFB01");  // a compatibility ligature stays
  EXPECT_EQ(nfc(std::string("a\0\u0301", 4)), std::string("a\0\u0301", 4));
}

TEST(Normalizer, LeavesNormalTextWhereItIs) {
  std::string storage;
  for (const std::string_view text :
       {"plain", "naïve Größe", "Привет йод", "你好，世界", "가힣", "ガ"}) {
    EXPECT_EQ(to_nfc(text, storage).data(), text.data());
  }
}

TEST(Normalizer, ShortCutNeverChangesTheResult) {
  std::mt19937 random(3);
  const char32_t ranges[][2] = {
      {0x41, 0x5A},       {0xC0, 0x17F},      {0x300, 0x36F},   {0x1100, 0x11FF},
      {0xAC00, 0xD7A3},   {0x3041, 0x309A},   {0x900, 0x9FF},   {0xB00, 0xDDF},
      {0x1B00, 0x1B7F},   {0x2100, 0x2130},   {0xF900, 0xFB4F}, {0x11080, 0x110BF},
      {0x1D150, 0x1D1FF}, {0x2F800, 0x2FA1F}, {1, 0x2FFFF},     {0x30000, 0x10FFFF}};
  for (int round = 0; round < 50000; ++round) {
    std::string text;
    for (int i = random() % 4; i >= 0; --i) {
      const auto& [low, high] = ranges[random() % std::size(ranges)];
      char32_t code = low + random() % (high - low + 1);
      if (code >= 0xD800 && code < 0xE000) code = 'x';
      utf8proc_uint8_t bytes[4];
      const auto length = utf8proc_encode_char(static_cast<utf8proc_int32_t>(code), bytes);
      text.append(reinterpret_cast<const char*>(bytes), length);
    }
    ASSERT_EQ(nfc(text), plain_nfc(text));
  }
}

}  // namespace
}  // namespace umf
