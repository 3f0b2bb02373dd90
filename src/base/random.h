// Counter-based noise: a number is a pure function of (key, counter), so results do not depend on
// the order, the batch or the thread in which they are asked for.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "base/token.h"

namespace umf {

// What a stream of noise belongs to. Equal keys give equal noise.
struct NoiseKey {
  std::uint64_t low = 0, high = 0;
  auto operator<=>(const NoiseKey&) const = default;
};

// The key of one denoising step: the run's seed, the action's index and the state before the step.
NoiseKey noise_key(std::uint64_t seed, std::uint64_t action, std::span<const Token> state);

// Philox 4x32 with 10 rounds (Salmon et al., SC 2011): four 32-bit words per counter value.
inline std::array<std::uint32_t, 4> philox(std::array<std::uint32_t, 4> counter,
                                           std::array<std::uint32_t, 2> key) {
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t a = std::uint64_t{0xD2511F53} * counter[0];
    const std::uint64_t b = std::uint64_t{0xCD9E8D57} * counter[2];
    counter = {
        static_cast<std::uint32_t>(b >> 32) ^ counter[1] ^ key[0], static_cast<std::uint32_t>(b),
        static_cast<std::uint32_t>(a >> 32) ^ counter[3] ^ key[1], static_cast<std::uint32_t>(a)};
    key = {key[0] + 0x9E3779B9, key[1] + 0xBB67AE85};
  }
  return counter;
}

// The 23 upper bits as a number strictly between 0 and 1: (bits + 1/2) / 2^23, exact in float.
inline float open_unit(std::uint32_t word) {
  return (static_cast<float>(word >> 9) + 0.5f) * (1.0f / 8388608.0f);
}

// Noise word for vocabulary entry `index` at `position`. Word index % 4 of block index / 4: the
// key's upper half stands in the counter, its lower half is Philox's key.
inline std::uint32_t noise_word(const NoiseKey& key, std::uint32_t position, std::uint32_t index) {
  const auto words =
      philox({index / 4, position, static_cast<std::uint32_t>(key.high),
              static_cast<std::uint32_t>(key.high >> 32)},
             {static_cast<std::uint32_t>(key.low), static_cast<std::uint32_t>(key.low >> 32)});
  return words[index % 4];
}

// Noise that belongs to a position and to no vocabulary entry: which masks, not which tokens.
inline constexpr std::uint32_t kPositionNoise = 0xFFFFFFFF;
inline float position_noise(const NoiseKey& key, std::uint32_t position) {
  return open_unit(noise_word(key, position, kPositionNoise));
}

}  // namespace umf
