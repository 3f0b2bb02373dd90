// GGUF's blocks on the device: numbers of a block one by one, with the bits of backend/blocks.cc.
#pragma once

#include <cuda_fp16.h>

#include <cstdint>

#include "backend/cuda/vector.cuh"
#include "backend/tensor.h"

namespace umf {

// A number is factor * (byte - kZero) + offset, where each of a block's formats says what its bytes
// are. The product is exact, so that the fused sum is rounded as ggml rounds it; -0 as the offset
// leaves every number alone.
struct BlockScale {
  float factor, offset = -0.0f;
};

using Bytes = const std::uint8_t*;

__device__ inline float half_at(Bytes at) {
  return __half2float(*reinterpret_cast<const __half*>(at));
}

// kCount (2 or 4) bytes at an address that is a multiple of kAlign.
template <int kCount, int kAlign>
__device__ std::uint32_t load_bytes(Bytes at) {
  const auto* halves = reinterpret_cast<const std::uint16_t*>(at);
  if constexpr (kCount == 2)
    return halves[0];
  else if constexpr (kAlign >= 4)
    return *reinterpret_cast<const std::uint32_t*>(at);
  else
    return halves[0] | static_cast<std::uint32_t>(halves[1]) << 16;
}

__device__ inline std::uint32_t nibbles(std::uint32_t bytes, int upper) {
  return bytes >> 4 * upper & 0x0F0F0F0Fu;
}

// The lowest four bits as the fifth bits of four bytes.
__device__ inline std::uint32_t fifth_bits(std::uint32_t bits) {
  return ((bits & 15) * 0x00204081u & 0x01010101u) << 4;
}

// In each: the scale of element i, and the bytes of kCount elements from i on, a multiple of
// kCount.

struct Q8_0 {
  static constexpr DType kType = DType::kQ8_0;
  static constexpr float kZero = 128;
  static __device__ BlockScale scale(Bytes b, int) { return {half_at(b)}; }
  template <int kCount>
  static __device__ std::uint32_t bytes(Bytes b, int i) {
    return load_bytes<kCount, 2>(b + 2 + i) ^ 0x80808080u;
  }
};

// Blocks of 32: nibbles from kNibbles on, low ones first; fifth bits from kBits on, if any.
template <int kNibbles, int kBits, int kCount>
__device__ std::uint32_t bytes_of_32(Bytes b, int i) {
  std::uint32_t bytes = nibbles(load_bytes<kCount, 2>(b + kNibbles + i % 16), i / 16);
  if constexpr (kBits > 0) bytes |= fifth_bits(load_bytes<4, 2>(b + kBits) >> i);
  return bytes;
}

struct Q4_0 {
  static constexpr DType kType = DType::kQ4_0;
  static constexpr float kZero = 8;
  static __device__ BlockScale scale(Bytes b, int) { return {half_at(b)}; }
  template <int kCount>
  static __device__ std::uint32_t bytes(Bytes b, int i) {
    return bytes_of_32<2, 0, kCount>(b, i);
  }
};

struct Q4_1 {
  static constexpr DType kType = DType::kQ4_1;
  static constexpr float kZero = 0;
  static __device__ BlockScale scale(Bytes b, int) { return {half_at(b), half_at(b + 2)}; }
  template <int kCount>
  static __device__ std::uint32_t bytes(Bytes b, int i) {
    return bytes_of_32<4, 0, kCount>(b, i);
  }
};

struct Q5_0 {
  static constexpr DType kType = DType::kQ5_0;
  static constexpr float kZero = 16;
  static __device__ BlockScale scale(Bytes b, int) { return {half_at(b)}; }
  template <int kCount>
  static __device__ std::uint32_t bytes(Bytes b, int i) {
    return bytes_of_32<6, 2, kCount>(b, i);
  }
};

struct Q5_1 {
  static constexpr DType kType = DType::kQ5_1;
  static constexpr float kZero = 0;
  static __device__ BlockScale scale(Bytes b, int) { return {half_at(b), half_at(b + 2)}; }
  template <int kCount>
  static __device__ std::uint32_t bytes(Bytes b, int i) {
    return bytes_of_32<8, 4, kCount>(b, i);
  }
};

// Of the eight groups of Q4_K and Q5_K: six bits each for factor and minimum, in 12 bytes.
__device__ inline BlockScale scale_of_group(Bytes b, int group) {
  Bytes s = b + 4;
  int factor, minimum;
  if (group < 4) {
    factor = s[group] & 63;
    minimum = s[group + 4] & 63;
  } else {
    const int low = s[group + 4];
    factor = (low & 15) | s[group - 4] >> 6 << 4;
    minimum = low >> 4 | s[group] >> 6 << 4;
  }
  return {half_at(b) * static_cast<float>(factor), -half_at(b + 2) * static_cast<float>(minimum)};
}

struct Q4_K {
  static constexpr DType kType = DType::kQ4_K;
  static constexpr float kZero = 0;
  static __device__ BlockScale scale(Bytes b, int i) { return scale_of_group(b, i / 32); }
  template <int kCount>
  static __device__ std::uint32_t bytes(Bytes b, int i) {
    return nibbles(load_bytes<kCount, 4>(b + 16 + i / 64 * 32 + i % 32), i / 32 % 2);
  }
};

struct Q5_K {
  static constexpr DType kType = DType::kQ5_K;
  static constexpr float kZero = 0;
  static __device__ BlockScale scale(Bytes b, int i) { return scale_of_group(b, i / 32); }
  template <int kCount>
  static __device__ std::uint32_t bytes(Bytes b, int i) {
    const std::uint32_t bits = load_bytes<kCount, 4>(b + 16 + i % 32) >> i / 32 & 0x01010101u;
    return nibbles(load_bytes<kCount, 4>(b + 48 + i / 64 * 32 + i % 32), i / 32 % 2) | bits << 4;
  }
};

struct Q6_K {
  static constexpr DType kType = DType::kQ6_K;
  static constexpr float kZero = 32;
  static __device__ BlockScale scale(Bytes b, int i) {
    return {half_at(b + 208) * static_cast<float>(static_cast<std::int8_t>(b[192 + i / 16]))};
  }
  template <int kCount>
  static __device__ std::uint32_t bytes(Bytes b, int i) {
    const int half = i / 128, run = i % 128 / 32, l = i % 32;
    const std::uint32_t high = load_bytes<kCount, 2>(b + 128 + 32 * half + l) >> 2 * run;
    return nibbles(load_bytes<kCount, 2>(b + 64 * half + run % 2 * 32 + l), run / 2) |
           (high & 0x03030303u) << 4;
  }
};

// Number `i` of the bytes: its byte becomes the end of a float's fraction, above 2^23.
template <class Blocks>
__device__ float block_number(std::uint32_t bytes, int i, const BlockScale& scale) {
  const float value = __uint_as_float(__byte_perm(bytes, 0x4B000000u, 0x7650u | i));
  return fmaf(scale.factor, value - (8388608.0f + Blocks::kZero), scale.offset);
}

// Elements i .. i + 7 of a block, i a multiple of 8.
template <class Blocks>
__device__ void block_group(Bytes block, int i, float (&x)[kGroup]) {
  const BlockScale scale = Blocks::scale(block, i);
  const std::uint32_t fours[2] = {Blocks::template bytes<4>(block, i),
                                  Blocks::template bytes<4>(block, i + 4)};
#pragma unroll
  for (int j = 0; j < kGroup; ++j) x[j] = block_number<Blocks>(fours[j / 4], j % 4, scale);
}

}  // namespace umf
