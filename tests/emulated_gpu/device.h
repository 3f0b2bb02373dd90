// What nvcc knows by itself, for a compiler of the machine: every kernel is compiled with this in
// front. Functions of a GPU that none of our kernels calls are not here.
#pragma once

#include <cuda_runtime_api.h>
#include <math.h>
#include <vector_functions.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>

#include "block.h"
#include "runtime.h"

#undef __launch_bounds__
#undef __shared__
#define __launch_bounds__(...)
#define __shared__ static thread_local

using std::max;
using std::min;

inline void __syncthreads() { umf::emulated::wait_for_block(); }
inline int __syncthreads_count(int vote) { return umf::emulated::wait_for_block(vote != 0); }
inline void __syncwarp() { umf::emulated::wait_for_warp(); }

namespace umf::emulated {

// All lanes take part in every exchange: nothing else is asked of a warp here.
template <class T>
T from_lane(unsigned mask, const T& value, int source) {
  if (mask != ~0u) __builtin_trap();
  const auto& parcels = exchange(packed(value));
  return unpacked<T>(parcels[source < 0 || source >= kLanes ? lane() : source]);
}

}  // namespace umf::emulated

template <class T>
T __shfl_sync(unsigned mask, T value, int source) {
  return umf::emulated::from_lane(mask, value, source % umf::emulated::kLanes);
}
template <class T>
T __shfl_xor_sync(unsigned mask, T value, int bits) {
  return umf::emulated::from_lane(mask, value, umf::emulated::lane() ^ bits);
}
template <class T>
T __shfl_down_sync(unsigned mask, T value, int lanes) {
  return umf::emulated::from_lane(mask, value, umf::emulated::lane() + lanes);
}
template <class T>
T __shfl_up_sync(unsigned mask, T value, int lanes) {
  return umf::emulated::from_lane(mask, value, umf::emulated::lane() - lanes);
}
inline unsigned __ballot_sync(unsigned mask, int vote) {
  if (mask != ~0u) __builtin_trap();
  const auto& parcels = umf::emulated::exchange(umf::emulated::packed(vote));
  unsigned votes = 0;
  for (int i = 0; i < umf::emulated::kLanes; ++i)
    votes |= unsigned{umf::emulated::unpacked<int>(parcels[i]) != 0} << i;
  return votes;
}

inline unsigned __reduce_max_sync(unsigned mask, unsigned value) {
  if (mask != ~0u) __builtin_trap();
  const auto& parcels = umf::emulated::exchange(umf::emulated::packed(value));
  for (int i = 0; i < umf::emulated::kLanes; ++i)
    value = std::max(value, umf::emulated::unpacked<unsigned>(parcels[i]));
  return value;
}
inline unsigned __reduce_min_sync(unsigned mask, unsigned value) {
  return ~__reduce_max_sync(mask, ~value);
}

// One thread of the machine runs all threads of a grid.
template <class T, class U>
T atomicAdd(T* at, U value) {
  const T before = *at;
  *at = static_cast<T>(before + value);
  return before;
}
template <class T, class U>
T atomicMax(T* at, U value) {
  const T before = *at;
  *at = std::max(before, static_cast<T>(value));
  return before;
}
template <class T, class U>
T atomicMin(T* at, U value) {
  const T before = *at;
  *at = std::min(before, static_cast<T>(value));
  return before;
}

inline float __uint_as_float(unsigned x) { return std::bit_cast<float>(x); }
inline unsigned __float_as_uint(float x) { return std::bit_cast<unsigned>(x); }
inline float __int_as_float(int x) { return std::bit_cast<float>(x); }
inline int __float_as_int(float x) { return std::bit_cast<int>(x); }
inline unsigned __float2uint_rn(float x) { return static_cast<unsigned>(rintf(x)); }
inline int __popc(unsigned x) { return std::popcount(x); }
inline int __clz(unsigned x) { return std::countl_zero(x); }
inline int __ffs(unsigned x) { return x == 0 ? 0 : std::countr_zero(x) + 1; }
inline unsigned __umulhi(unsigned a, unsigned b) {
  return static_cast<unsigned>(std::uint64_t{a} * b >> 32);
}
inline unsigned __byte_perm(unsigned low, unsigned high, unsigned which) {
  const std::uint64_t bytes = std::uint64_t{high} << 32 | low;
  unsigned result = 0;
  for (int i = 0; i < 4; ++i) {
    const unsigned choice = which >> 4 * i & 0xF;
    const unsigned byte = bytes >> 8 * (choice & 7) & 0xFF;
    result |= ((choice & 8) == 0 ? byte : (byte & 0x80) != 0 ? 0xFFu : 0u) << 8 * i;
  }
  return result;
}
inline float __expf(float x) { return expf(x); }
inline float __fdividef(float a, float b) { return a / b; }
inline float rsqrtf(float x) { return 1.0f / sqrtf(x); }

// runtime.h has the functions of the host; these are templates where nvcc compiles.
template <class Kernel>
cudaError_t cudaFuncSetAttribute(Kernel*, cudaFuncAttribute, int value) {
  return value <= umf::emulated::kSharedLimit ? cudaSuccess : cudaErrorInvalidValue;
}
template <class... Parameters, class... Arguments>
cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t*, void (*)(Parameters...), Arguments&&...) {
  return cudaErrorNotSupported;  // clusters come with capability 9.0
}
