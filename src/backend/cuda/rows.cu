// Operations on rows: copies, norms, rotation, activations. All are bound by memory: 16 bytes per
// access where alignment allows it, each number read and written once.
#include "backend/cuda/block.cuh"
#include "backend/cuda/dispatch.cuh"
#include "backend/cuda/functions.cuh"
#include "backend/cuda/kernels.h"
#include "backend/cuda/launch.cuh"
#include "backend/cuda/norm_head.cuh"

namespace umf {
namespace {

constexpr int kThreads = 256, kWarps = kThreads / 32;

// Rows that have factors take them along. `rows` are those of the input, or where `put` of the
// output.
template <class Word>
__global__ void copy_rows(const Word* in, std::size_t in_stride, const int* rows, bool put,
                          Word* out, std::size_t out_stride, int words, const float* in_scales,
                          float* out_scales) {
  let_next_begin();
  wait_for_last();
  const int own = blockIdx.x, other = rows[own];
  const int from_row = put ? own : other, to_row = put ? other : own;
  if (out_scales && threadIdx.x == 0) out_scales[to_row] = in_scales[from_row];
  const Word* from = in + in_stride * from_row;
  Word* to = out + out_stride * to_row;
  for (int i = threadIdx.x; i < words; i += blockDim.x) to[i] = from[i];
}

// An embedding in bf16 for activations in f32.
__global__ void widen_rows(View in, const int* rows, View out) {
  const __nv_bfloat16* from = static_cast<const __nv_bfloat16*>(in.data) +
                              static_cast<std::size_t>(in.stride) * rows[blockIdx.x];
  float* to = static_cast<float*>(out.data) + static_cast<std::size_t>(out.stride) * blockIdx.x;
  for (int i = threadIdx.x; i < out.cols; i += blockDim.x) to[i] = to_float(from[i]);
}

// One block per row, whose first kHeld groups per thread stay in registers between the sum and the
// result. The reference models round the normalised number before its gain; once is enough, and
// closer to exact numbers.
constexpr int kStep = kThreads * kGroup, kHeld = 2;

template <class T, bool kWide>
__global__ void __launch_bounds__(kThreads) rms_norm(const T* in, int in_stride, const float* gains,
                                                     float eps, T* out, int out_stride, int cols) {
  const T* row = in + static_cast<std::size_t>(in_stride) * blockIdx.x;
  T* to = out + static_cast<std::size_t>(out_stride) * blockIdx.x;
  const int start = threadIdx.x * kGroup, rest = start + kHeld * kStep;
  float squares = 0, held[kHeld][kGroup], gain[kHeld][kGroup];
  let_next_begin();
  wait_for_last();
  const auto add_squares = [&](const float(&x)[kGroup]) {
#pragma unroll
    for (int i = 0; i < kGroup; ++i) squares = fmaf(x[i], x[i], squares);
  };
#pragma unroll
  for (int step = 0; step < kHeld; ++step) {
    const int at = start + step * kStep;
    if (at >= cols) break;
    load_group<kWide>(row + at, cols - at, held[step]);
    load_group<kWide>(gains + at, cols - at, gain[step]);
    add_squares(held[step]);
  }
  for (int at = rest; at < cols; at += kStep) {
    float x[kGroup];
    load_group<kWide>(row + at, cols - at, x);
    add_squares(x);
  }
  const float mean = block_sum<kWarps>(squares) / static_cast<float>(cols);
  const float scale = 1.0f / sqrtf(mean + eps);
  const auto write = [&](int at, float(&x)[kGroup], const float(&by)[kGroup]) {
#pragma unroll
    for (int i = 0; i < kGroup; ++i) x[i] = x[i] * scale * by[i];
    store_group<kWide>(to + at, cols - at, x);
  };
#pragma unroll
  for (int step = 0; step < kHeld; ++step) {
    const int at = start + step * kStep;
    if (at >= cols) break;
    write(at, held[step], gain[step]);
  }
  for (int at = rest; at < cols; at += kStep) {
    float x[kGroup], by[kGroup];
    load_group<kWide>(row + at, cols - at, x);
    load_group<kWide>(gains + at, cols - at, by);
    write(at, x, by);
  }
}

// A warp per head; the heads of all rows are counted on.
template <class T, bool kWide>
__global__ void __launch_bounds__(kThreads)
    norm_heads(T* x, int stride, int rows, int heads, const float* gains, float eps, int dim) {
  const int number = static_cast<int>(blockIdx.x) * kWarps + static_cast<int>(threadIdx.x) / 32;
  let_next_begin();
  wait_for_last();
  if (number >= rows * heads) return;
  T* head = x + static_cast<std::size_t>(stride) * (number / heads) + number % heads * dim;
  norm_head<T, kWide>(head, gains, eps, dim, threadIdx.x % 32);
}

// A thread turns the same group of several heads, the first half of each together with its partners
// in the second: one look at the table serves them all, and two heads are on their way at a time.
constexpr int kRotateThreads = 128, kTogether = 2;

template <class T, bool kWide>
__global__ void __launch_bounds__(kRotateThreads)
    rotate(T* x, int stride, int heads, int head_dim, const float* table, const int* positions,
           int half) {
  const int groups = (half + kGroup - 1) / kGroup, slots = kRotateThreads / groups;
  const int slot = threadIdx.x / groups, at = threadIdx.x % groups * kGroup;
  let_next_begin();
  wait_for_last();
  if (slot >= slots) return;
  T* row = x + static_cast<std::size_t>(stride) * blockIdx.x + at;
  const float* cosines = table + static_cast<std::size_t>(positions[blockIdx.x]) * 2 * half + at;
  float c[kGroup], s[kGroup];
  load_group<kWide>(cosines, half - at, c);
  load_group<kWide>(cosines + half, half - at, s);
  for (int first = slot; first < heads; first += kTogether * slots) {
    float a[kTogether][kGroup], b[kTogether][kGroup];
#pragma unroll
    for (int i = 0; i < kTogether; ++i) {
      const int head = first + i * slots;
      if (head >= heads) break;
      load_group<kWide>(row + head * head_dim, half - at, a[i]);
      load_group<kWide>(row + head * head_dim + half, half - at, b[i]);
    }
#pragma unroll
    for (int i = 0; i < kTogether; ++i) {
      const int head = first + i * slots;
      if (head >= heads) break;
      float left[kGroup], right[kGroup];
#pragma unroll
      for (int j = 0; j < kGroup; ++j) {
        left[j] = a[i][j] * c[j] - b[i][j] * s[j];
        right[j] = b[i][j] * c[j] + a[i][j] * s[j];
      }
      store_group<kWide>(row + head * head_dim, half - at, left);
      store_group<kWide>(row + head * head_dim + half, half - at, right);
    }
  }
}

// `out` may stand where the gate stands: a thread reads its numbers before it writes them. Blocks
// follow each other along a row, as memory does, and a thread has several loads under way. The last
// rows come first: what a product wrote last is still in the cache.
constexpr int kSteps = 2, kSpan = kSteps * kStep;

template <class T, bool kWide>
__global__ void __launch_bounds__(kThreads)
    gated_silu(const T* gate_up, int in_stride, T* out, int out_stride, int cols) {
  const int blocks = (cols + kSpan - 1) / kSpan;
  const int number = static_cast<int>(gridDim.x - 1 - blockIdx.x);
  const std::size_t row = number / blocks;
  const int first = number % blocks * kSpan + threadIdx.x * kGroup;
  const T* in = gate_up + in_stride * row;
  T* to = out + out_stride * row;
  float gate[kSteps][kGroup], up[kSteps][kGroup];
  let_next_begin();
  wait_for_last();
#pragma unroll
  for (int step = 0; step < kSteps; ++step) {
    const int at = first + step * kStep;
    if (at >= cols) break;
    load_group<kWide>(in + at, cols - at, gate[step]);
    load_group<kWide>(in + cols + at, cols - at, up[step]);
  }
#pragma unroll
  for (int step = 0; step < kSteps; ++step) {
    const int at = first + step * kStep;
    if (at >= cols) break;
#pragma unroll
    for (int i = 0; i < kGroup; ++i) gate[step][i] = silu<T>(gate[step][i]) * up[step][i];
    store_group<kWide>(to + at, cols - at, gate[step]);
  }
}

template <class T>
__global__ void relu(T* x, int stride, int cols) {
  T* row = x + static_cast<std::size_t>(stride) * blockIdx.x;
  for (int i = threadIdx.x; i < cols; i += blockDim.x) {
    row[i] = from_float<T>(fmaxf(to_float(row[i]), 0.0f));
  }
}

template <class Word>
void copy_as(const Operation& op, cudaStream_t stream) {
  const std::size_t size = size_of(op.out.type);
  const bool put = op.kind == OperationKind::kPutRows;
  launch_early(copy_rows<Word>, dim3(put ? op.in.rows : op.out.rows), 128, 0, stream,
               pointer<const Word>(op.in), op.in.stride * size / sizeof(Word), op.integers, put,
               pointer<Word>(op.out), op.out.stride * size / sizeof(Word),
               static_cast<int>(op.out.cols * size / sizeof(Word)), op.in.scales, op.out.scales);
}

}  // namespace

void launch_copy_rows(const Operation& op, cudaStream_t stream) {
  if (is_quantised(op.in.type)) return launch_embed_blocks(op, stream);
  if (op.in.type == DType::kBF16 && op.out.type == DType::kF32)
    widen_rows<<<op.out.rows, 128, 0, stream>>>(op.in, op.integers, op.out);
  else if (is_wide(op.in) && is_wide(op.out))
    copy_as<uint4>(op, stream);
  else if (op.out.type == DType::kF32)
    copy_as<std::uint32_t>(op, stream);
  else if (op.out.type == DType::kF8)
    copy_as<std::uint8_t>(op, stream);
  else
    copy_as<std::uint16_t>(op, stream);
  check_launch("copying rows");
}

void launch_norm(const Operation& op, cudaStream_t stream) {
  dispatch(op.in.type, is_wide(op.in) && is_wide(op.out), [&](auto zero, auto wide) {
    using T = decltype(zero);
    launch_early(rms_norm<T, wide>, dim3(op.in.rows), kThreads, 0, stream, pointer<const T>(op.in),
                 op.in.stride, static_cast<const float*>(op.weight), op.eps, pointer<T>(op.out),
                 op.out.stride, op.in.cols);
  });
  check_launch("normalising");
}

void launch_norm_heads(const Operation& op, cudaStream_t stream) {
  const int heads = op.out.cols / op.head_dim;
  const std::size_t warps = static_cast<std::size_t>(op.out.rows) * heads;
  dispatch(op.out.type, is_wide(op.out) && op.head_dim % kGroup == 0, [&](auto zero, auto wide) {
    using T = decltype(zero);
    launch_early(norm_heads<T, wide>, dim3(blocks_for(warps, kWarps)), kThreads, 0, stream,
                 pointer<T>(op.out), op.out.stride, op.out.rows, heads,
                 static_cast<const float*>(op.weight), op.eps, op.head_dim);
  });
  check_launch("normalising heads");
}

void launch_rotate(const Operation& op, cudaStream_t stream) {
  const int half = op.rotated / 2;
  if (half > kRotateThreads * kGroup) {
    throw Error("cuda: heads of more than 2048 numbers are not supported; pass --backend cpu");
  }
  dispatch(op.out.type, is_wide(op.out) && half % kGroup == 0 && op.head_dim % kGroup == 0,
           [&](auto zero, auto wide) {
             using T = decltype(zero);
             launch_early(rotate<T, wide>, dim3(op.out.rows), kRotateThreads, 0, stream,
                          pointer<T>(op.out), op.out.stride, op.out.cols / op.head_dim, op.head_dim,
                          static_cast<const float*>(op.weight), op.integers, half);
           });
  check_launch("rotating");
}

void launch_gated_silu(const Operation& op, cudaStream_t stream) {
  const bool wide = is_wide(op.in) && is_wide(op.out);
  const unsigned grid = static_cast<unsigned>(op.out.rows) * blocks_for(op.out.cols, kSpan);
  dispatch(op.in.type, wide, [&](auto zero, auto whole) {
    using T = decltype(zero);
    launch_early(gated_silu<T, whole>, dim3(grid), kThreads, 0, stream, pointer<const T>(op.in),
                 op.in.stride, pointer<T>(op.out), op.out.stride, op.out.cols);
  });
  check_launch("the gated activation");
}

void launch_relu(const Operation& op, cudaStream_t stream) {
  dispatch(op.out.type, false, [&](auto zero, auto) {
    using T = decltype(zero);
    relu<<<op.out.rows, kThreads, 0, stream>>>(pointer<T>(op.out), op.out.stride, op.out.cols);
  });
  check_launch("relu");
}

}  // namespace umf
