// The matrix product of f32 activations: x W^T with one chain of fused multiply-adds per output.
// Weights are f32, or bf16 for small models of odd shapes.
#include "backend/cuda/dispatch.cuh"
#include "backend/cuda/kernels.h"

namespace umf {
namespace {

constexpr int kTile = 64, kDepth = 16, kThreads = 256, kPerThread = 4;

// A block makes kTile x kTile outputs, a thread kPerThread x kPerThread of them. Slices of kDepth
// inner indices pass through shared memory; past the end they are 0, which adds nothing.
template <class W>
__global__ void __launch_bounds__(kThreads)
    product(const float* x, int x_stride, const W* weight, const float* bias, float* out,
            int out_stride, int rows, int cols, int depth, bool add) {
  __shared__ float left[kDepth][kTile + 1], right[kDepth][kTile + 1];
  const int first_row = blockIdx.y * kTile, first_col = blockIdx.x * kTile;
  const int row = threadIdx.x / 16 * kPerThread, col = threadIdx.x % 16 * kPerThread;
  float sums[kPerThread][kPerThread] = {};
  for (int start = 0; start < depth; start += kDepth) {
    for (int i = threadIdx.x; i < kTile * kDepth; i += kThreads) {
      const int line = i / kDepth, k = i % kDepth;
      const bool inside = start + k < depth;
      left[k][line] = inside && first_row + line < rows
                          ? x[static_cast<std::size_t>(first_row + line) * x_stride + start + k]
                          : 0.0f;
      right[k][line] =
          inside && first_col + line < cols
              ? to_float(weight[static_cast<std::size_t>(first_col + line) * depth + start + k])
              : 0.0f;
    }
    __syncthreads();
#pragma unroll
    for (int k = 0; k < kDepth; ++k) {
#pragma unroll
      for (int i = 0; i < kPerThread; ++i) {
#pragma unroll
        for (int j = 0; j < kPerThread; ++j) {
          sums[i][j] = fmaf(left[k][row + i], right[k][col + j], sums[i][j]);
        }
      }
    }
    __syncthreads();
  }
  for (int i = 0; i < kPerThread; ++i) {
    for (int j = 0; j < kPerThread; ++j) {
      const int at_row = first_row + row + i, at_col = first_col + col + j;
      if (at_row >= rows || at_col >= cols) continue;
      float* to = out + static_cast<std::size_t>(at_row) * out_stride + at_col;
      float sum = sums[i][j];
      if (add) sum = *to + sum;
      if (bias) sum += bias[at_col];
      *to = sum;
    }
  }
}

}  // namespace

void launch_product_f32(const Operation& op, cudaStream_t stream) {
  const dim3 grid(blocks_for(op.out.cols, kTile), blocks_for(op.out.rows, kTile));
  dispatch(op.weight_type, false, [&](auto zero, auto) {
    using W = decltype(zero);
    product<<<grid, kThreads, 0, stream>>>(
        pointer<const float>(op.in), op.in.stride, static_cast<const W*>(op.weight),
        static_cast<const float*>(op.bias), pointer<float>(op.out), op.out.stride, op.out.rows,
        op.out.cols, op.in.cols, op.add);
  });
  check_launch("a matrix product");
}

}  // namespace umf
