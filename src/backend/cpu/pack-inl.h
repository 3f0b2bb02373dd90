// Copies that turn rows into the layouts of the matrix kernel: widened to f32, rounded to bf16 and
// widened, or rounded and in pairs.
#if defined(UMF_CPU_PACK_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef UMF_CPU_PACK_INL_H
#undef UMF_CPU_PACK_INL_H
#else
#define UMF_CPU_PACK_INL_H
#endif

#include <cstring>
#include <type_traits>

#include "backend/blocks.h"
#include "backend/cpu/bf16-inl.h"
#include "backend/cpu/kernels.h"
#include "backend/cpu/vec-inl.h"

HWY_BEFORE_NAMESPACE();
namespace umf {
namespace HWY_NAMESPACE {

// Stored types. Weights are aligned to their element and no more.
struct Half {
  std::uint16_t bits;
};
struct BFloat16 {
  std::uint16_t bits;
};

// The same, to be rounded to bf16 (bf16-inl.h) while they are packed.
template <class T>
struct Rounded {  // f32 lanes
  T stored;
};
template <class T>
struct Paired {  // two numbers in a lane; small ones stay (has_small)
  T stored;
};

// Numbers of one row in a lane of the packed form, which is one step of a chain.
template <class T>
inline constexpr std::size_t kPerStep = 1;
template <class T>
inline constexpr std::size_t kPerStep<Paired<T>> = 2;
template <class T>
constexpr std::size_t steps(std::size_t depth) {
  return (depth + kPerStep<T> - 1) / kPerStep<T>;
}

HWY_INLINE float widen_one(const float* from) { return *from; }
HWY_INLINE float widen_one(const BFloat16* from) {
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

// One step of a row of which `left` numbers are left.
template <class T>
HWY_INLINE float pack_one(const T* from, std::size_t /*left*/) {
  return widen_one(from);
}
template <class T>
HWY_INLINE float pack_one(const Rounded<T>* from, std::size_t /*left*/) {
  return round_one_to_bf16(widen_one(&from->stored));
}
template <class T>
HWY_INLINE float pack_one(const Paired<T>* from, std::size_t left) {
  return pair_of(widen_one(&from->stored), left > 1 ? widen_one(&from[1].stored) : 0.0f);
}

#if HWY_TARGET != HWY_SCALAR
// Numbers in a lane of a loaded vector. Two bf16 numbers are only moved, and widened when stored;
// pairs stay pairs.
template <class T>
inline constexpr std::size_t kPerLane = std::is_same_v<T, BFloat16> ? 2 : 1;
template <class T>
inline constexpr std::size_t kPerLane<Rounded<T>> = kPerLane<T>;
template <class T>
inline constexpr std::size_t kPerLane<Paired<T>> = 2;

HWY_INLINE VF load_row(const float* from) { return hn::LoadU(F32(), from); }
HWY_INLINE VF load_row(const Half* from) {
  const hn::Rebind<hwy::float16_t, F32> d;
  const hn::Rebind<std::uint16_t, F32> bits;
  return hn::PromoteTo(F32(), hn::BitCast(d, hn::LoadU(bits, &from->bits)));
}
HWY_INLINE VF load_row(const BFloat16* from) {
  const hn::Repartition<std::uint16_t, F32> d;
  return hn::BitCast(F32(), hn::LoadU(d, &from->bits));
}
template <class T>
HWY_INLINE VF load_row(const Rounded<T>* from) {
  return round_to_bf16(F32(), load_row(&from->stored));
}
HWY_INLINE VF load_row(const Rounded<BFloat16>* from) {
  return drop_small(load_row(&from->stored));
}
#if UMF_CPU_PAIRS
template <class T>
HWY_INLINE VF load_row(const Paired<T>* from) {
  return round_to_pairs(load_row(&from->stored), load_row(&from[kLanes].stored));
}
HWY_INLINE VF load_row(const Paired<BFloat16>* from) {
  return pairs_in_order(load_row(&from->stored));
}
#endif

// The two bf16 numbers of each lane, widened.
HWY_INLINE VF lower_half(VF v) {
  return hn::BitCast(F32(), hn::ShiftLeft<16>(hn::BitCast(U32(), v)));
}
HWY_INLINE VF upper_half(VF v) {
  return hn::BitCast(F32(), hn::And(hn::BitCast(U32(), v), hn::Set(U32(), 0xFFFF0000u)));
}

// Transposes 4 x 4 numbers in each 128-bit block.
template <class D, class V>
HWY_INLINE void transpose_quads(D d, V& a, V& b, V& c, V& e) {
  const hn::RepartitionToWide<hn::RebindToUnsigned<D>> pairs;
  const auto ab_low = hn::BitCast(pairs, hn::InterleaveLower(d, a, b));
  const auto ab_high = hn::BitCast(pairs, hn::InterleaveUpper(d, a, b));
  const auto ce_low = hn::BitCast(pairs, hn::InterleaveLower(d, c, e));
  const auto ce_high = hn::BitCast(pairs, hn::InterleaveUpper(d, c, e));
  a = hn::BitCast(d, hn::InterleaveLower(pairs, ab_low, ce_low));
  b = hn::BitCast(d, hn::InterleaveUpper(pairs, ab_low, ce_low));
  c = hn::BitCast(d, hn::InterleaveLower(pairs, ab_high, ce_high));
  e = hn::BitCast(d, hn::InterleaveUpper(pairs, ab_high, ce_high));
}

// Transposes kLanes x kLanes numbers: quads in their 128-bit blocks, then the blocks.
HWY_INLINE void transpose_square(VF* HWY_RESTRICT r) {
  const F32 d;
#pragma GCC unroll 16
  for (std::size_t i = 0; i < kLanes; i += 4)
    transpose_quads(d, r[i], r[i + 1], r[i + 2], r[i + 3]);
#if HWY_TARGET == HWY_AVX3
#pragma GCC unroll 16
  for (std::size_t i = 0; i < 4; ++i) {
    const __m512 ab_low = _mm512_shuffle_f32x4(r[i].raw, r[i + 4].raw, 0x44);
    const __m512 ab_high = _mm512_shuffle_f32x4(r[i].raw, r[i + 4].raw, 0xEE);
    const __m512 cd_low = _mm512_shuffle_f32x4(r[i + 8].raw, r[i + 12].raw, 0x44);
    const __m512 cd_high = _mm512_shuffle_f32x4(r[i + 8].raw, r[i + 12].raw, 0xEE);
    r[i] = VF{_mm512_shuffle_f32x4(ab_low, cd_low, 0x88)};
    r[i + 4] = VF{_mm512_shuffle_f32x4(ab_low, cd_low, 0xDD)};
    r[i + 8] = VF{_mm512_shuffle_f32x4(ab_high, cd_high, 0x88)};
    r[i + 12] = VF{_mm512_shuffle_f32x4(ab_high, cd_high, 0xDD)};
  }
#elif HWY_TARGET == HWY_AVX2
#pragma GCC unroll 16
  for (std::size_t i = 0; i < 4; ++i) {
    const VF low = hn::ConcatLowerLower(d, r[i + 4], r[i]);
    r[i + 4] = hn::ConcatUpperUpper(d, r[i + 4], r[i]);
    r[i] = low;
  }
#else
  static_assert(kLanes == 4);
#endif
}

// Numbers until rows start on whole vectors; 0 where they do not all start alike. Rows often lie a
// multiple of 4 KiB apart and then share one set of the first cache, so that a line which is read
// in two parts is fetched twice.
template <class T>
HWY_INLINE std::size_t numbers_to_line(const T* const* rows) {
  constexpr std::size_t kBytes = kLanes * kPerLane<T> * sizeof(T);
  const std::size_t past = reinterpret_cast<std::uintptr_t>(rows[0]) % kBytes;
  if (reinterpret_cast<std::uintptr_t>(rows[1]) % kBytes != past) return 0;
  const std::size_t numbers = (kBytes - past) % kBytes / sizeof(T);
  return numbers % kPerStep<T> == 0 ? numbers : 0;
}

// A vector of each of kLanes rows from k on. For the same reason the lines to come are asked for in
// the second cache, not in the first.
template <class T>
HWY_INLINE void load_square(const T* const* rows, std::size_t k, VF* HWY_RESTRICT r) {
#pragma GCC unroll 16
  for (std::size_t i = 0; i < kLanes; ++i) {
    const T* from = rows[i] + k;
    for (std::size_t line = 0; line < kPerLane<T> * kLanes * sizeof(T); line += 64) {
      __builtin_prefetch(reinterpret_cast<const std::byte*>(from) + 512 + line, 0, 2);
    }
    r[i] = load_row(from);
  }
}

// One block of pack_columns: a vector of each of kWidth rows from k on.
template <std::size_t kWidth, class T>
HWY_INLINE void pack_block(const T* const* rows, std::size_t k, float* packed) {
  for (std::size_t column = 0; column < kWidth; column += kLanes) {
    VF r[kLanes];
    load_square(rows + column, k, r);
    transpose_square(r);
#pragma GCC unroll 16
    for (std::size_t i = 0; i < kLanes; ++i) {
      float* to = packed + i * (kPerLane<T> / kPerStep<T>)*kWidth + column;
      if constexpr (kPerLane<T> == kPerStep<T>) {
        hn::StoreU(r[i], F32(), to);
      } else {
        hn::StoreU(lower_half(r[i]), F32(), to);
        hn::StoreU(upper_half(r[i]), F32(), to + kWidth);
      }
    }
  }
}
#endif  // HWY_SCALAR

// Columns: numbers [0, depth) of kWidth rows, as [steps][kWidth]. The first and the last block may
// overlap their neighbours: the same numbers go to the same places.
template <std::size_t kWidth, class T>
HWY_NOINLINE void pack_columns(const T* const* rows, std::size_t depth, float* packed) {
  std::size_t k = 0;
#if HWY_TARGET != HWY_SCALAR
  constexpr std::size_t kBlock = kLanes * kPerLane<T>;
  const auto at = [&](std::size_t number) { return packed + number / kPerStep<T> * kWidth; };
  if (depth >= kBlock) {
    k = numbers_to_line(rows);
    if (k > 0) pack_block<kWidth>(rows, 0, packed);
    for (; k + kBlock <= depth; k += kBlock) pack_block<kWidth>(rows, k, at(k));
    if (k < depth && depth % kPerStep<T> == 0) {
      pack_block<kWidth>(rows, depth - kBlock, at(depth - kBlock));
      k = depth;
    }
  }
#endif
  for (; k < depth; k += kPerStep<T>) {
    for (std::size_t column = 0; column < kWidth; ++column) {
      packed[k / kPerStep<T> * kWidth + column] = pack_one(rows[column] + k, depth - k);
    }
  }
}

#if HWY_TARGET != HWY_SCALAR
template <class D>
HWY_INLINE hn::Vec<D> load_some(D d, const float* from) {
  return hn::LoadU(d, from);
}
template <class D>
HWY_INLINE hn::Vec<D> load_some(D d, const Rounded<float>* from) {
  return round_to_bf16(d, hn::LoadU(d, &from->stored));
}
#endif

// Rows [0, count) as [depth][count].
template <class T>
HWY_NOINLINE void pack_tile(const T* rows, std::size_t stride, std::size_t count, std::size_t depth,
                            float* packed) {
  std::size_t row = 0;
#if HWY_TARGET != HWY_SCALAR
  const hn::FixedTag<float, 4> d;
  using VQ = hn::Vec<decltype(d)>;
  for (; row + 4 <= count; row += 4) {
    const T* from = rows + row * stride;
    float* to = packed + row;
    std::size_t k = 0;
    for (; k + 4 <= depth; k += 4) {
      VQ a = load_some(d, from + k), b = load_some(d, from + stride + k);
      VQ c = load_some(d, from + 2 * stride + k), e = load_some(d, from + 3 * stride + k);
      transpose_quads(d, a, b, c, e);
      hn::StoreU(a, d, to + k * count);
      hn::StoreU(b, d, to + (k + 1) * count);
      hn::StoreU(c, d, to + (k + 2) * count);
      hn::StoreU(e, d, to + (k + 3) * count);
    }
    for (; k < depth; ++k) {
      for (std::size_t i = 0; i < 4; ++i) to[k * count + i] = pack_one(from + i * stride + k, 1);
    }
  }
#endif
  for (; row < count; ++row) {
    for (std::size_t k = 0; k < depth; ++k) {
      packed[k * count + row] = pack_one(rows + row * stride + k, 1);
    }
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
      widen_all(reinterpret_cast<const BFloat16*>(from), count, to);
      break;
    case DType::kF8:
      break;  // in no file
    default:
      dequantise(type, from, {to, count});
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace umf
HWY_AFTER_NAMESPACE();

#endif  // UMF_CPU_PACK_INL_H
