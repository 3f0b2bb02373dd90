#include <algorithm>

#include "backend/cuda/device.h"
#include "backend/cuda/dispatch.cuh"
#include "backend/cuda/small.h"
#include "backend/cuda/small_attention.cuh"
#include "backend/cuda/small_product.cuh"
#include "backend/cuda/small_rows.cuh"

namespace umf {
namespace {

// Two blocks fit on a processor, so that one pass works while another waits at a barrier.
constexpr int kThreads = 256, kBlocks = 2, kCluster = 8;
constexpr int kSmallWidth = 4096;   // columns of any result
constexpr int kProgramRows = 1024;  // more fill the GPU by themselves
static_assert(sizeof(Operation) % 8 == 0 && sizeof(Operation) / 8 <= kThreads);

__device__ void run(const Operation& op, const Share& share) {
  switch (op.kind) {
    case OperationKind::kCopyRows:
    case OperationKind::kPutRows:
      return small_copy_rows(op, share);
    case OperationKind::kNorm:
      return small_norm(op, share);
    case OperationKind::kNormHeads:
      return small_norm_heads(op, share);
    case OperationKind::kProduct:
      return small_product(op, share);
    case OperationKind::kRotate:
      return small_rotate(op, share);
    case OperationKind::kAttend:
      return small_attend(op, share);
    case OperationKind::kGatedSilu:
      return small_gated_silu(op, share);
    default:
      return;
  }
}

__device__ Share share_of_grid() {
  return {static_cast<int>(blockIdx.x * kThreads + threadIdx.x),
          static_cast<int>(gridDim.x * kThreads)};
}

__global__ void __launch_bounds__(kThreads, kBlocks) run_one(const Operation op) {
  run(op, share_of_grid());
}

// The grid is one cluster. What one block has written the others see after the barrier.
__global__ void __launch_bounds__(kThreads, kBlocks) run_all(const Operation* program, int count) {
#if __CUDA_ARCH__ >= 900
  constexpr int kWords = sizeof(Operation) / 8;
  __shared__ std::uint64_t copies[2][kWords];
  const auto fetch = [&](int number) {
    if (number < count && threadIdx.x < kWords)
      copies[number % 2][threadIdx.x] =
          reinterpret_cast<const std::uint64_t*>(program + number)[threadIdx.x];
  };
  const Share share = share_of_grid();
  fetch(0);
  __syncthreads();
  for (int number = 0; number < count; ++number) {
    fetch(number + 1);
    run(*reinterpret_cast<const Operation*>(copies[number % 2]), share);
    asm volatile("barrier.cluster.arrive.release;\nbarrier.cluster.wait.acquire;\n" ::: "memory");
  }
#endif
}

bool has_clusters() { return current_capability() >= 9; }

bool is_small_rows(const View& v) {
  return v.type == DType::kF32 && v.cols <= kSmallWidth && is_wide(v);
}

bool is_small_copy(const Operation& op) {
  const bool widens = op.in.type == DType::kBF16 && is_wide(op.in);
  return (widens || is_small_rows(op.in)) && is_small_rows(op.out);
}

bool is_small_product(const Operation& op) {
  const bool aligned = reinterpret_cast<std::uintptr_t>(op.weight) % 16 == 0;
  return is_small_rows(op.in) && op.in.cols <= kSmallDepth && aligned &&
         op.weight_type == DType::kBF16 && op.out.type == DType::kF32 && op.out.cols <= kSmallWidth;
}

// How many threads of it have something to do.
std::size_t threads_for(const Operation& op) {
  const std::size_t rows = op.out.rows;
  const std::size_t row_tiles = (rows + kTileRows - 1) / kTileRows;
  switch (op.kind) {
    case OperationKind::kNorm:
      return rows * 32;
    case OperationKind::kNormHeads:
      return rows * 32 * (op.out.cols / op.head_dim);
    case OperationKind::kProduct:
      return 32 * row_tiles * ((op.out.cols + kTileColumns - 1) / kTileColumns);
    case OperationKind::kAttend:
      return 32 * row_tiles * op.shape.heads;
    default:
      return rows * (op.out.cols / kGroup);
  }
}

}  // namespace

bool is_small(const ModelShape& shape) {
  const int queries = shape.attention.heads * shape.attention.head_dim;
  return std::max({shape.hidden, shape.mlp, queries}) <= kSmallDepth &&
         shape.vocabulary <= kSmallWidth;
}

bool is_small(const Operation& op) {
  switch (op.kind) {
    case OperationKind::kCopyRows:
    case OperationKind::kPutRows:
      return is_small_copy(op);
    case OperationKind::kGatedSilu:
      return is_small_rows(op.in) && is_small_rows(op.out);
    case OperationKind::kNorm:
      return is_small_rows(op.in) && is_small_rows(op.out) && op.in.cols <= kSmallDepth;
    case OperationKind::kNormHeads:
      return is_small_rows(op.out) && op.head_dim % kGroup == 0;
    case OperationKind::kProduct:
      return is_small_product(op);
    case OperationKind::kRotate:
      return is_small_rows(op.out) && op.head_dim % kGroup == 0 && op.rotated % (2 * kGroup) == 0;
    case OperationKind::kAttend:
      return is_small_rows(op.in) && is_small_rows(op.keys) && is_small_rows(op.values) &&
             is_small_rows(op.out) && op.shape.head_dim == kSmallHead && op.in.cols <= kSmallDepth;
    default:
      return false;
  }
}

void launch_small(const Operation& op, cudaStream_t stream) {
  const unsigned blocks = std::clamp(blocks_for(threads_for(op), kThreads), 1u, 1024u);
  run_one<<<blocks, kThreads, 0, stream>>>(op);
  check_launch("a small operation");
}

bool is_program(std::span<const Operation> operations) {
  return has_clusters() && std::ranges::all_of(operations, [](const Operation& op) {
           return is_small(op) && op.out.rows <= kProgramRows && op.keys.rows <= kProgramRows;
         });
}

void launch_program(const Operation* program, int count, cudaStream_t stream) {
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(kCluster);
  config.blockDim = dim3(kThreads);
  config.stream = stream;
  cudaLaunchAttribute cluster{};
  cluster.id = cudaLaunchAttributeClusterDimension;
  cluster.val.clusterDim = {kCluster, 1, 1};
  config.attrs = &cluster;
  config.numAttrs = 1;
  check(cudaLaunchKernelEx(&config, run_all, program, count), "a small pass");
}

}  // namespace umf
