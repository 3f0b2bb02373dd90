#include "cli/npy.h"

#include <fmt/core.h>

#include <bit>
#include <cstring>

namespace umf {

static_assert(std::endian::native == std::endian::little);

std::string npy_file(std::span<const float> values, std::size_t rows, std::size_t cols) {
  std::string header =
      fmt::format("{{'descr': '<f4', 'fortran_order': False, 'shape': ({}, {}), }}", rows, cols);
  constexpr std::size_t kPreamble = 10, kAlignment = 64;  // the data begins at a multiple of 64
  header.append(kAlignment - (kPreamble + header.size() + 1) % kAlignment, ' ');
  header.push_back('\n');
  std::string file("\x93NUMPY\x01\x00", 8);
  file.push_back(static_cast<char>(header.size() & 0xFF));
  file.push_back(static_cast<char>(header.size() >> 8));
  file += header;
  const std::size_t begin = file.size();
  file.resize(begin + values.size_bytes());
  std::memcpy(file.data() + begin, values.data(), values.size_bytes());
  return file;
}

}  // namespace umf
