// Eight neighbouring numbers of a row as f32, whatever their type.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>

#include <cstdint>

namespace umf {

inline constexpr int kGroup = 8;

__device__ inline float to_float(float x) { return x; }
__device__ inline float to_float(__nv_bfloat16 x) { return __bfloat162float(x); }
__device__ inline float to_float(__half x) { return __half2float(x); }
__device__ inline float to_float(__nv_fp8_e4m3 x) { return static_cast<float>(x); }
template <class T>
__device__ T from_float(float x) {
  if constexpr (sizeof(T) == 4)
    return x;
  else if constexpr (sizeof(T) == 1)
    return __nv_fp8_e4m3(x);  // saturates
  else
    return __float2bfloat16_rn(x);
}

// `kWide` promises 16-byte alignment and whole groups. Which numbers form a group does not depend
// on it, so the two ways give the same bits.
template <bool kWide, class T>
__device__ void load_group(const T* at, int count, float (&x)[kGroup]) {
  if constexpr (!kWide) {
#pragma unroll
    for (int i = 0; i < kGroup; ++i) x[i] = i < count ? to_float(at[i]) : 0.0f;
  } else if constexpr (sizeof(T) == 4) {
    const float4 a = reinterpret_cast<const float4*>(at)[0];
    const float4 b = reinterpret_cast<const float4*>(at)[1];
    x[0] = a.x, x[1] = a.y, x[2] = a.z, x[3] = a.w;
    x[4] = b.x, x[5] = b.y, x[6] = b.z, x[7] = b.w;
  } else {
    const uint4 words = *reinterpret_cast<const uint4*>(at);
    const std::uint32_t pairs[4] = {words.x, words.y, words.z, words.w};
#pragma unroll
    for (int i = 0; i < 4; ++i) {  // bf16 is the upper half of an f32
      x[2 * i] = __uint_as_float(pairs[i] << 16);
      x[2 * i + 1] = __uint_as_float(pairs[i] & 0xFFFF0000u);
    }
  }
}

template <bool kWide, class T>
__device__ void store_group(T* at, int count, const float (&x)[kGroup]) {
  if constexpr (!kWide) {
#pragma unroll
    for (int i = 0; i < kGroup; ++i) {
      if (i < count) at[i] = from_float<T>(x[i]);
    }
  } else if constexpr (sizeof(T) == 1) {
    const __nv_fp8x4_e4m3 fours[2] = {__nv_fp8x4_e4m3(make_float4(x[0], x[1], x[2], x[3])),
                                      __nv_fp8x4_e4m3(make_float4(x[4], x[5], x[6], x[7]))};
    *reinterpret_cast<uint2*>(at) = {fours[0].__x, fours[1].__x};
  } else if constexpr (sizeof(T) == 4) {
    reinterpret_cast<float4*>(at)[0] = make_float4(x[0], x[1], x[2], x[3]);
    reinterpret_cast<float4*>(at)[1] = make_float4(x[4], x[5], x[6], x[7]);
  } else {
    __nv_bfloat162 pairs[4];
#pragma unroll
    for (int i = 0; i < 4; ++i) pairs[i] = __floats2bfloat162_rn(x[2 * i], x[2 * i + 1]);
    *reinterpret_cast<uint4*>(at) = *reinterpret_cast<const uint4*>(pairs);
  }
}

}  // namespace umf
