// Products of few rows with quantised weights: packed bytes pass through shared memory and become
// operands of the tensor cores in registers, so that the weights' way from memory is as short as
// their blocks. Outputs take the place of rows: sixteen of them meet eight rows of activations.
//
// Every output is one chain over the depth in steps of sixteen, as the library's kernels without
// split sums have it. Whether the bits are really theirs is found out before it is used
// (block_products.cc).
//
// The same for the experts of a mixture, one launch for all: there a block of threads goes through
// the rows that its expert has.
#include "backend/cuda/blocks.cuh"
#include "backend/cuda/dispatch.cuh"
#include "backend/cuda/kernels.h"
#include "backend/cuda/launch.cuh"
#include "backend/cuda/mma.cuh"

namespace umf {
namespace {

constexpr int kWarps = 4, kThreads = 32 * kWarps, kStages = 2;
constexpr int kRows = 64;                   // of activations, in a block of threads
constexpr int kPacked = 256;                // elements of depth whose packed bytes come together
constexpr int kDepth = 128;                 // elements of depth whose activations come together
constexpr int kRowBytes = kDepth * 2 + 16;  // of activations in shared memory; free of conflicts

// kTiles: sixteens of outputs per warp. kSplit: how many warps share the same outputs, each with a
// part of the rows.
template <class Blocks, int kTiles, int kSplit>
struct Layout {
  static constexpr int kOutputs = 16 * kTiles * kWarps / kSplit;
  static constexpr int kElements = block_elements(Blocks::kType);
  static constexpr int kBlockBytes = static_cast<int>(block_bytes(Blocks::kType));
  static constexpr int kBytes = kPacked / kElements * kBlockBytes;  // packed, of an output
  // Copies begin at multiples of 16 bytes, which packed bytes do not: they keep their distance from
  // such. An odd number of these keeps outputs in different banks.
  static constexpr int kPieces = (kBytes + 15 + 15) / 16;
  static constexpr int kPitch = (kPieces | 1) * 16;
  static constexpr int kPackedStage = kOutputs * kPitch, kRowsStage = kRows * kRowBytes;
  static constexpr int kShared = kStages * (kPackedStage + kRowsStage);
};

struct Problem {
  Bytes weight;
  std::size_t weight_bytes;  // of an output
  View in, out;
  const void* bias;
  bool add;
  // Of experts: the place of each, and the row of each place in `in`; null: the place itself.
  const int* first = nullptr;
  const int* rows = nullptr;
};

template <class Shape>
__device__ void copy_packed(const Problem& p, int first, int chunk, std::uint32_t to) {
  for (int i = threadIdx.x; i < Shape::kOutputs * Shape::kPieces; i += kThreads) {
    const int output = i / Shape::kPieces, piece = i % Shape::kPieces * 16;
    const int row = min(first + output, p.out.cols - 1);
    Bytes from = p.weight + row * p.weight_bytes + static_cast<std::size_t>(chunk) * Shape::kBytes;
    const int past = static_cast<int>(reinterpret_cast<std::uintptr_t>(from) % 16);
    if (piece < past + Shape::kBytes)
      copy_async(to + output * Shape::kPitch + piece, from - past + piece, true);
  }
}

// Of experts, what stands behind the last row is left as it is: experts get few.
template <bool kOfExperts>
__device__ void copy_rows(const Problem& p, int first, int end, int start, std::uint32_t to) {
  constexpr int kPieces = kDepth * 2 / 16;
  for (int i = threadIdx.x; i < kRows * kPieces; i += kThreads) {
    const int row = i / kPieces, piece = i % kPieces;
    const bool inside = first + row < end;
    if (kOfExperts && !inside) break;
    const int number = !inside ? 0 : kOfExperts && p.rows ? p.rows[first + row] : first + row;
    const auto* from = static_cast<const __nv_bfloat16*>(p.in.data) +
                       static_cast<std::size_t>(number) * p.in.stride + start + piece * 8;
    copy_async(to + row * kRowBytes + piece * 16, from, inside);
  }
}

template <class T>
__device__ void finish(const Problem& p, int row, int end, int output, float sum) {
  if (row >= end || output >= p.out.cols) return;
  T* to = static_cast<T*>(p.out.data) + static_cast<std::size_t>(row) * p.out.stride + output;
  if (p.bias) sum += to_float(static_cast<const T*>(p.bias)[output]);
  if (p.add) sum += to_float(*to);
  *to = from_float<T>(sum);
}

// kRows rows from first_row on, of those before `end`.
template <class Blocks, class T, int kTiles, int kSplit, bool kOfExperts>
__device__ void multiply_rows(const Problem& p, int first_row, int end) {
  using Shape = Layout<Blocks, kTiles, kSplit>;
  constexpr int kColumnTiles = kRows / 8 / kSplit;  // eights of rows
  extern __shared__ __align__(128) std::uint8_t shared[];
  const std::uint32_t packed_at = shared_address(shared);
  const std::uint32_t rows_at = packed_at + kStages * Shape::kPackedStage;
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const int first_output = blockIdx.x * Shape::kOutputs;
  const int own_output = warp / kSplit * 16 * kTiles;  // in the block of threads
  const int own_row = warp % kSplit * (kRows / kSplit);
  const int pair = lane % 4 * 2;
  const int steps = p.in.cols / kDepth, chunks = p.in.cols / kPacked;

  // How far past a multiple of 16 bytes the packed bytes of this thread's outputs begin.
  int past[kTiles][2];
#pragma unroll
  for (int tile = 0; tile < kTiles; ++tile) {
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const int output = first_output + own_output + 16 * tile + 8 * half + lane / 4;
      const int row = min(output, p.out.cols - 1);
      past[tile][half] =
          static_cast<int>(reinterpret_cast<std::uintptr_t>(p.weight + row * p.weight_bytes) % 16);
    }
  }

