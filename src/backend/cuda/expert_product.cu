// Products of rows with the experts they go to, one launch for all experts of a layer, on the bf16
// tensor cores. A block of threads has some outputs of one expert and goes through the expert's
// rows, as many at a time as fit; there is no such block without rows but one that ends at once, so
// that the host need not know how many rows an expert has. With the few rows that experts get, the
// weights' way from memory is what takes time: they are the operand of sixteen rows, straight from
// where they stand, and the rows that are multiplied by them the operand of eight columns.
//
// Gate and up may be activated at once: of sixteen outputs that are multiplied together, eight are
// gates and the others what these are for, so that a thread has both.
//
// Every output is one chain over the depth in ascending steps of sixteen, zeros behind the end, in
// every shape of a block and wherever a row stands in it: the bits do not depend on either.
#include <algorithm>

#include "backend/cuda/device.h"
#include "backend/cuda/dispatch.cuh"
#include "backend/cuda/functions.cuh"
#include "backend/cuda/kernels.h"
#include "backend/cuda/launch.cuh"
#include "backend/cuda/mma.cuh"

namespace umf {
namespace {

constexpr int kWarps = 4, kThreads = 32 * kWarps;
constexpr int kDepth = 64;                  // elements of depth that come together
constexpr int kPieces = kDepth * 2 / 16;    // 16-byte pieces of them, of an output or a row
constexpr int kLines = kThreads / kPieces;  // outputs or rows that all threads copy at a time
constexpr int kLineBytes = kDepth * 2;

// kTiles: sixteens of outputs per warp. kRows: of activations, at a time. Bytes under way: three
// stages of 8 KB of weights in each of four blocks on a processor, or of 16 KB in each of two.
template <int kTiles, int kRowCount>
struct Layout {
  static constexpr int kOutputs = 16 * kTiles * kWarps, kRows = kRowCount, kStages = 4;
  static constexpr int kWeightBytes = kOutputs * kLineBytes, kRowBytes = kRows * kLineBytes;
  static constexpr int kStage = kWeightBytes + kRowBytes, kShared = kStages * kStage;
  static constexpr int kBlocks = kTiles == 1 ? 4 : 2;  // on a processor
};

struct Problem {
  View in, out;
  const __nv_bfloat16* weight;
  const int* first;  // place of each expert
  const int* rows;   // of each place in `in`; null: the place itself
  int outputs;       // of an expert's matrix
};

// The output that is line `line` of those from `first` on. Behind the last comes the last, which is
// not stored.
template <bool kGated>
__device__ int output_of(const Problem& p, int first, int line) {
  if (!kGated) return min(first + line, p.outputs - 1);
  return min(first + line / 16 * 8 + line % 8, p.out.cols - 1) + line / 8 % 2 * p.out.cols;
}

// Pieces are permuted so that eight lines of one piece lie in different banks.
__device__ std::uint32_t piece_offset(int line, int piece) {
  return static_cast<std::uint32_t>(line * kLineBytes + (piece ^ (line & 7)) * 16);
}

// A thread copies the same piece of every kLines-th output and row.
template <class Shape, bool kGated>
struct Sources {
  const __nv_bfloat16* weights[Shape::kOutputs / kLines];
  const __nv_bfloat16* rows[Shape::kRows / kLines];
  int line, piece, depth;

