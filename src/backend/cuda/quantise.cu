// Plain numbers as blocks of Q8_0: what backend/quantise.cc does, with its bits.
#include <algorithm>
#include <cassert>

#include "backend/cuda/dispatch.cuh"
#include "backend/cuda/kernels.h"

namespace umf {
namespace {

constexpr int kElements = block_elements(DType::kQ8_0), kWarps = 8;
constexpr std::size_t kBytes = block_bytes(DType::kQ8_0);

// A warp per block.
template <class T>
__global__ void __launch_bounds__(32 * kWarps)
    quantise(const T* in, std::uint8_t* out, std::size_t blocks) {
  static_assert(kElements == 32);
  const int lane = threadIdx.x % 32;
  const std::size_t step = static_cast<std::size_t>(gridDim.x) * kWarps;
  for (std::size_t block = blockIdx.x * static_cast<std::size_t>(kWarps) + threadIdx.x / 32;
       block < blocks; block += step) {
    const float x = to_float(in[block * kElements + lane]);
    float largest = fabsf(x);
#pragma unroll
    for (int other = 16; other > 0; other /= 2)
      largest = fmaxf(largest, __shfl_xor_sync(~0u, largest, other));
    const __half factor = __float2half_rn(largest / 127);
    const float unit = __half2float(factor);
    const float level = unit == 0 ? 0 : fminf(fmaxf(x / unit, -127.0f), 127.0f);
    std::uint8_t* to = out + block * kBytes;
    if (lane == 0) *reinterpret_cast<__half*>(to) = factor;
    to[2 + lane] = static_cast<std::uint8_t>(static_cast<int>(rintf(level)));
  }
}

}  // namespace

void launch_quantise(const void* in, DType from, void* blocks, DType to, std::size_t count,
                     cudaStream_t stream) {
  assert(to == DType::kQ8_0 && count % kElements == 0);
  const std::size_t all = count / kElements;
  if (all == 0) return;
  const unsigned grid = std::min(blocks_for(all, kWarps), 132u * 64);
  const auto start = [&](auto zero) {
    using T = decltype(zero);
    quantise<<<grid, 32 * kWarps, 0, stream>>>(static_cast<const T*>(in),
                                               static_cast<std::uint8_t*>(blocks), all);
  };
  if (from == DType::kF16)
    start(__half{});
  else
    dispatch(from, false, [&](auto zero, auto) { start(zero); });
  check_launch("quantising weights");
}

}  // namespace umf
