// The yardstick of the benchmark: fused multiply-adds in registers and nothing else.
#if defined(UMF_CPU_PEAK_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef UMF_CPU_PEAK_INL_H
#undef UMF_CPU_PEAK_INL_H
#else
#define UMF_CPU_PEAK_INL_H
#endif

#include "backend/cpu/bf16-inl.h"
#include "backend/cpu/vec-inl.h"

HWY_BEFORE_NAMESPACE();
namespace umf {
namespace HWY_NAMESPACE {

// Operations done; a fused multiply-add counts as two, and a step of pairs as two of them.
template <std::size_t kNumbers>
HWY_NOINLINE double fma_loop(long rounds) {
  constexpr std::size_t kChains = 12;  // more than latency x units of any machine we know
  VF acc[kChains];
#pragma GCC unroll 16
  for (std::size_t i = 0; i < kChains; ++i) acc[i] = set(static_cast<float>(i));
  const VF factor = set(0.999f), term = set(0.001f);
  for (long round = 0; round < rounds; ++round) {
#pragma GCC unroll 16
    for (std::size_t i = 0; i < kChains; ++i) acc[i] = multiply_add<kNumbers>(factor, term, acc[i]);
  }
  HWY_ALIGN float lanes[kLanes];
  volatile float sink = 0;
#pragma GCC unroll 16
  for (std::size_t i = 0; i < kChains; ++i) {
    hn::Store(acc[i], F32(), lanes);
    sink = sink + lanes[0];
  }
  return 2.0 * static_cast<double>(rounds) * kNumbers * kChains * kLanes;
}

}  // namespace HWY_NAMESPACE
}  // namespace umf
HWY_AFTER_NAMESPACE();

#endif  // UMF_CPU_PEAK_INL_H
