// Numbers rounded to bf16 for products: alone in f32 lanes, or in pairs for the machine's dot
// products.
//
// A product of two bf16 numbers is exact in f32, so that one chain of fused multiply-adds over
// rounded numbers has the same bits on every machine. The dot product of AVX512_BF16 (vdpbf16ps)
// is two links of such a chain: it adds the product of the upper halves of a lane, rounds to
// nearest even, then does the same with the lower halves. We put the earlier number in the upper
// half, and have the chain of the f32 kernels. What it does otherwise than fma: numbers below
// 2^-126, given or computed, count as 0. (Intel's manual says all of this; on a Zen 4 and on a
// Sapphire Rapids it was compared with fma over millions of random numbers of every size.)
//
// Such numbers therefore never occur: rounding makes numbers below 2^-56 zero. The others are
// multiples of 2^-63, their products multiples of 2^-126, and so are sums of these, rounded to f32
// or not: a sum is 0 or at least 2^-126.
#if defined(UMF_CPU_BF16_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef UMF_CPU_BF16_INL_H
#undef UMF_CPU_BF16_INL_H
#else
#define UMF_CPU_BF16_INL_H
#endif

#include <bit>

#include "backend/cpu/vec-inl.h"

// Machines with AVX-512 are asked at run time whether they have dot products of pairs.
#undef UMF_CPU_PAIRS
#if HWY_TARGET == HWY_AVX3
#define UMF_CPU_PAIRS 1
#else
#define UMF_CPU_PAIRS 0
#endif

HWY_BEFORE_NAMESPACE();
namespace umf {
namespace HWY_NAMESPACE {

inline constexpr float kLeastBf16 = 0x1p-56f;

// To nearest even; NaN stays NaN.
template <class D, class V>
HWY_INLINE V round_to_bf16(D d, V x) {
  const hn::RebindToUnsigned<D> du;
  const auto bits = hn::BitCast(du, x);
  const auto upper = hn::Set(du, 0xFFFF0000u);
  const auto odd = hn::And(hn::ShiftRight<16>(bits), hn::Set(du, 1u));
  const auto rounded = hn::And(hn::Add(bits, hn::Add(odd, hn::Set(du, 0x7FFFu))), upper);
  const auto quiet = hn::Or(hn::And(bits, upper), hn::Set(du, 0x00400000u));
  const V y = hn::IfThenElse(hn::IsNaN(x), hn::BitCast(d, quiet), hn::BitCast(d, rounded));
  return hn::IfThenZeroElse(hn::Lt(hn::Abs(y), hn::Set(d, kLeastBf16)), y);
}

inline float round_one_to_bf16(float x) {
  const hn::CappedTag<float, 1> d;
  return hn::GetLane(round_to_bf16(d, hn::Set(d, x)));
}

// Two rounded numbers in a lane, as bits that are only moved and multiplied; the earlier one is the
// upper half.
inline float pair_of(float earlier, float later) {
  return std::bit_cast<float>(std::bit_cast<std::uint32_t>(round_one_to_bf16(earlier)) |
                              std::bit_cast<std::uint32_t>(round_one_to_bf16(later)) >> 16);
}

#if HWY_TARGET != HWY_SCALAR
// bf16 numbers, two in a lane: those too small become 0.
HWY_INLINE VF drop_small(VF pairs) {
  const hn::Repartition<std::int16_t, F32> d;
  const auto bits = hn::BitCast(d, pairs);
  const auto size = hn::And(bits, hn::Set(d, std::int16_t{0x7FFF}));
  const auto least = hn::Set(d, std::int16_t{(127 - 56) << 7});
  return hn::BitCast(F32(), hn::IfThenZeroElse(hn::Lt(size, least), bits));
}
#endif

#if UMF_CPU_PAIRS
// The instructions are written as such: this Highway does not know them, and the compiler would
// have to be told that every function around them may only run where they exist.

// c plus the products of both halves of a and b: the upper ones first.
HWY_INLINE VF dot_pairs(VF a, VF b, VF c) {
  asm("vdpbf16ps %2, %1, %0" : "+v"(c.raw) : "v"(a.raw), "v"(b.raw));
  return c;
}

// bf16 numbers in their order in memory, as pairs.
HWY_INLINE VF pairs_in_order(VF bf16) {
  return hn::BitCast(F32(), hn::RotateRight<16>(hn::BitCast(U32(), bf16)));
}

// 32 numbers, as pairs: round_to_bf16, but small numbers stay.
HWY_INLINE VF round_to_pairs(VF first, VF second) {
  VF bf16;
  asm("vcvtne2ps2bf16 %2, %1, %0" : "=v"(bf16.raw) : "v"(second.raw), "v"(first.raw));
  return pairs_in_order(bf16);
}

// Lane by lane, of numbers that are rounded.
HWY_INLINE VF join_pairs(VF earlier, VF later) {
  return hn::BitCast(
      F32(), hn::Or(hn::BitCast(U32(), earlier), hn::ShiftRight<16>(hn::BitCast(U32(), later))));
}

// Lane by lane, of numbers that are not rounded yet, and none of which is small.
HWY_INLINE VF round_to_pair(VF earlier, VF later) {
  __m512i bf16;  // the later ones, then the earlier ones
  asm("vcvtne2ps2bf16 %2, %1, %0" : "=v"(bf16) : "v"(earlier.raw), "v"(later.raw));
  HWY_ALIGN static constexpr std::uint16_t kOrder[32] = {0,  16, 1,  17, 2,  18, 3,  19, 4,  20, 5,
                                                         21, 6,  22, 7,  23, 8,  24, 9,  25, 10, 26,
                                                         11, 27, 12, 28, 13, 29, 14, 30, 15, 31};
  return VF{_mm512_castsi512_ps(_mm512_permutexvar_epi16(_mm512_load_si512(kOrder), bf16))};
}
#endif

// One step of a chain: of one number, or of a pair.
template <std::size_t kNumbers>
HWY_INLINE VF multiply_add(VF a, VF b, VF c) {
#if UMF_CPU_PAIRS
  if constexpr (kNumbers == 2) return dot_pairs(a, b, c);
#endif
  static_assert(kNumbers == 1 || UMF_CPU_PAIRS);
  return fma(a, b, c);
}

}  // namespace HWY_NAMESPACE
}  // namespace umf
HWY_AFTER_NAMESPACE();

#endif  // UMF_CPU_BF16_INL_H
