#include "base/checksum.h"

#include <fmt/core.h>

#include <cstdint>

namespace umf {

std::string checksum(std::string_view bytes) {
  std::uint64_t hash = 0xCBF29CE484222325;
  for (const unsigned char byte : bytes) hash = (hash ^ byte) * 0x100000001B3;
  return fmt::format("{:016x}", hash);
}

}  // namespace umf
