#include "base/sha256.h"

#include <gtest/gtest.h>

namespace umf {
namespace {

TEST(Sha256, GivesThePublishedValues) {
  EXPECT_EQ(sha256(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(sha256("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(sha256("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(sha256(std::string(1'000'000, 'a')),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(Sha256, TheSameInPieces) {
  const std::string text(200, 'x');
  for (const std::size_t cut : {0, 1, 55, 56, 63, 64, 65, 128, 199}) {
    Sha256 hash;
    hash.add(text.substr(0, cut));
    hash.add(text.substr(cut));
    EXPECT_EQ(hash.digest(), sha256(text)) << cut;
  }
}

}  // namespace
}  // namespace umf
