// Reductions over the threads of a block, in one fixed order; every thread gets the result.
#pragma once

namespace umf {

template <int kWarps, class Merge>
__device__ float block_reduce(float x, const Merge& merge) {
  __shared__ float merged[kWarps];
#pragma unroll
  for (int step = 16; step > 0; step /= 2) x = merge(x, __shfl_xor_sync(~0u, x, step));
  if (threadIdx.x % 32 == 0) merged[threadIdx.x / 32] = x;
  __syncthreads();
  x = merged[0];
#pragma unroll
  for (int warp = 1; warp < kWarps; ++warp) x = merge(x, merged[warp]);
  __syncthreads();  // before the next reduction writes here
  return x;
}

template <int kWarps>
__device__ float block_sum(float x) {
  return block_reduce<kWarps>(x, [](float a, float b) { return a + b; });
}
template <int kWarps>
__device__ float block_max(float x) {
  return block_reduce<kWarps>(x, [](float a, float b) { return fmaxf(a, b); });
}

}  // namespace umf
