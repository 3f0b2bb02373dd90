#include "base/random.h"

namespace umf {
namespace {

// MurmurHash3's 64-bit finaliser: every input bit reaches every output bit.
std::uint64_t mix(std::uint64_t x) {
  x = (x ^ (x >> 33)) * 0xFF51AFD7ED558CCD;
  x = (x ^ (x >> 33)) * 0xC4CEB9FE1A85EC53;
  return x ^ (x >> 33);
}

}  // namespace

NoiseKey noise_key(std::uint64_t seed, std::uint64_t action, std::span<const Token> state) {
  // Two chains over the same words with different multipliers make 128 bits.
  NoiseKey key{mix(seed + 0x9E3779B97F4A7C15), mix(seed ^ 0xD1B54A32D192ED03)};
  const auto absorb = [&key](std::uint64_t word) {
    key.low = mix(key.low * 0x9DDFEA08EB382D69 + word);
    key.high = mix((key.high ^ word) * 0xA0761D6478BD642F + 0xE7037ED1A0B428DB);
  };
  absorb(action);
  absorb(state.size());
  for (const Token token : state) absorb(static_cast<std::uint32_t>(token));
  return key;
}

}  // namespace umf
