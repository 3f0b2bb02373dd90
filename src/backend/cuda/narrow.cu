// Rows as kF8 with one factor each: what is multiplied inside layers where a model is allowed to be
// approximate. Norm and activation write it directly.
#include "backend/cuda/block.cuh"
#include "backend/cuda/dispatch.cuh"
#include "backend/cuda/functions.cuh"
#include "backend/cuda/kernels.h"

namespace umf {
namespace {

using F8 = __nv_fp8_e4m3;

constexpr int kThreads = 512, kWarps = kThreads / 32, kStep = kThreads * kGroup;
constexpr int kHeld = 5;  // groups that a thread keeps between the two looks at its row
constexpr float kLargest = 448;

// A row of kF8 and its factor. The factor makes the largest number of the row the largest of kF8,
// so it must be known before the first is written: make(at, y) gives eight numbers, and is asked
// twice for those of long rows that do not fit into registers.
template <bool kWide, class Make>
__device__ void write_row(int cols, F8* to, float* factor, const Make& make) {
  float held[kHeld][kGroup], top = 0;
  const int start = threadIdx.x * kGroup;
  const auto note = [&](const float(&y)[kGroup]) {
#pragma unroll
    for (int i = 0; i < kGroup; ++i) top = fmaxf(top, fabsf(y[i]));
  };
#pragma unroll
  for (int step = 0; step < kHeld; ++step) {
    if (start + step * kStep >= cols) break;
    make(start + step * kStep, held[step]);
    note(held[step]);
  }
  for (int at = start + kHeld * kStep; at < cols; at += kStep) {
    float y[kGroup];
    make(at, y);
    note(y);
  }
  top = block_max<kWarps>(top);
  const float grow = top > 0 ? kLargest / top : 1.0f;
  if (threadIdx.x == 0) *factor = top > 0 ? top / kLargest : 1.0f;
  const auto write = [&](int at, float(&y)[kGroup]) {
#pragma unroll
    for (int i = 0; i < kGroup; ++i) y[i] *= grow;
    store_group<kWide>(to + at, cols - at, y);
  };
#pragma unroll
  for (int step = 0; step < kHeld; ++step) {
    if (start + step * kStep >= cols) break;
    write(start + step * kStep, held[step]);
  }
  for (int at = start + kHeld * kStep; at < cols; at += kStep) {
    float y[kGroup];
    make(at, y);
    write(at, y);
  }
}

template <class T>
__device__ T* row_of(const View& v) {
  return static_cast<T*>(v.data) + static_cast<std::size_t>(v.stride) * blockIdx.x;
}

template <class T, bool kWide>
__global__ void __launch_bounds__(kThreads, 2) narrow(View in, View out) {
  const T* row = row_of<const T>(in);
  write_row<kWide>(
      in.cols, row_of<F8>(out), out.scales + blockIdx.x,
      [&](int at, float(&y)[kGroup]) { load_group<kWide>(row + at, in.cols - at, y); });
}

template <class T, bool kWide>
__global__ void __launch_bounds__(kThreads, 2)
    norm(View in, const float* gains, float eps, View out) {
  const T* row = row_of<const T>(in);
  float squares = 0;
  for (int at = threadIdx.x * kGroup; at < in.cols; at += kStep) {
    float x[kGroup];
    load_group<kWide>(row + at, in.cols - at, x);
#pragma unroll
    for (int i = 0; i < kGroup; ++i) squares = fmaf(x[i], x[i], squares);
  }
  const float mean = block_sum<kWarps>(squares) / static_cast<float>(in.cols);
  const float scale = 1.0f / sqrtf(mean + eps);
  write_row<kWide>(in.cols, row_of<F8>(out), out.scales + blockIdx.x,
                   [&](int at, float(&y)[kGroup]) {
                     float gain[kGroup];
                     load_group<kWide>(row + at, in.cols - at, y);
                     load_group<kWide>(gains + at, in.cols - at, gain);
#pragma unroll
                     for (int i = 0; i < kGroup; ++i) y[i] = y[i] * scale * gain[i];
                   });
}

template <class T, bool kWide>
__global__ void __launch_bounds__(kThreads, 2) gated_silu(View gate_up, View out) {
  const T* row = row_of<const T>(gate_up);
  const int cols = out.cols;
  write_row<kWide>(cols, row_of<F8>(out), out.scales + blockIdx.x, [&](int at, float(&y)[kGroup]) {
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
    narrow<decltype(zero), wide><<<op.in.rows, kThreads, 0, stream>>>(op.in, op.out);
  });
  check_launch("narrowing");
}

void launch_norm_narrow(const Operation& op, cudaStream_t stream) {
  dispatch(op.in.type, is_wide(op.in) && is_wide(op.out), [&](auto zero, auto wide) {
    norm<decltype(zero), wide><<<op.in.rows, kThreads, 0, stream>>>(
        op.in, static_cast<const float*>(op.weight), op.eps, op.out);
  });
  check_launch("normalising");
}

void launch_gated_silu_narrow(const Operation& op, cudaStream_t stream) {
  dispatch(op.in.type, is_wide(op.in) && is_wide(op.out), [&](auto zero, auto wide) {
    gated_silu<decltype(zero), wide><<<op.in.rows, kThreads, 0, stream>>>(op.in, op.out);
  });
  check_launch("the gated activation");
}

}  // namespace umf
