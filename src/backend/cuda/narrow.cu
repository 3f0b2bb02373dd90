// Rows as kF8 with one factor each: what is multiplied inside layers where a model is allowed to be
// approximate. Norm and activation write it directly.
#include "backend/cuda/block.cuh"
#include "backend/cuda/dispatch.cuh"
#include "backend/cuda/functions.cuh"
#include "backend/cuda/kernels.h"

namespace umf {
namespace {

using F8 = __nv_fp8_e4m3;

constexpr float kLargest = 448;

// What a block does with its row: how many threads it has, and how many groups each keeps between
// the two looks at it. As many rows at a time as fit hide each other's waiting.
template <int kThreadCount, int kHeldGroups, int kBlockCount>
struct Plan {
  static constexpr int kThreads = kThreadCount, kWarps = kThreads / 32, kStep = kThreads * kGroup;
  static constexpr int kHeld = kHeldGroups, kBlocks = kBlockCount;
};
using Short = Plan<256, 2, 6>;  // hidden states
using Long = Plan<512, 5, 3>;   // gates

// Eight numbers as bf16, which is as exact as other backends have them.
__device__ uint4 packed(const float (&y)[kGroup]) {
  uint4 words;
  store_group<true>(reinterpret_cast<__nv_bfloat16*>(&words), kGroup, y);
  return words;
}
__device__ void unpack(const uint4& words, float (&y)[kGroup]) {
  load_group<true>(reinterpret_cast<const __nv_bfloat16*>(&words), kGroup, y);
}

// A row of kF8 and its factor. The factor makes the largest number of the row the largest of kF8,
// so it must be known before the first is written: make(at, y) gives eight numbers, and is asked
// twice for those of long rows that are not kept.
template <class Plan, bool kWide, class Make>
__device__ void write_row(int cols, F8* to, float* factor, const Make& make) {
  uint4 held[Plan::kHeld];
  float top = 0;
  const int start = threadIdx.x * kGroup, rest = start + Plan::kHeld * Plan::kStep;
  const auto look = [&](int at) {
    float y[kGroup];
    make(at, y);
    const uint4 words = packed(y);
    unpack(words, y);
#pragma unroll
    for (int i = 0; i < kGroup; ++i) top = fmaxf(top, fabsf(y[i]));
    return words;
  };
#pragma unroll
  for (int step = 0; step < Plan::kHeld; ++step) {
    if (start + step * Plan::kStep < cols) held[step] = look(start + step * Plan::kStep);
  }
  for (int at = rest; at < cols; at += Plan::kStep) look(at);
  top = block_max<Plan::kWarps>(top);
  const float grow = top > 0 ? kLargest / top : 1.0f;
  if (threadIdx.x == 0) *factor = top > 0 ? top / kLargest : 1.0f;
  const auto write = [&](int at, const uint4& words) {
    float y[kGroup];
    unpack(words, y);
#pragma unroll
    for (int i = 0; i < kGroup; ++i) y[i] *= grow;
    store_group<kWide>(to + at, cols - at, y);
  };
#pragma unroll
  for (int step = 0; step < Plan::kHeld; ++step) {
    if (start + step * Plan::kStep < cols) write(start + step * Plan::kStep, held[step]);
  }
  for (int at = rest; at < cols; at += Plan::kStep) write(at, look(at));
}

template <class T>
__device__ T* row_of(const View& v) {
  return static_cast<T*>(v.data) + static_cast<std::size_t>(v.stride) * blockIdx.x;
}

template <class T, bool kWide>
__global__ void __launch_bounds__(Short::kThreads, Short::kBlocks) narrow(View in, View out) {
  const T* row = row_of<const T>(in);
  write_row<Short, kWide>(
      in.cols, row_of<F8>(out), out.scales + blockIdx.x,
      [&](int at, float(&y)[kGroup]) { load_group<kWide>(row + at, in.cols - at, y); });
}

template <class T, bool kWide>
__global__ void __launch_bounds__(Short::kThreads, Short::kBlocks)
    norm(View in, const float* gains, float eps, View out) {
  const T* row = row_of<const T>(in);
  float squares = 0;
  for (int at = threadIdx.x * kGroup; at < in.cols; at += Short::kStep) {
    float x[kGroup];
    load_group<kWide>(row + at, in.cols - at, x);
#pragma unroll
    for (int i = 0; i < kGroup; ++i) squares = fmaf(x[i], x[i], squares);
  }
  const float mean = block_sum<Short::kWarps>(squares) / static_cast<float>(in.cols);
  const float scale = 1.0f / sqrtf(mean + eps);
  write_row<Short, kWide>(in.cols, row_of<F8>(out), out.scales + blockIdx.x,
                          [&](int at, float(&y)[kGroup]) {
                            float gain[kGroup];
                            load_group<kWide>(row + at, in.cols - at, y);
                            load_group<kWide>(gains + at, in.cols - at, gain);
#pragma unroll
                            for (int i = 0; i < kGroup; ++i) y[i] = y[i] * scale * gain[i];
                          });
}

template <class T, bool kWide>
__global__ void __launch_bounds__(Long::kThreads, Long::kBlocks)
    gated_silu(View gate_up, View out) {
  const T* row = row_of<const T>(gate_up);
  const int cols = out.cols;
  write_row<Long, kWide>(cols, row_of<F8>(out), out.scales + blockIdx.x,
                         [&](int at, float(&y)[kGroup]) {
                           float up[kGroup];
                           load_group<kWide>(row + at, cols - at, y);
                           load_group<kWide>(row + cols + at, cols - at, up);
#pragma unroll
                           for (int i = 0; i < kGroup; ++i) y[i] = silu<T>(y[i]) * up[i];
                         });
}

}  // namespace

void launch_narrow(const Operation& op, cudaStream_t stream) {
  dispatch(op.in.type, is_wide(op.in) && is_wide(op.out), [&](auto zero, auto wide) {
    narrow<decltype(zero), wide><<<op.in.rows, Short::kThreads, 0, stream>>>(op.in, op.out);
  });
  check_launch("narrowing");
}

void launch_norm_narrow(const Operation& op, cudaStream_t stream) {
  dispatch(op.in.type, is_wide(op.in) && is_wide(op.out), [&](auto zero, auto wide) {
    norm<decltype(zero), wide><<<op.in.rows, Short::kThreads, 0, stream>>>(
        op.in, static_cast<const float*>(op.weight), op.eps, op.out);
  });
  check_launch("normalising");
}

void launch_gated_silu_narrow(const Operation& op, cudaStream_t stream) {
  dispatch(op.in.type, is_wide(op.in) && is_wide(op.out), [&](auto zero, auto wide) {
    gated_silu<decltype(zero), wide><<<op.in.rows, Long::kThreads, 0, stream>>>(op.in, op.out);
  });
  check_launch("the gated activation");
}

}  // namespace umf
