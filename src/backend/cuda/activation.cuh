// The activation of gates, for the kernels that make bf16, f32 or f8 of it.
#pragma once

namespace umf {

// The fast exponential and division are exact to what bf16 can hold, and a third of the work.
template <class T>
__device__ float silu(float x) {
  return sizeof(T) == 4 ? x / (1.0f + expf(-x)) : __fdividef(x, 1.0f + __expf(-x));
}

}  // namespace umf
