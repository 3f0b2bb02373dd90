// One stored number of a plain type as float.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>

#include "backend/tensor.h"

namespace umf {

inline float widen_bf16(std::uint16_t bits) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16);
}

inline float widen_f16(std::uint16_t bits) {
  const std::uint32_t sign = static_cast<std::uint32_t>(bits & 0x8000) << 16;
  const std::uint32_t magnitude = bits & 0x7FFF;
  // Zero and subnormals: magnitude * 2^-24, exact in float.
  if (magnitude < 0x0400) {
    const float value = static_cast<float>(magnitude) * 0x1p-24f;
    return std::bit_cast<float>(std::bit_cast<std::uint32_t>(value) | sign);
  }
  const std::uint32_t exponent =
      magnitude >= 0x7C00 ? 0x7F800000u : ((magnitude >> 10) + 112) << 23;
  return std::bit_cast<float>(sign | exponent | (magnitude & 0x03FF) << 13);
}

// Element `index` of `tensor`, whose type is a plain one and which may lie at any address.
inline float element(const HostTensor& tensor, std::size_t index) {
  const std::byte* at = tensor.data + index * size_of(tensor.type);
  if (tensor.type == DType::kF32) {
    float value;
    std::memcpy(&value, at, sizeof value);
    return value;
  }
  std::uint16_t bits;
  std::memcpy(&bits, at, sizeof bits);
  return tensor.type == DType::kBF16 ? widen_bf16(bits) : widen_f16(bits);
}

}  // namespace umf