  __device__ Sources(const Problem& p, int first_output)
      : line(threadIdx.x / kPieces), piece(threadIdx.x % kPieces), depth(p.in.cols) {
    const __nv_bfloat16* weight =
        p.weight + static_cast<std::size_t>(blockIdx.y) * p.outputs * depth + piece * 8;
#pragma unroll
    for (int i = 0; i < Shape::kOutputs / kLines; ++i) {
      const int output = output_of<kGated>(p, first_output, i * kLines + line);
      weights[i] = weight + static_cast<std::size_t>(output) * depth;
    }
  }
  // Rows that are not there are left as they are: a column of the product is its row's alone.
  __device__ void find_rows(const Problem& p, int first, int count) {
#pragma unroll
    for (int i = 0; i < Shape::kRows / kLines; ++i) {
      const int place = first + i * kLines + line;
      rows[i] = nullptr;
      if (i * kLines + line >= count) continue;
      const int row = p.rows ? p.rows[place] : place;
      rows[i] = static_cast<const __nv_bfloat16*>(p.in.data) +
                static_cast<std::size_t>(p.in.stride) * row + piece * 8;
    }
  }
  __device__ void copy(int start, std::uint32_t to) const {
    const bool inside = start + piece * 8 < depth;
    const int from = inside ? start : 0;
#pragma unroll
    for (int i = 0; i < Shape::kOutputs / kLines; ++i)
      copy_async(to + piece_offset(i * kLines + line, piece), weights[i] + from, inside);
    to += Shape::kWeightBytes;
#pragma unroll
    for (int i = 0; i < Shape::kRows / kLines; ++i) {
      if (rows[i]) copy_async(to + piece_offset(i * kLines + line, piece), rows[i] + from, inside);
    }
  }
};

// One stage: `count` rows of it are there.
template <class Shape, int kTiles, int kColumns>
__device__ void multiply_stage(std::uint32_t weights, std::uint32_t rows, int count,
                               float (&sums)[kTiles][kColumns][4]) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
#pragma unroll
  for (int step = 0; step < kDepth / 16; ++step) {
    std::uint32_t a[kTiles][4];
#pragma unroll
    for (int tile = 0; tile < kTiles; ++tile)
      load_matrices(a[tile], weights + piece_offset((warp * kTiles + tile) * 16 + lane % 16,
                                                    2 * step + lane / 16));
#pragma unroll
    for (int column = 0; column < kColumns; column += 2) {
      if (column * 8 >= count) break;
      // Rows 0-7 and 8-15, each with the depth's first and second half.
      std::uint32_t b[4];
      load_matrices(
          b, rows + piece_offset(column * 8 + lane / 16 * 8 + lane % 8, 2 * step + lane / 8 % 2));
#pragma unroll
      for (int tile = 0; tile < kTiles; ++tile) {
        multiply_add(sums[tile][column], a[tile], b[0], b[1]);
        multiply_add(sums[tile][column + 1], a[tile], b[2], b[3]);
      }
    }
  }
}

template <class T>
__device__ void store(const Problem& p, int place, int output, float sum) {
  if (output < p.out.cols)
    static_cast<T*>(p.out.data)[static_cast<std::size_t>(p.out.stride) * place + output] =
        from_float<T>(sum);
}

// The sixteen outputs of a tile, a row's two by two: (lane / 4) and that eight behind it.
template <class T, bool kGated>
__device__ void store_tile(const Problem& p, int first_place, int count, int output, int column,
                           const float (&sums)[4]) {
#pragma unroll
  for (int i = 0; i < 2; ++i) {
    const int row = column * 8 + threadIdx.x % 4 * 2 + i, place = first_place + row;
    if (row >= count) continue;
    if constexpr (kGated) {
      const float gate = to_float(from_float<T>(sums[i])),
                  up = to_float(from_float<T>(sums[2 + i]));
      store<T>(p, place, output, silu<T>(gate) * up);
    } else {
      store<T>(p, place, output, sums[i]);
      store<T>(p, place, output + 8, sums[2 + i]);
    }
  }
}

template <class T, int kTiles, int kRowCount, bool kGated>
__global__ void __launch_bounds__(kThreads, (Layout<kTiles, kRowCount>::kBlocks))
    multiply(const Problem p) {
  using Shape = Layout<kTiles, kRowCount>;
  constexpr int kColumns = Shape::kRows / 8, kStages = Shape::kStages;
  extern __shared__ __align__(128) std::uint8_t shared[];
  let_next_begin();
  wait_for_last();
  const int begin = p.first[blockIdx.y], end = p.first[blockIdx.y + 1];
  if (begin == end) return;
  const std::uint32_t stages = shared_address(shared);
  constexpr int kTileOutputs = kGated ? 8 : 16;
  const int first_output = blockIdx.x * kWarps * kTiles * kTileOutputs;
  const int steps = (p.in.cols + kDepth - 1) / kDepth;
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  Sources<Shape, kGated> sources(p, first_output);
  for (int first = begin; first < end; first += Shape::kRows) {
    const int count = min(Shape::kRows, end - first);
    sources.find_rows(p, first, count);
    const auto copy = [&](int step) {
      if (step < steps) sources.copy(step * kDepth, stages + step % kStages * Shape::kStage);
      commit_copies();
    };
    float sums[kTiles][kColumns][4] = {};
    for (int step = 0; step < kStages - 1; ++step) copy(step);
    for (int step = 0; step < steps; ++step) {
      wait_for_copies<kStages - 2>();
      __syncthreads();  // this step's bytes are here, and the last step's may be written over
      copy(step + kStages - 1);
      const std::uint32_t stage = stages + step % kStages * Shape::kStage;
      multiply_stage<Shape>(stage, stage + Shape::kWeightBytes, count, sums);
    }
    __syncthreads();  // before the next rows come
#pragma unroll
    for (int tile = 0; tile < kTiles; ++tile) {
      const int output = first_output + (warp * kTiles + tile) * kTileOutputs + lane / 4;
#pragma unroll
      for (int column = 0; column < kColumns; ++column)
        store_tile<T, kGated>(p, first, count, output, column, sums[tile][column]);
    }
  }
}

template <class T, bool kGated, int kTiles, int kRowCount>
void launch(const Operation& op, cudaStream_t stream) {
  using Shape = Layout<kTiles, kRowCount>;
  const auto kernel = multiply<T, kTiles, kRowCount, kGated>;
  static OncePerDevice prepared;
  prepared([&] {
    check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, Shape::kShared),
          "preparing products with experts");
  });
  const int outputs = kGated ? 2 * op.out.cols : op.out.cols;
  const dim3 grid(blocks_for(outputs, Shape::kOutputs), op.routing.experts);
  const Problem problem{op.in,
                        op.out,
                        static_cast<const __nv_bfloat16*>(op.weight),
                        op.routes.first,
                        op.by_rows ? op.routes.rows : nullptr,
                        outputs};
  launch_early(kernel, grid, kThreads, Shape::kShared, stream, problem);
  check_launch("products with experts");
}

template <class T, bool kGated>
void launch_shape(const Operation& op, bool wide, cudaStream_t stream) {
  wide ? launch<T, kGated, 2, 64>(op, stream) : launch<T, kGated, 1, 32>(op, stream);
}

}  // namespace

bool has_fast_expert_product(const Operation& op) {
  return op.in.type == DType::kBF16 && op.weight_type == DType::kBF16 && is_wide(op.in) &&
         reinterpret_cast<std::uintptr_t>(op.weight) % 16 == 0;
}

void launch_fast_expert_product(const Operation& op, bool wide, cudaStream_t stream) {
  if (op.kind == OperationKind::kGatedExpertProduct)
    return launch_shape<__nv_bfloat16, true>(op, wide, stream);
  dispatch(op.out.type, false,
           [&](auto zero, auto) { launch_shape<decltype(zero), false>(op, wide, stream); });
}

}  // namespace umf