  float sums[kTiles][kColumnTiles][4] = {};
  copy_packed<Shape>(p, first_output, 0, packed_at);
  copy_rows<kOfExperts>(p, first_row, end, 0, rows_at);
  commit_copies();
  for (int step = 0; step < steps; ++step) {
    const int chunk = step / 2;
    wait_for_copies<0>();
    __syncthreads();  // this step's bytes are here, and the last step's may be written over
    if (step % 2 == 0 && chunk + 1 < chunks)
      copy_packed<Shape>(p, first_output, chunk + 1,
                         packed_at + (chunk + 1) % kStages * Shape::kPackedStage);
    if (step + 1 < steps)
      copy_rows<kOfExperts>(p, first_row, end, (step + 1) * kDepth,
                            rows_at + (step + 1) % kStages * Shape::kRowsStage);
    commit_copies();

    const std::uint8_t* stage = shared + chunk % kStages * Shape::kPackedStage;
    Bytes own[kTiles][2];
#pragma unroll
    for (int tile = 0; tile < kTiles; ++tile) {
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        const int output = own_output + 16 * tile + 8 * half + lane / 4;
        own[tile][half] =
            stage + output * Shape::kPitch + (past[tile][half] + chunk * (Shape::kBytes % 16)) % 16;
      }
    }
    const std::uint32_t rows = rows_at + step % kStages * Shape::kRowsStage;
#pragma unroll 4
    for (int k = 0; k < kDepth; k += 16) {
      const int element = step % 2 * kDepth + k;  // of the packed bytes
      const int skipped = element / Shape::kElements * Shape::kBlockBytes;
      const int i = element % Shape::kElements;
      std::uint32_t weights[kTiles][4];
#pragma unroll
      for (int tile = 0; tile < kTiles; ++tile) {
#pragma unroll
        for (int half = 0; half < 2; ++half) {
          Bytes block = own[tile][half] + skipped;
          const BlockScale scale = Blocks::scale(block, i);
#pragma unroll
          for (int eight = 0; eight < 2; ++eight) {
            const std::uint32_t two = Blocks::template bytes<2>(block, i + 8 * eight + pair);
            weights[tile][2 * eight + half] =
                pack_pair(block_number<Blocks>(two, 0, scale), block_number<Blocks>(two, 1, scale));
          }
        }
      }
#pragma unroll
      for (int column = 0; column < kColumnTiles; column += 2) {
        if (kOfExperts && first_row + own_row + column * 8 >= end) break;
        // Rows 0-7 and 8-15, each with the depth's first and second half.
        const int row = own_row + column * 8 + lane / 16 * 8 + lane % 8;
        std::uint32_t x[4];
        load_matrices(x, rows + row * kRowBytes + k * 2 + lane / 8 % 2 * 16);
#pragma unroll
        for (int tile = 0; tile < kTiles; ++tile) {
          multiply_add(sums[tile][column], weights[tile], x[0], x[1]);
          multiply_add(sums[tile][column + 1], weights[tile], x[2], x[3]);
        }
      }
    }
  }

#pragma unroll
  for (int tile = 0; tile < kTiles; ++tile) {
#pragma unroll
    for (int column = 0; column < kColumnTiles; ++column) {
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        finish<T>(p, first_row + own_row + column * 8 + pair + i % 2, end,
                  first_output + own_output + 16 * tile + i / 2 * 8 + lane / 4,
                  sums[tile][column][i]);
      }
    }
  }
}

