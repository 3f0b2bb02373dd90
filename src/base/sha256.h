// SHA-256 (FIPS 180-4): names for contents, for caches and fingerprints.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace umf {

class Sha256 {
 public:
  void add(std::string_view bytes);
  // As 64 hexadecimal digits; ends the object's use.
  std::string digest();

 private:
  void absorb_block(const unsigned char* block);

  std::array<std::uint32_t, 8> state_ = {0x6A09E667, 0xBB67AE85, 0x3C6EF372, 0xA54FF53A,
                                         0x510E527F, 0x9B05688C, 0x1F83D9AB, 0x5BE0CD19};
  std::array<unsigned char, 64> pending_{};
  std::uint64_t length_ = 0;  // bytes so far
};

std::string sha256(std::string_view bytes);
std::string sha256_bytes(std::string_view bytes);  // the 32 bytes instead of their digits

}  // namespace umf
