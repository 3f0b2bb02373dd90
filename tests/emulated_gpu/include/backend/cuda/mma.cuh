// In place of src/backend/cuda/mma.cuh: the same instructions in plain code.
#pragma once

#include <cuda_bf16.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>

#include "block.h"

namespace umf {

using emulated::commit_copies;
using emulated::shared_address;

inline void copy_async(std::uint32_t to, const void* from, bool inside) {
  emulated::copy_later(emulated::shared_pointer(to), inside ? from : nullptr, 16);
}
template <int kLeft>
void wait_for_copies() {
  emulated::wait_for_copies(kLeft);
}

// Lane l gets numbers 2 (l % 4) and the next of row l / 4 of each matrix; transposed, of column.
template <bool kTransposed>
void load_matrices_either(std::uint32_t (&r)[4], std::uint32_t address) {
  const auto& addresses = emulated::exchange(emulated::packed(address));
  const int row = emulated::lane() / 4, col = emulated::lane() % 4 * 2;
  for (int matrix = 0; matrix < 4; ++matrix) {
    std::uint16_t pair[2];
    for (int i = 0; i < 2; ++i) {
      const int from_row = kTransposed ? col + i : row, from_col = kTransposed ? row : col + i;
      const auto start = emulated::unpacked<std::uint32_t>(addresses[matrix * 8 + from_row]);
      std::memcpy(&pair[i], emulated::shared_pointer(start) + from_col * 2, 2);
    }
    r[matrix] = pair[0] | std::uint32_t{pair[1]} << 16;
  }
}
inline void load_matrices(std::uint32_t (&r)[4], std::uint32_t address) {
  load_matrices_either<false>(r, address);
}
inline void load_matrices_transposed(std::uint32_t (&r)[4], std::uint32_t address) {
  load_matrices_either<true>(r, address);
}

// One chain per element, the depth ascending.
inline void multiply_add(float (&c)[4], const std::uint32_t (&a)[4], std::uint32_t b0,
                         std::uint32_t b1) {
  struct Operands {
    std::uint32_t a[4], b[2];
  };
  const auto& parcels =
      emulated::exchange(emulated::packed(Operands{{a[0], a[1], a[2], a[3]}, {b0, b1}}));
  const auto half = [](std::uint32_t two, int which) {
    return std::bit_cast<float>(which == 0 ? two << 16 : two & 0xFFFF0000u);
  };
  const int lane = emulated::lane();
  for (int i = 0; i < 4; ++i) {
    const int row = lane / 4 + i / 2 * 8, col = lane % 4 * 2 + i % 2;
    for (int k = 0; k < 16; ++k) {
      const auto left = emulated::unpacked<Operands>(parcels[row % 8 * 4 + k % 8 / 2]);
      const auto right = emulated::unpacked<Operands>(parcels[col * 4 + k % 8 / 2]);
      c[i] = std::fma(half(left.a[k / 8 * 2 + row / 8], k % 2), half(right.b[k / 8], k % 2), c[i]);
    }
  }
}

inline std::uint32_t pack_pair(float low, float high) {
  const __nv_bfloat162 pair = __floats2bfloat162_rn(low, high);
  std::uint32_t both;
  std::memcpy(&both, &pair, sizeof both);
  return both;
}

}  // namespace umf
