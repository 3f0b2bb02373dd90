// Attention for every type and head size: one warp per query and head, plain loops in f32.
#include <algorithm>

#include "backend/cuda/dispatch.cuh"
#include "backend/cuda/kernels.h"
#include "backend/cuda/visible.cuh"

namespace umf {
namespace {

constexpr int kMaxHeadDim = 256, kPerLane = kMaxHeadDim / 32, kWarps = 4;

__device__ float warp_max(float x) {
#pragma unroll
  for (int step = 16; step > 0; step /= 2) x = fmaxf(x, __shfl_xor_sync(~0u, x, step));
  return x;
}

__device__ float warp_sum(float x) {
#pragma unroll
  for (int step = 16; step > 0; step /= 2) x += __shfl_xor_sync(~0u, x, step);
  return x;
}

// Keys come 32 at a time: a lane scores one key, then holds every 32nd number of the mean.
template <class T>
__global__ void attend(View queries, View keys, View values, View out, const int* positions,
                       AttentionShape shape) {
  __shared__ float shared_query[kWarps][kMaxHeadDim];
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const int head = blockIdx.y * kWarps + warp;
  if (head >= shape.heads) return;
  const int dims = shape.head_dim, row = blockIdx.x;
  const int kv = head / (shape.heads / shape.kv_heads) * dims;
  const T* query = static_cast<const T*>(queries.data) +
                   static_cast<std::size_t>(queries.stride) * row + head * dims;
  const T* key_base = static_cast<const T*>(keys.data) + kv;
  const T* value_base = static_cast<const T*>(values.data) + kv;
  float* q = shared_query[warp];
  const float scale = 1.0f / sqrtf(static_cast<float>(dims));
  for (int d = lane; d < dims; d += 32) q[d] = to_float(query[d]);
  __syncwarp();

  float mean[kPerLane] = {}, top = -INFINITY, sum = 0;
  const int seen = visible(shape, positions[row], keys.rows);
  for (int first = 0; first < seen; first += 32) {
    float score = -INFINITY;
    if (first + lane < seen) {
      const T* key = key_base + static_cast<std::size_t>(keys.stride) * (first + lane);
      float dot = 0;
      for (int d = 0; d < dims; ++d) dot = fmaf(q[d], to_float(key[d]), dot);
      score = dot * scale;
    }
    const float new_top = fmaxf(top, warp_max(score));
    const float shrink = expf(top - new_top), p = expf(score - new_top);
    sum = sum * shrink + warp_sum(p);
    top = new_top;
#pragma unroll
    for (int i = 0; i < kPerLane; ++i) mean[i] *= shrink;
    for (int k = 0; k < min(32, seen - first); ++k) {
      const float weight = __shfl_sync(~0u, p, k);
      const T* value = value_base + static_cast<std::size_t>(values.stride) * (first + k);
#pragma unroll
      for (int i = 0; i < kPerLane; ++i) {
        if (i * 32 + lane < dims) mean[i] = fmaf(weight, to_float(value[i * 32 + lane]), mean[i]);
      }
    }
  }
  T* to = static_cast<T*>(out.data) + static_cast<std::size_t>(out.stride) * row + head * dims;
#pragma unroll
  for (int i = 0; i < kPerLane; ++i) {
    if (i * 32 + lane < dims) to[i * 32 + lane] = from_float<T>(mean[i] / sum);
  }
}

}  // namespace

void launch_attention(const Operation& op, cudaStream_t stream) {
  if (op.shape.head_dim > kMaxHeadDim) {
    throw Error("cuda: heads of more than 256 numbers are not supported; pass --backend cpu");
  }
  const dim3 grid(op.in.rows, blocks_for(op.shape.heads, kWarps));
  dispatch(op.in.type, false, [&](auto zero, auto) {
    using T = decltype(zero);
    attend<T><<<grid, 32 * kWarps, 0, stream>>>(op.in, op.keys, op.values, op.out, op.integers,
                                                op.shape);
  });
  check_launch("attention");
}

}  // namespace umf