template <class Blocks, class T, int kTiles, int kSplit>
__global__ void __launch_bounds__(kThreads) multiply(const Problem p) {
  let_next_begin();
  wait_for_last();
  multiply_rows<Blocks, T, kTiles, kSplit, false>(p, blockIdx.y * kRows, p.out.rows);
}

template <class Blocks, int kTiles, int kSplit>
__global__ void __launch_bounds__(kThreads) multiply_experts(const Problem all) {
  let_next_begin();
  wait_for_last();
  const int begin = all.first[blockIdx.y], end = all.first[blockIdx.y + 1];
  Problem own = all;
  own.weight += static_cast<std::size_t>(blockIdx.y) * own.out.cols * own.weight_bytes;
  for (int row = begin; row < end; row += kRows) {
    multiply_rows<Blocks, __nv_bfloat16, kTiles, kSplit, true>(own, row, end);
    __syncthreads();  // before the next rows come
  }
}

template <class Shape, class Kernel>
bool launch_with(const Kernel& kernel, dim3 grid, const Problem& problem, cudaStream_t stream) {
  if (cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, Shape::kShared) !=
      cudaSuccess) {
    cudaGetLastError();  // this GPU has less
    return false;
  }
  launch_early(kernel, grid, kThreads, Shape::kShared, stream, problem);
  check_launch("a matrix product");
  return true;
}

Problem problem_of(const Operation& op) {
  return {static_cast<Bytes>(op.weight),
          row_bytes(op.weight_type, op.in.cols),
          op.in,
          op.out,
          op.bias,
          op.add,
          op.routes.first,
          op.by_rows ? op.routes.rows : nullptr};
}

template <class Blocks, class T, int kTiles, int kSplit>
bool launch(const Operation& op, cudaStream_t stream) {
  using Shape = Layout<Blocks, kTiles, kSplit>;
  const dim3 grid(blocks_for(op.out.cols, Shape::kOutputs), blocks_for(op.out.rows, kRows));
  return launch_with<Shape>(multiply<Blocks, T, kTiles, kSplit>, grid, problem_of(op), stream);
}

template <class Blocks, int kTiles, int kSplit>
bool launch_experts(const Operation& op, cudaStream_t stream) {
  using Shape = Layout<Blocks, kTiles, kSplit>;
  const dim3 grid(blocks_for(op.out.cols, Shape::kOutputs), op.routing.experts);
  return launch_with<Shape>(multiply_experts<Blocks, kTiles, kSplit>, grid, problem_of(op), stream);
}

template <class Blocks>
bool launch_of(const Operation& op, bool wide, cudaStream_t stream) {
  if (op.kind == OperationKind::kExpertProduct)
    return wide ? launch_experts<Blocks, 2, 1>(op, stream)
                : launch_experts<Blocks, 1, 2>(op, stream);
  bool done = false;
  dispatch(op.out.type, false, [&](auto zero, auto) {
    using T = decltype(zero);
    done = wide ? launch<Blocks, T, 2, 1>(op, stream) : launch<Blocks, T, 1, 2>(op, stream);
  });
  return done;
}

}  // namespace

bool has_block_kernel(DType type, int inputs) {
  const bool known =
      type == DType::kQ8_0 || type == DType::kQ4_K || type == DType::kQ5_K || type == DType::kQ6_K;
  return known && inputs % kPacked == 0;
}

bool has_block_product(const Operation& op) {
  return has_block_kernel(op.weight_type, op.in.cols) && op.in.type == DType::kBF16 &&
         is_wide(op.in);
}

bool launch_block_product(const Operation& op, bool wide, cudaStream_t stream) {
  switch (op.weight_type) {
    case DType::kQ8_0:
      return launch_of<Q8_0>(op, wide, stream);
    case DType::kQ4_K:
      return launch_of<Q4_K>(op, wide, stream);
    case DType::kQ5_K:
      return launch_of<Q5_K>(op, wide, stream);
    default:
      return launch_of<Q6_K>(op, wide, stream);
  }
}

}  // namespace umf
