// Small operations on rows of f32. Work is dealt out to warps or threads by number.
#pragma once

#include "backend/cuda/functions.cuh"
#include "backend/cuda/norm_head.cuh"
#include "backend/cuda/vector.cuh"
#include "backend/cuda/view.h"

namespace umf {

inline constexpr int kSmallDepth = 1024;  // the longest row of a norm and of a product's input

// Who takes part in an operation.
struct Share {
  int worker, workers;  // this thread among all
  __device__ int lane() const { return worker % 32; }
  __device__ int warp() const { return worker / 32; }
  __device__ int warps() const { return workers / 32; }
};

template <class T = float>
__device__ T* row_of(const View& v, int row) {
  return static_cast<T*>(v.data) + static_cast<std::size_t>(v.stride) * row;
}

template <class From>
__device__ void small_copy_rows_of(const Operation& op, const Share& share) {
  const bool put = op.kind == OperationKind::kPutRows;
  const int groups = op.out.cols / kGroup, tasks = (put ? op.in.rows : op.out.rows) * groups;
  for (int task = share.worker; task < tasks; task += share.workers) {
    const int row = task / groups, at = task % groups * kGroup, other = op.integers[row];
    float x[kGroup];
    load_group<true>(row_of<const From>(op.in, put ? row : other) + at, kGroup, x);
    store_group<true>(row_of(op.out, put ? other : row) + at, kGroup, x);
  }
}

// From activations, or from an embedding in bf16.
__device__ inline void small_copy_rows(const Operation& op, const Share& share) {
  if (op.in.type == DType::kBF16)
    small_copy_rows_of<__nv_bfloat16>(op, share);
  else
    small_copy_rows_of<float>(op, share);
}

__device__ inline void small_norm(const Operation& op, const Share& share) {
  constexpr int kStep = 32 * kGroup, kSteps = kSmallDepth / kStep;
  const int cols = op.in.cols, first = share.lane() * kGroup;
  const float* gains = static_cast<const float*>(op.weight);
  for (int row = share.warp(); row < op.in.rows; row += share.warps()) {
    const float* from = row_of(op.in, row);
    float x[kSteps][kGroup], squares = 0;
#pragma unroll
    for (int step = 0; step < kSteps; ++step) {
      const int at = first + step * kStep;
      if (at >= cols) break;
      load_group<true>(from + at, kGroup, x[step]);
#pragma unroll
      for (int i = 0; i < kGroup; ++i) squares = fmaf(x[step][i], x[step][i], squares);
    }
#pragma unroll
    for (int step = 16; step > 0; step /= 2) squares += __shfl_xor_sync(~0u, squares, step);
    const float scale = 1.0f / sqrtf(squares / static_cast<float>(cols) + op.eps);
    float* to = row_of(op.out, row);
#pragma unroll
    for (int step = 0; step < kSteps; ++step) {
      const int at = first + step * kStep;
      if (at >= cols) break;
      float gain[kGroup];
      load_group<true>(gains + at, kGroup, gain);
#pragma unroll
      for (int i = 0; i < kGroup; ++i) x[step][i] = x[step][i] * scale * gain[i];
      store_group<true>(to + at, kGroup, x[step]);
    }
    __syncwarp();
  }
}

__device__ inline void small_norm_heads(const Operation& op, const Share& share) {
  const int heads = op.out.cols / op.head_dim, tasks = op.out.rows * heads;
  for (int task = share.warp(); task < tasks; task += share.warps()) {
    norm_head<float, true>(row_of(op.out, task / heads) + task % heads * op.head_dim,
                           static_cast<const float*>(op.weight), op.eps, op.head_dim, share.lane());
  }
}

// A thread turns a group of the first half of a head together with its partners in the second.
__device__ inline void small_rotate(const Operation& op, const Share& share) {
  const int half = op.rotated / 2, groups = half / kGroup;
  const int in_row = op.out.cols / op.head_dim * groups, tasks = op.out.rows * in_row;
  for (int task = share.worker; task < tasks; task += share.workers) {
    const int row = task / in_row, head = task % in_row / groups, at = task % groups * kGroup;
    float* to = row_of(op.out, row) + head * op.head_dim + at;
    const float* cosines = static_cast<const float*>(op.weight) +
                           static_cast<std::size_t>(op.integers[row]) * op.rotated + at;
    float a[kGroup], b[kGroup], c[kGroup], s[kGroup], left[kGroup], right[kGroup];
    load_group<true>(to, kGroup, a);
    load_group<true>(to + half, kGroup, b);
    load_group<true>(cosines, kGroup, c);
    load_group<true>(cosines + half, kGroup, s);
#pragma unroll
    for (int i = 0; i < kGroup; ++i) {
      left[i] = a[i] * c[i] - b[i] * s[i];
      right[i] = b[i] * c[i] + a[i] * s[i];
    }
    store_group<true>(to, kGroup, left);
    store_group<true>(to + half, kGroup, right);
  }
}

__device__ inline void small_gated_silu(const Operation& op, const Share& share) {
  const int cols = op.out.cols, groups = cols / kGroup, tasks = op.out.rows * groups;
  for (int task = share.worker; task < tasks; task += share.workers) {
    const int row = task / groups, at = task % groups * kGroup;
    const float* from = row_of(op.in, row) + at;
    float gate[kGroup], up[kGroup];
    load_group<true>(from, kGroup, gate);
    load_group<true>(from + cols, kGroup, up);
#pragma unroll
    for (int i = 0; i < kGroup; ++i) gate[i] = silu<float>(gate[i]) * up[i];
    store_group<true>(row_of(op.out, row) + at, kGroup, gate);
  }
}

}  // namespace umf
