// Functions whose last bits no result needs, as the hardware has them.
#pragma once

#include "backend/cuda/exp2.cuh"

namespace umf {

// For bf16 the fast exponential and division are exact to what it can hold, and a third of the
// work.
template <class T>
__device__ float silu(float x) {
  return sizeof(T) == 4 ? x / (1.0f + expf(-x)) : __fdividef(x, 1.0f + __expf(-x));
}

}  // namespace umf
