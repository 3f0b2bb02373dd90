// The noise of base/random.h on the device: the same words, so that a draw does not depend on where
// it is made.
#pragma once

#include <cstdint>

namespace umf {

// Philox 4x32 with 10 rounds.
__device__ inline uint4 device_philox(uint4 counter, uint2 key) {
#pragma unroll
  for (int round = 0; round < 10; ++round) {
    const std::uint32_t a_high = __umulhi(0xD2511F53u, counter.x), a_low = 0xD2511F53u * counter.x;
    const std::uint32_t b_high = __umulhi(0xCD9E8D57u, counter.z), b_low = 0xCD9E8D57u * counter.z;
    counter = {b_high ^ counter.y ^ key.x, b_low, a_high ^ counter.w ^ key.y, a_low};
    key = {key.x + 0x9E3779B9u, key.y + 0xBB67AE85u};
  }
  return counter;
}

// The four noise words of the vocabulary entries 4 * block .. 4 * block + 3 at a position.
__device__ inline uint4 device_noise_words(std::uint64_t low, std::uint64_t high,
                                           std::uint32_t position, std::uint32_t block) {
  return device_philox(
      {block, position, static_cast<std::uint32_t>(high), static_cast<std::uint32_t>(high >> 32)},
      {static_cast<std::uint32_t>(low), static_cast<std::uint32_t>(low >> 32)});
}

__device__ inline float device_open_unit(std::uint32_t word) {
  return (static_cast<float>(word >> 9) + 0.5f) * (1.0f / 8388608.0f);
}

}  // namespace umf
