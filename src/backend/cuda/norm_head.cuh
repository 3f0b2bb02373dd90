// The norm of one head of a row, by a warp: written once for rows of any type and for small models.
#pragma once

#include "backend/cuda/vector.cuh"

namespace umf {

// In place: every lane reads what it writes. `kWide` as in load_group.
template <class T, bool kWide>
__device__ void norm_head(T* head, const float* gains, float eps, int dim, int lane) {
  constexpr int kStep = 32 * kGroup;
  float squares = 0;
  for (int at = lane * kGroup; at < dim; at += kStep) {
    float x[kGroup];
    load_group<kWide>(head + at, dim - at, x);
#pragma unroll
    for (int i = 0; i < kGroup; ++i) squares = fmaf(x[i], x[i], squares);
  }
#pragma unroll
  for (int step = 16; step > 0; step /= 2) squares += __shfl_xor_sync(~0u, squares, step);
  const float scale = 1.0f / sqrtf(squares / static_cast<float>(dim) + eps);
  for (int at = lane * kGroup; at < dim; at += kStep) {
    float x[kGroup], gain[kGroup];
    load_group<kWide>(head + at, dim - at, x);
    load_group<kWide>(gains + at, dim - at, gain);
#pragma unroll
    for (int i = 0; i < kGroup; ++i) x[i] = x[i] * scale * gain[i];
    store_group<kWide>(head + at, dim - at, x);
  }
}

}  // namespace umf
