#include "tokenizer/byte_alphabet.h"

#include <gtest/gtest.h>

namespace umf {
namespace {

TEST(ByteAlphabet, EveryByteComesBack) {
  for (int byte = 0; byte < 256; ++byte) {
    std::string bytes;
    ASSERT_TRUE(append_alphabet_bytes(alphabet_char(static_cast<unsigned char>(byte)), bytes));
    EXPECT_EQ(bytes, std::string(1, static_cast<char>(byte)));
  }
}

TEST(ByteAlphabet, HasTheCharactersOfPublishedVocabularies) {
  EXPECT_EQ(alphabet_char(' '), "Ġ");
  EXPECT_EQ(alphabet_char('\n'), "Ċ");
  EXPECT_EQ(alphabet_char('!'), "!");
  EXPECT_EQ(alphabet_char(0xAD), "Ń");
  EXPECT_EQ(alphabet_char(0xFF), "ÿ");
}

TEST(ByteAlphabet, RefusesOtherCharactersAndAppendsNothing) {
  std::string bytes = "kept";
  EXPECT_FALSE(append_alphabet_bytes("a b", bytes));
  EXPECT_FALSE(append_alphabet_bytes("a▁b", bytes));
  EXPECT_FALSE(append_alphabet_bytes("a\xFF", bytes));
  EXPECT_EQ(bytes, "kept");
}

}  // namespace
}  // namespace umf
