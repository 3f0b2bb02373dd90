// Quantised weights for tests and benchmarks: blocks at random, and simple quantisers.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <random>
#include <vector>

#include "backend/blocks.h"
#include "backend/tensor.h"

namespace umf {

inline constexpr DType kQuantisedTypes[] = {DType::kQ4_0, DType::kQ4_1, DType::kQ5_0, DType::kQ5_1,
                                            DType::kQ8_0, DType::kQ4_K, DType::kQ5_K, DType::kQ6_K};

// Every bit at random, but for the exponents of the half floats: those are of every size up to 1/4,
// subnormal ones too, and of both signs. They lie at an odd address.
class RandomBlocks {
 public:
  RandomBlocks(DType type, int rows, int cols, std::uint32_t seed)
      : type_(type), rows_(rows), cols_(cols), bytes_(1 + rows * row_bytes(type, cols)) {
    std::mt19937 engine(seed);
    for (std::byte& byte : bytes_) byte = static_cast<std::byte>(engine() & 255);
    const std::size_t factor = type == DType::kQ6_K ? 208 : 0;
    for (std::size_t at = 1; at < bytes_.size(); at += block_bytes(type)) {
      for (const std::size_t half : {factor, factor + 2}) {
        if (half > factor && !has_minimum(type)) break;
        // The upper byte: sign, exponent up to 12 of 15, two bits of the fraction.
        bytes_[at + half + 1] = static_cast<std::byte>((engine() & 0x80) | engine() % (13 * 4));
      }
    }
    numbers_.resize(static_cast<std::size_t>(rows) * cols);
    dequantise(type, bytes_.data() + 1, numbers_);
  }
  HostTensor view() const { return {bytes_.data() + 1, type_, rows_, cols_}; }
  // The same as plain numbers.
  HostTensor plain() const {
    return {reinterpret_cast<const std::byte*>(numbers_.data()), DType::kF32, rows_, cols_};
  }
  const std::vector<float>& numbers() const { return numbers_; }

 private:
  DType type_;
  int rows_, cols_;
  std::vector<std::byte> bytes_;
  std::vector<float> numbers_;
};

// A positive number that half floats have as a normal one, cut to their bits.
inline std::uint16_t cut_to_half(float x) {
  const auto bits = std::bit_cast<std::uint32_t>(x);
  return bits < 113u << 23 ? 0 : static_cast<std::uint16_t>((bits >> 13) - (112 << 10));
}
inline float half_value(std::uint16_t half) {
  return half == 0 ? 0 : std::bit_cast<float>((half + (112u << 10)) << 13);
}

// Blocks of 32: the largest number becomes 127 steps.
inline void quantise_q8_0(const float* from, std::byte* to) {
  float largest = 0;
  for (int i = 0; i < 32; ++i) largest = std::max(largest, std::abs(from[i]));
  const std::uint16_t half = cut_to_half(largest / 127);
  std::memcpy(to, &half, 2);
  const float step = half_value(half);
  for (int i = 0; i < 32; ++i) {
    const float steps = step > 0 ? std::clamp(std::round(from[i] / step), -127.0f, 127.0f) : 0;
    to[2 + i] = static_cast<std::byte>(static_cast<std::int8_t>(steps));
  }
}

// Blocks of 256 in groups of 32, each from its least number (0 or below) up in 15 steps.
inline void quantise_q4_k(const float* from, std::byte* to) {
  float least[8], step[8], most_step = 0, most_least = 0;
  for (int j = 0; j < 8; ++j) {
    const auto [low, high] = std::minmax_element(from + 32 * j, from + 32 * j + 32);
    least[j] = std::max(0.0f, -*low);
    step[j] = (*high + least[j]) / 15;
    most_step = std::max(most_step, step[j]);
    most_least = std::max(most_least, least[j]);
  }
  const std::uint16_t halves[] = {cut_to_half(most_step / 63), cut_to_half(most_least / 63)};
  const float d = half_value(halves[0]), dmin = half_value(halves[1]);
  std::memset(to, 0, 144);
  std::memcpy(to, halves, sizeof halves);
  auto* bytes = reinterpret_cast<std::uint8_t*>(to);
  for (int j = 0; j < 8; ++j) {
    const int scale = d > 0 ? std::min(63, static_cast<int>(std::ceil(step[j] / d))) : 0;
    const int minimum = dmin > 0 ? std::min(63, static_cast<int>(std::ceil(least[j] / dmin))) : 0;
    std::uint8_t* s = bytes + 4;
    if (j < 4) {
      s[j] |= scale;
      s[j + 4] |= minimum;
    } else {
      s[j + 4] |= (scale & 15) | (minimum & 15) << 4;
      s[j - 4] |= scale >> 4 << 6;
      s[j] |= minimum >> 4 << 6;
    }
    const float one = d * scale, zero = dmin * minimum;
    for (int l = 0; l < 32; ++l) {
      const float steps = one > 0 ? std::round((from[32 * j + l] + zero) / one) : 0;
      const int q = static_cast<int>(std::clamp(steps, 0.0f, 15.0f));
      bytes[16 + j / 2 * 32 + l] |= q << j % 2 * 4;
    }
  }
}

// Q8_0 or Q4_K.
inline std::vector<std::byte> quantised(const std::vector<float>& numbers, DType type) {
  const std::size_t elements = block_elements(type), size = block_bytes(type);
  std::vector<std::byte> blocks(numbers.size() / elements * size);
  for (std::size_t i = 0; i * elements < numbers.size(); ++i) {
    const auto quantise = type == DType::kQ8_0 ? quantise_q8_0 : quantise_q4_k;
    quantise(&numbers[i * elements], &blocks[i * size]);
  }
  return blocks;
}

}  // namespace umf
