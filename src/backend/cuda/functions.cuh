// Functions whose last bits no result needs, as the hardware has them.
#pragma once

namespace umf {

// Numbers below 2^-126 become 0.
__device__ inline float exp2_fast(float x) {
  float y;
  asm("ex2.approx.ftz.f32 %0, %1;\n" : "=f"(y) : "f"(x));
  return y;
}

// For bf16 the fast exponential and division are exact to what it can hold, and a third of the
// work.
template <class T>
__device__ float silu(float x) {
  return sizeof(T) == 4 ? x / (1.0f + expf(-x)) : __fdividef(x, 1.0f + __expf(-x));
}

}  // namespace umf
