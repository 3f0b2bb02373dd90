// Products with experts in f32 (activations of f32 with weights of f32 or bf16) and of shapes that
// the tensor cores do not take: one chain of fused multiply-adds per output in ascending order. And
// the sums of what a row's experts give.
#include "backend/cuda/dispatch.cuh"
#include "backend/cuda/kernels.h"
#include "backend/cuda/launch.cuh"

namespace umf {
namespace {

constexpr int kOutputs = 64, kRows = 16, kDepth = 16, kThreads = 256, kPerThread = 4;

// A block goes through the rows of one expert and makes some of its outputs, a thread kPerThread of
// a row. Slices of kDepth inner indices pass through shared memory; past the end they are 0, which
// adds nothing.
template <class T, class W>
__global__ void __launch_bounds__(kThreads)
    multiply(View in, const W* weight, const int* firsts, const int* rows, View out) {
  __shared__ float left[kDepth][kRows + 1], right[kDepth][kOutputs + 1];
  const int begin = firsts[blockIdx.y], end = firsts[blockIdx.y + 1];
  const int depth = in.cols, first_col = blockIdx.x * kOutputs;
  const int row = threadIdx.x / 16, col = threadIdx.x % 16 * kPerThread;
  weight += static_cast<std::size_t>(blockIdx.y) * out.cols * depth;
  for (int first = begin; first < end; first += kRows) {
    float sums[kPerThread] = {};
    for (int start = 0; start < depth; start += kDepth) {
      for (int i = threadIdx.x; i < (kRows + kOutputs) * kDepth; i += kThreads) {
        const int line = i / kDepth, k = i % kDepth, output = first_col + line - kRows;
        const bool inside = start + k < depth;
        if (line < kRows) {
          const int place = first + line;
          const bool here = inside && place < end;
          const std::size_t from = !here ? 0 : rows ? rows[place] : place;
          left[k][line] =
              here ? to_float(static_cast<const T*>(in.data)[from * in.stride + start + k]) : 0.0f;
        } else {
          right[k][line - kRows] =
              inside && output < out.cols
                  ? to_float(weight[static_cast<std::size_t>(output) * depth + start + k])
                  : 0.0f;
        }
      }
      __syncthreads();
#pragma unroll
      for (int k = 0; k < kDepth; ++k) {
#pragma unroll
        for (int j = 0; j < kPerThread; ++j)
          sums[j] = fmaf(left[k][row], right[k][col + j], sums[j]);
      }
      __syncthreads();
    }
    for (int j = 0; j < kPerThread; ++j) {
      if (first + row < end && first_col + col + j < out.cols)
        static_cast<T*>(
            out.data)[static_cast<std::size_t>(out.stride) * (first + row) + first_col + col + j] =
            from_float<T>(sums[j]);
    }
  }
}

// A block per row. Experts are added in ascending order, and their sum to the row.
template <class T, bool kWide>
__global__ void __launch_bounds__(kThreads)
    sum(View products, const int* places, const float* weights, int chosen, View out) {
  let_next_begin();
  wait_for_last();
  const std::size_t row = blockIdx.x;
  places += row * chosen;
  weights += row * chosen;
  for (int at = threadIdx.x * kGroup; at < out.cols; at += kThreads * kGroup) {
    float sums[kGroup] = {}, x[kGroup];
    for (int i = 0; i < chosen; ++i) {
      const T* product = static_cast<const T*>(products.data) +
                         static_cast<std::size_t>(products.stride) * places[i];
      load_group<kWide>(product + at, out.cols - at, x);
#pragma unroll
      for (int j = 0; j < kGroup; ++j) sums[j] = fmaf(weights[i], x[j], sums[j]);
    }
    T* to = static_cast<T*>(out.data) + out.stride * row + at;
    load_group<kWide>(to, out.cols - at, x);
#pragma unroll
    for (int j = 0; j < kGroup; ++j) x[j] += sums[j];
    store_group<kWide>(to, out.cols - at, x);
  }
}

template <class T, class W>
void launch_plain(const Operation& op, cudaStream_t stream) {
  const dim3 grid(blocks_for(op.out.cols, kOutputs), op.routing.experts);
  multiply<T, W><<<grid, kThreads, 0, stream>>>(op.in, static_cast<const W*>(op.weight),
                                                op.routes.first,
                                                op.by_rows ? op.routes.rows : nullptr, op.out);
  check_launch("products with experts");
}

}  // namespace

void launch_expert_product(const Operation& op, cudaStream_t stream) {
  // Which shape is chosen follows from the mean number of rows, since the true ones are not known
  // here; both give the same bits.
  constexpr int kFewRows = 16;
  if (is_quantised(op.weight_type)) {
    if (!launch_block_product(op, /*wide=*/true, stream))
      launch_block_product(op, /*wide=*/false, stream);
    return;
  }
  if (has_fast_expert_product(op))
    return launch_fast_expert_product(op, op.out.rows > kFewRows * op.routing.experts, stream);
  if (op.in.type == DType::kBF16) return launch_plain<__nv_bfloat16, __nv_bfloat16>(op, stream);
  op.weight_type == DType::kF32 ? launch_plain<float, float>(op, stream)
                                : launch_plain<float, __nv_bfloat16>(op, stream);
}

void launch_expert_sum(const Operation& op, cudaStream_t stream) {
  dispatch(op.out.type, is_wide(op.in) && is_wide(op.out), [&](auto zero, auto wide) {
    launch_early(sum<decltype(zero), wide>, dim3(op.out.rows), kThreads, 0, stream, op.in,
                 op.routes.places, op.routes.weights, op.routing.chosen, op.out);
  });
  check_launch("sums over experts");
}

}  // namespace umf
