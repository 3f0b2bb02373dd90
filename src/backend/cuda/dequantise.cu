// Blocks as plain numbers: rows of an embedding, weights for a library's product.
#include <algorithm>

#include "backend/cuda/blocks.cuh"
#include "backend/cuda/dispatch.cuh"
#include "backend/cuda/kernels.h"

namespace umf {
namespace {

constexpr int kThreads = 256;

template <class Blocks, class T>
__global__ void __launch_bounds__(kThreads) dequantise(Bytes blocks, T* out, std::size_t groups) {
  constexpr int kGroups = block_elements(Blocks::kType) / kGroup;
  constexpr std::size_t kBytes = block_bytes(Blocks::kType);
  const std::size_t step = static_cast<std::size_t>(gridDim.x) * kThreads;
  for (std::size_t group = blockIdx.x * static_cast<std::size_t>(kThreads) + threadIdx.x;
       group < groups; group += step) {
    float x[kGroup];
    block_group<Blocks>(blocks + group / kGroups * kBytes,
                        static_cast<int>(group % kGroups) * kGroup, x);
    store_group<true>(out + group * kGroup, kGroup, x);
  }
}

template <class Blocks, class T, bool kWide>
__global__ void embed(Bytes table, const int* rows, T* out, int stride, int cols) {
  constexpr int kElements = block_elements(Blocks::kType);
  constexpr std::size_t kBytes = block_bytes(Blocks::kType);
  Bytes row = table + static_cast<std::size_t>(rows[blockIdx.x]) * (cols / kElements) * kBytes;
  T* to = out + static_cast<std::size_t>(stride) * blockIdx.x;
  for (int at = threadIdx.x * kGroup; at < cols; at += blockDim.x * kGroup) {
    float x[kGroup];
    block_group<Blocks>(row + at / kElements * kBytes, at % kElements, x);
    store_group<kWide>(to + at, cols - at, x);
  }
}

template <class Use>
void with_blocks(DType type, const Use& use) {
  switch (type) {
    case DType::kQ4_0:
      return use(Q4_0{});
    case DType::kQ4_1:
      return use(Q4_1{});
    case DType::kQ5_0:
      return use(Q5_0{});
    case DType::kQ5_1:
      return use(Q5_1{});
    case DType::kQ8_0:
      return use(Q8_0{});
    case DType::kQ4_K:
      return use(Q4_K{});
    case DType::kQ5_K:
      return use(Q5_K{});
    case DType::kQ6_K:
      return use(Q6_K{});
    default:
      throw Error("cuda: these weights are not blocks");
  }
}

}  // namespace

void launch_dequantise(const void* blocks, DType from, void* out, DType to, std::size_t count,
                       cudaStream_t stream) {
  const std::size_t groups = count / kGroup;
  if (groups == 0) return;
  const unsigned grid = std::min(blocks_for(groups, kThreads), 132u * 64);
  with_blocks(from, [&](auto format) {
    dispatch(to, false, [&](auto zero, auto) {
      using T = decltype(zero);
      dequantise<decltype(format), T>
          <<<grid, kThreads, 0, stream>>>(static_cast<Bytes>(blocks), static_cast<T*>(out), groups);
    });
  });
  check_launch("dequantising weights");
}

void launch_embed_blocks(const Operation& op, cudaStream_t stream) {
  with_blocks(op.in.type, [&](auto format) {
    dispatch(op.out.type, is_wide(op.out), [&](auto zero, auto wide) {
      using T = decltype(zero);
      embed<decltype(format), T, wide>
          <<<op.out.rows, 128, 0, stream>>>(static_cast<Bytes>(op.in.data), op.integers,
                                            pointer<T>(op.out), op.out.stride, op.out.cols);
    });
  });
  check_launch("copying rows");
}

}  // namespace umf
