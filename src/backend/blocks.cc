#include "backend/blocks.h"

#include <cassert>
#include <cstdint>
#include <cstring>

#include "backend/widen.h"

namespace umf {
namespace {

using Bytes = const std::uint8_t*;

float half_at(Bytes b) {
  std::uint16_t bits;
  std::memcpy(&bits, b, sizeof bits);
  return widen_f16(bits);
}

// Blocks of 32: element i < 16 is the low half of byte i, the others are the high halves.
int nibble(Bytes b, int i) { return b[i % 16] >> i / 16 * 4 & 15; }

int bit(Bytes b, int i) { return b[i / 8] >> i % 8 & 1; }

void q4_0(Bytes b, float* out) {
  const float d = half_at(b);
  for (int i = 0; i < 32; ++i) out[i] = d * (nibble(b + 2, i) - 8);
}

void q4_1(Bytes b, float* out) {
  const float d = half_at(b), m = half_at(b + 2);
  for (int i = 0; i < 32; ++i) out[i] = d * nibble(b + 4, i) + m;
}

void q5_0(Bytes b, float* out) {
  const float d = half_at(b);
  for (int i = 0; i < 32; ++i) out[i] = d * (nibble(b + 6, i) + 16 * bit(b + 2, i) - 16);
}

void q5_1(Bytes b, float* out) {
  const float d = half_at(b), m = half_at(b + 2);
  for (int i = 0; i < 32; ++i) out[i] = d * (nibble(b + 8, i) + 16 * bit(b + 4, i)) + m;
}

void q8_0(Bytes b, float* out) {
  const float d = half_at(b);
  for (int i = 0; i < 32; ++i) out[i] = d * static_cast<std::int8_t>(b[2 + i]);
}

// The factor and the minimum of group j of Q4_K and Q5_K: 6 bits each, in 12 bytes.
struct Group {
  int scale, minimum;
};
Group group_of(Bytes s, int j) {
  if (j < 4) return {s[j] & 63, s[j + 4] & 63};
  return {(s[j + 4] & 15) | s[j - 4] >> 6 << 4, s[j + 4] >> 4 | s[j] >> 6 << 4};
}

// Groups of 32. The nibbles of groups 2n and 2n + 1 share 32 bytes.
template <class Value>
void groups_of_32(Bytes b, float* out, const Value& value) {
  const float d = half_at(b), dmin = half_at(b + 2);
  for (int j = 0; j < 8; ++j) {
    const Group group = group_of(b + 4, j);
    const float factor = d * group.scale, minimum = dmin * group.minimum;
    for (int l = 0; l < 32; ++l) out[32 * j + l] = factor * value(j, l) - minimum;
  }
}

void q4_k(Bytes b, float* out) {
  groups_of_32(b, out, [&](int j, int l) { return b[16 + j / 2 * 32 + l] >> j % 2 * 4 & 15; });
}

void q5_k(Bytes b, float* out) {
  groups_of_32(b, out, [&](int j, int l) {
    return (b[48 + j / 2 * 32 + l] >> j % 2 * 4 & 15) + 16 * (b[16 + l] >> j & 1);
  });
}

// Two halves of 128 elements; in each, runs of 32 that take their low four bits from one half of 64
// bytes and their high two bits from a quarter of 32.
void q6_k(Bytes b, float* out) {
  const float d = half_at(b + 208);
  for (int i = 0; i < 256; ++i) {
    const int half = i / 128, run = i % 128 / 32, l = i % 32;
    const int low = b[64 * half + l + run % 2 * 32] >> run / 2 * 4 & 15;
    const int high = b[128 + 32 * half + l] >> 2 * run & 3;
    const float factor = d * static_cast<std::int8_t>(b[192 + i / 16]);
    out[i] = factor * ((low | high << 4) - 32);
  }
}

using OneBlock = void (*)(Bytes, float*);
OneBlock one_block(DType type) {
  switch (type) {
    case DType::kQ4_0:
      return q4_0;
    case DType::kQ4_1:
      return q4_1;
    case DType::kQ5_0:
      return q5_0;
    case DType::kQ5_1:
      return q5_1;
    case DType::kQ8_0:
      return q8_0;
    case DType::kQ4_K:
      return q4_k;
    case DType::kQ5_K:
      return q5_k;
    case DType::kQ6_K:
      return q6_k;
    case DType::kF32:
    case DType::kF16:
    case DType::kBF16:
    case DType::kF8:
      break;
  }
  return nullptr;
}

}  // namespace

void dequantise(DType type, const std::byte* blocks, std::span<float> out) {
  const std::size_t elements = block_elements(type), bytes = block_bytes(type);
  const OneBlock block = one_block(type);
  assert(block && out.size() % elements == 0);
  auto from = reinterpret_cast<Bytes>(blocks);
  for (std::size_t i = 0; i < out.size(); i += elements, from += bytes) block(from, &out[i]);
}

}  // namespace umf
