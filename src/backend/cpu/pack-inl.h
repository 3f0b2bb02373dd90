// Copies that turn rows into the layouts of the matrix kernel, widening to f32 on the way.
#if defined(UMF_CPU_PACK_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef UMF_CPU_PACK_INL_H
#undef UMF_CPU_PACK_INL_H
#else
#define UMF_CPU_PACK_INL_H
#endif

#include <cstring>

#include "backend/cpu/kernels.h"
#include "backend/cpu/vec-inl.h"

HWY_BEFORE_NAMESPACE();
namespace umf {
namespace HWY_NAMESPACE {

// Stored types. Weights are aligned to their element and no more.
struct Half {
  std::uint16_t bits;
};
struct Brain {
  std::uint16_t bits;
};

HWY_INLINE float widen_one(const float* from) { return *from; }
HWY_INLINE float widen_one(const Brain* from) {
  const std::uint32_t bits = std::uint32_t{from->bits} << 16;
  float value;
  std::memcpy(&value, &bits, sizeof(value));
  return value;
}
HWY_INLINE float widen_one(const Half* from) {
  const std::uint32_t sign = std::uint32_t{from->bits & 0x8000u} << 16;
  std::uint32_t exponent = (from->bits >> 10) & 31, fraction = from->bits & 1023;
  std::uint32_t bits;
  if (exponent == 31) {
    bits = sign | 0x7F800000u | fraction << 13;
  } else if (exponent > 0) {
    bits = sign | (exponent + 112) << 23 | fraction << 13;
  } else {
    const float value = static_cast<float>(fraction) * 0x1p-24f;  // exact: 0 or subnormal
    std::memcpy(&bits, &value, sizeof(bits));
    bits |= sign;
  }
  float value;
  std::memcpy(&value, &bits, sizeof(value));
  return value;
}

#if HWY_TARGET == HWY_SCALAR
inline constexpr std::size_t kBlocks = 0;
#else
using Quad = hn::FixedTag<float, 4>;
using VQ = hn::Vec<Quad>;

// 4 numbers of one row.
HWY_INLINE VQ load_quad(const float* from) { return hn::LoadU(Quad(), from); }
HWY_INLINE VQ load_quad(const Half* from) {
  const hn::FixedTag<hwy::float16_t, 4> d;
  const hn::FixedTag<std::uint16_t, 4> du;
  return hn::PromoteTo(Quad(), hn::BitCast(d, hn::LoadU(du, &from->bits)));
}
// 8 numbers of one row, two in a lane: only moved, not computed with.
HWY_INLINE VQ load_quad(const Brain* from) {
  const hn::FixedTag<std::uint16_t, 8> d;
  return hn::BitCast(Quad(), hn::LoadU(d, &from->bits));
}

// Transposes 4 x 4 numbers in each 128-bit block.
template <class D, class V>
HWY_INLINE void transpose_quads(D d, V& a, V& b, V& c, V& e) {
  const hn::RepartitionToWide<hn::RebindToUnsigned<D> > pairs;
  const auto ab_low = hn::BitCast(pairs, hn::InterleaveLower(d, a, b));
  const auto ab_high = hn::BitCast(pairs, hn::InterleaveUpper(d, a, b));
  const auto ce_low = hn::BitCast(pairs, hn::InterleaveLower(d, c, e));
  const auto ce_high = hn::BitCast(pairs, hn::InterleaveUpper(d, c, e));
  a = hn::BitCast(d, hn::InterleaveLower(pairs, ab_low, ce_low));
  b = hn::BitCast(d, hn::InterleaveUpper(pairs, ab_low, ce_low));
  c = hn::BitCast(d, hn::InterleaveLower(pairs, ab_high, ce_high));
  e = hn::BitCast(d, hn::InterleaveUpper(pairs, ab_high, ce_high));
}

// One 128-bit block of each of kLanes / 4 rows, four rows apart.
template <class T>
HWY_INLINE VF load_blocks(const T* const* rows, std::size_t k) {
#if HWY_MAX_BYTES >= 64
  const hn::FixedTag<float, 8> half;
  return hn::Combine(F32(), hn::Combine(half, load_quad(rows[12] + k), load_quad(rows[8] + k)),
                     hn::Combine(half, load_quad(rows[4] + k), load_quad(rows[0] + k)));
#elif HWY_MAX_BYTES >= 32
  return hn::Combine(F32(), load_quad(rows[4] + k), load_quad(rows[0] + k));
#else
  return load_quad(rows[0] + k);
#endif
}

HWY_INLINE void store_columns(const float*, VF v, float* to, std::size_t) {
  hn::StoreU(v, F32(), to);
}
HWY_INLINE void store_columns(const Half*, VF v, float* to, std::size_t) {
  hn::StoreU(v, F32(), to);
}
// A lane holds numbers k (lower half) and k + 1.
HWY_INLINE void store_columns(const Brain*, VF v, float* to, std::size_t width) {
  const U32 d;
  const VU bits = hn::BitCast(d, v);
  hn::StoreU(hn::BitCast(F32(), hn::ShiftLeft<16>(bits)), F32(), to);
  hn::StoreU(hn::BitCast(F32(), hn::And(bits, hn::Set(d, 0xFFFF0000u))), F32(), to + width);
}
#endif  // HWY_SCALAR

// Columns: numbers [0, depth) of kWidth rows, as [depth][kWidth].
template <std::size_t kWidth, class T>
HWY_NOINLINE void pack_columns(const T* const* rows, std::size_t depth, float* packed) {
  std::size_t k = 0;
#if HWY_TARGET != HWY_SCALAR
  constexpr std::size_t kPerLane = sizeof(T) == 2 && !std::is_same_v<T, Half> ? 2 : 1;
  constexpr std::size_t kStep = 4 * kPerLane;
  for (; k + kStep <= depth; k += kStep) {
    for (std::size_t column = 0; column < kWidth; column += kLanes) {
      const T* const* block = rows + column;
      VF a = load_blocks(block, k), b = load_blocks(block + 1, k);
      VF c = load_blocks(block + 2, k), e = load_blocks(block + 3, k);
      transpose_quads(F32(), a, b, c, e);
      float* to = packed + k * kWidth + column;
      store_columns(static_cast<const T*>(nullptr), a, to, kWidth);
      store_columns(static_cast<const T*>(nullptr), b, to + kPerLane * kWidth, kWidth);
      store_columns(static_cast<const T*>(nullptr), c, to + 2 * kPerLane * kWidth, kWidth);
      store_columns(static_cast<const T*>(nullptr), e, to + 3 * kPerLane * kWidth, kWidth);
    }
  }
#endif
  for (; k < depth; ++k) {
    for (std::size_t column = 0; column < kWidth; ++column) {
      packed[k * kWidth + column] = widen_one(rows[column] + k);
    }
  }
}

// Rows [0, count) as [depth][count].
HWY_NOINLINE void pack_tile(const float* rows, std::size_t stride, std::size_t count,
                            std::size_t depth, float* packed) {
  std::size_t row = 0;
#if HWY_TARGET != HWY_SCALAR
  const Quad d;
  for (; row + 4 <= count; row += 4) {
    const float* from = rows + row * stride;
    float* to = packed + row;
    std::size_t k = 0;
    for (; k + 4 <= depth; k += 4) {
      VQ a = hn::LoadU(d, from + k), b = hn::LoadU(d, from + stride + k);
      VQ c = hn::LoadU(d, from + 2 * stride + k), e = hn::LoadU(d, from + 3 * stride + k);
      transpose_quads(d, a, b, c, e);
      hn::StoreU(a, d, to + k * count);
      hn::StoreU(b, d, to + (k + 1) * count);
      hn::StoreU(c, d, to + (k + 2) * count);
      hn::StoreU(e, d, to + (k + 3) * count);
    }
    for (; k < depth; ++k) {
      for (std::size_t i = 0; i < 4; ++i) to[k * count + i] = from[i * stride + k];
    }
  }
#endif
  for (; row < count; ++row) {
    for (std::size_t k = 0; k < depth; ++k) packed[k * count + row] = rows[row * stride + k];
  }
}

template <class T>
HWY_INLINE void widen_all(const T* from, std::size_t count, float* to) {
  for (std::size_t i = 0; i < count; ++i) to[i] = widen_one(from + i);
}

inline void widen(const std::byte* from, DType type, std::size_t count, float* to) {
  switch (type) {
    case DType::kF32:
      std::memcpy(to, from, count * sizeof(float));
      break;
    case DType::kF16:
      widen_all(reinterpret_cast<const Half*>(from), count, to);
      break;
    case DType::kBF16:
      widen_all(reinterpret_cast<const Brain*>(from), count, to);
      break;
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace umf
HWY_AFTER_NAMESPACE();

#endif  // UMF_CPU_PACK_INL_H
