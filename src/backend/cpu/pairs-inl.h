// What products of pairs need beside what all have: rows packed in pairs, and a look at weights.
#if defined(UMF_CPU_PAIRS_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef UMF_CPU_PAIRS_INL_H
#undef UMF_CPU_PAIRS_INL_H
#else
#define UMF_CPU_PAIRS_INL_H
#endif

#include <algorithm>

#include "backend/cpu/bf16-inl.h"
#include "backend/cpu/pack-inl.h"

#if UMF_CPU_PAIRS
HWY_BEFORE_NAMESPACE();
namespace umf {
namespace HWY_NAMESPACE {

// Rows [0, count), at most kLanes, as [steps][count].
HWY_NOINLINE inline void pack_tile(const Paired<float>* rows, std::size_t stride, std::size_t count,
                                   std::size_t depth, float* packed) {
  float* const end = packed + steps<Paired<float>>(depth) * count;
  std::size_t k = 0;
  for (; k + 2 * kLanes <= depth; k += 2 * kLanes) {
    VF r[kLanes];
#pragma GCC unroll 16
    for (std::size_t i = 0; i < kLanes; ++i) {
      r[i] = i < count ? drop_small(load_row(rows + i * stride + k)) : hn::Zero(F32());
    }
    transpose_square(r);
#pragma GCC unroll 16
    for (std::size_t i = 0; i < kLanes; ++i, packed += count) {
      // What a whole vector writes past its step, the next one writes again.
      const std::size_t room = end - packed;
      store_first(r[i], packed, room >= kLanes ? kLanes : count);
    }
  }
  for (; k < depth; k += 2, packed += count) {
    for (std::size_t i = 0; i < count; ++i) {
      packed[i] = pack_one(rows + i * stride + k, depth - k);
    }
  }
}

// Whether there are numbers that rounding makes 0 and packing in pairs does not. Weights are looked
// through once, because doing so whenever they are packed takes longer than a product of few rows.
template <class T>
HWY_NOINLINE bool has_small(const Paired<T>* from, std::size_t count) {
  const VU sizes = hn::Set(U32(), 0x7FFF7FFFu);
  VU dropped = hn::Zero(U32());
  const auto look_at = [&](const Paired<T>* numbers) {
    const VF pairs = load_row(numbers);
    const VU change = hn::Xor(hn::BitCast(U32(), pairs), hn::BitCast(U32(), drop_small(pairs)));
    dropped = hn::Or(dropped, hn::And(change, sizes));
  };
  std::size_t i = 0;
  for (; i + 2 * kLanes <= count; i += 2 * kLanes) look_at(from + i);
  Paired<T> rest[2 * kLanes] = {};
  std::copy(from + i, from + count, rest);
  look_at(rest);
  return !hn::AllTrue(U32(), hn::Eq(dropped, hn::Zero(U32())));
}

}  // namespace HWY_NAMESPACE
}  // namespace umf
HWY_AFTER_NAMESPACE();
#endif  // UMF_CPU_PAIRS

#endif  // UMF_CPU_PAIRS_INL_H
