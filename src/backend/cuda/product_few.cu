// Products of few rows on Hopper (sm_90a), where the weights' way from memory is what takes time.
// Outputs take the place of rows: groups of four warps have 64 of them each, with all rows of the
// block, which they share. So do two blocks of threads, a cluster: each copies half of the rows for
// both. One warp copies; weights that are blocks become operands in registers while the tensor
// cores multiply those before.
//
// Every output is one chain over the depth in steps of sixteen, zeros behind the end, whatever the
// block's shape. Whether the bits are those of the library's products is found out before a kernel
// is used (product_trial.h).
#include "backend/cuda/blocks.cuh"
#include "backend/cuda/cluster.cuh"
#include "backend/cuda/device.h"
#include "backend/cuda/dispatch.cuh"
#include "backend/cuda/kernels.h"
#include "backend/cuda/launch.cuh"
#include "backend/cuda/mma.cuh"
#include "backend/cuda/product_few.h"
#include "backend/cuda/ring.cuh"
#include "backend/cuda/tensor_map.h"
#include "backend/cuda/wgmma.cuh"
#include "backend/cuda/wgmma_add.cuh"

namespace umf {
namespace {

struct Bf16 {  // beside the formats of blocks.cuh
  static constexpr DType kType = DType::kBF16;
};

constexpr int kGroupOutputs = 64, kCluster = 2;

// kGroups: of four warps, in a block of threads; kRowCount: rows that it has.
template <class Weights, int kGroups, int kRowCount>
struct Layout {
  static constexpr bool kPlain = Weights::kType == DType::kBF16;
  static constexpr int kOutputs = kGroups * kGroupOutputs, kRows = kRowCount;
  static constexpr int kThreads = 128 * kGroups + 32, kBlocks = kGroups == 1 && kRows <= 64 ? 2 : 1;
  // Elements of depth that come together. Packed bytes come in whole blocks, and the copies begin
  // and end at multiples of 16 bytes: the first byte may stand behind the beginning.
  static constexpr int kDepth = !kPlain ? 256 : kRows > 64 ? 64 : 128;
  static constexpr int kPanels = kDepth / kPanelColumns;
  static constexpr int kBytes =
      static_cast<int>(kDepth / block_elements(Weights::kType) * block_bytes(Weights::kType));
  static constexpr int kPitch = (kBytes + 15) / 16 * 16;
  static __device__ int skipped(int step) { return step * kBytes % 16; }
  static_assert(kBytes % 16 == 0 || kPitch - kBytes == 14);  // as much as can be skipped
  static constexpr int kRowPanel = kRows * kPanelRowBytes, kRowBytes = kPanels * kRowPanel;
  static constexpr int kWeightPanel = kOutputs * kPanelRowBytes;
  static constexpr int kStage = kRowBytes + kOutputs * kPitch;
  static constexpr int kRoom = (kBlocks == 2 ? 110 : 220) << 10;
  static constexpr int kStages = kRoom / kStage < 8 ? kRoom / kStage : 8;
  static constexpr int kShared = 1024 + kStages * kStage + 2 * kStages * 8;
  static constexpr bool kFits = kStages >= 2;
  static_assert(kStage % 1024 == 0);
};

struct Target {
  View out;
  const void* bias;
  bool add;
};

#ifdef __CUDA_ARCH_FEAT_SM90_ALL

template <class T>
__device__ void finish(const Target& target, int row, int output, float sum) {
  const View& out = target.out;
  if (row >= out.rows || output >= out.cols) return;
  T* to = static_cast<T*>(out.data) + static_cast<std::size_t>(row) * out.stride + output;
  if (target.bias) sum += to_float(static_cast<const T*>(target.bias)[output]);
  if (target.add) sum += to_float(*to);
  *to = from_float<T>(sum);
}

// 64 elements of depth from `first` on as a lane's part of four products' operands: of its output
// and that eight behind it, `pitch` bytes further.
template <class Blocks>
__device__ void widen(Bytes output, int pitch, int first, float (&numbers)[4][8]) {
  constexpr int kElements = block_elements(Blocks::kType);
  constexpr int kBlockBytes = static_cast<int>(block_bytes(Blocks::kType));
  const int pair = threadIdx.x % 4 * 2;
#pragma unroll
  for (int step = 0; step < 4; ++step) {
    const int element = first + 16 * step, i = element % kElements;
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      Bytes block = output + half * pitch + element / kElements * kBlockBytes;
      const BlockScale scale = Blocks::scale(block, i);
#pragma unroll
      for (int eight = 0; eight < 2; ++eight) {
        const std::uint32_t two = Blocks::template bytes<2>(block, i + 8 * eight + pair);
        float* to = &numbers[step][4 * eight + 2 * half];
        to[0] = block_number<Blocks>(two, 0, scale);
        to[1] = block_number<Blocks>(two, 1, scale);
      }
    }
  }
}

// What a stage gets: weights, which are there before the kernel, and rows, which are not.
template <class Shape>
struct Source {
  const CUtensorMap &weight_map, &row_map;
  std::uint32_t stages;

  template <class Ring>
  __device__ void copy_weights(int step, const Ring& ring) const {
    const int first_output = blockIdx.x * Shape::kOutputs;
    const std::uint32_t to = stages + ring.stage * Shape::kStage + Shape::kRowBytes;
    barrier_expect(ring.full(), Shape::kStage);
    if constexpr (!Shape::kPlain) {
      const int first = step * Shape::kBytes - Shape::skipped(step);
      copy_box(to, weight_map, first / 2, first_output, ring.full());
    } else {
#pragma unroll
      for (int panel = 0; panel < Shape::kPanels; ++panel)
        copy_box(to + panel * Shape::kWeightPanel, weight_map,
                 step * Shape::kDepth + panel * kPanelColumns, first_output, ring.full());
    }
  }
  template <class Ring>
  __device__ void copy_rows(int step, const Ring& ring) const {
    constexpr int kOwn = Shape::kRows / kCluster;
    const int first = rank_in_cluster() * kOwn;
    const std::uint32_t to = stages + ring.stage * Shape::kStage + first * kPanelRowBytes;
#pragma unroll
    for (int panel = 0; panel < Shape::kPanels; ++panel)
      copy_box_to_all<kCluster>(to + panel * Shape::kRowPanel, row_map,
                                step * Shape::kDepth + panel * kPanelColumns,
                                blockIdx.y * Shape::kRows + first, ring.full());
  }
};

// The first stages' weights are on their way before the rows are.
template <class Shape, class Ring>
__device__ void copy(const Source<Shape>& source, int steps, Ring ring) {
  const int ahead = min(steps, Shape::kStages);
  Ring first = ring;
  for (int step = 0; step < ahead; ++step, first.advance()) source.copy_weights(step, first);
  wait_for_last();
  for (int step = 0; step < steps; ++step, ring.advance()) {
    if (step >= ahead) {
      barrier_wait(ring.empty(), (ring.turn - 1) % 2);
      source.copy_weights(step, ring);
    }
    source.copy_rows(step, ring);
  }
}

template <class Ring>
__device__ void release(Ring& ring) {
  __syncwarp();
  if (threadIdx.x % 32 < kCluster) barrier_arrive_at(ring.empty(), threadIdx.x % 32);
  ring.advance();
}

// Weights in bf16 are operands where they stand.
template <class Shape, class Ring>
__device__ void multiply_plain(int steps, std::uint32_t stages, Ring ring,
                               float (&sums)[Shape::kRows / 2]) {
  Ring done = ring;
  const std::uint32_t own = threadIdx.x / 128 * kGroupOutputs * kPanelRowBytes;
  for (int step = 0; step < steps; ++step, ring.advance()) {
    barrier_wait(ring.full(), ring.turn % 2);
    const std::uint32_t rows = stages + ring.stage * Shape::kStage;
    const std::uint32_t weights = rows + Shape::kRowBytes + own;
    products_begin();
#pragma unroll
    for (int k = 0; k < Shape::kDepth / 16; ++k) {
      const int panel = k / 4, at = k % 4 * 32;
      product_add(sums, operand(weights + panel * Shape::kWeightPanel + at, 16),
                  operand(rows + panel * Shape::kRowPanel + at, 16));
    }
    products_commit();
    products_wait<1>();
    if (step > 0) release(done);
  }
  products_wait<0>();
}

// Those in blocks become operands in registers. While four products run, the numbers of the next
// four are made.
template <class Weights, class Shape, class Ring>
__device__ void multiply_blocks(int steps, const unsigned char* packed, std::uint32_t stages,
                                Ring ring, float (&sums)[Shape::kRows / 2]) {
  Ring done = ring;
  float numbers[4][8];
  std::uint32_t operands[4][4];
  packed += Shape::kRowBytes;
  packed += (threadIdx.x / 32 * 16 + threadIdx.x % 32 / 4) * Shape::kPitch;
  barrier_wait(ring.full(), 0);
  widen<Weights>(packed, 8 * Shape::kPitch, 0, numbers);
  for (int step = 0; step < steps; ++step) {
    const int stage = ring.stage;
    const std::uint32_t rows = stages + stage * Shape::kStage;
#pragma unroll
    for (int panel = 0; panel < Shape::kPanels; ++panel) {
      products_wait<0>();
      if (panel == 0 && step > 0) release(done);
#pragma unroll
      for (int i = 0; i < 16; ++i) {
        operands[i / 4][i % 4] =
            pack_pair(numbers[i / 4][2 * (i % 4)], numbers[i / 4][2 * (i % 4) + 1]);
        // Not behind the beginning of the products.
        asm volatile("" : "+r"(operands[i / 4][i % 4])::"memory");
      }
      products_begin();
#pragma unroll
      for (int k = 0; k < 4; ++k)
        product_add(sums, operands[k], operand(rows + panel * Shape::kRowPanel + k * 32, 16));
      products_commit();
      if (panel + 1 < Shape::kPanels) {
        widen<Weights>(packed + stage * Shape::kStage + Shape::skipped(step), 8 * Shape::kPitch,
                       (panel + 1) * kPanelColumns, numbers);
      } else if (step + 1 < steps) {
        ring.advance();
        barrier_wait(ring.full(), ring.turn % 2);
        widen<Weights>(packed + ring.stage * Shape::kStage + Shape::skipped(step + 1),
                       8 * Shape::kPitch, 0, numbers);
      }
    }
  }
  products_wait<0>();
}

#endif

template <class Weights, int kGroups, int kRowCount>
__global__ void __launch_bounds__((Layout<Weights, kGroups, kRowCount>::kThreads),
                                  (Layout<Weights, kGroups, kRowCount>::kBlocks))
    multiply(const __grid_constant__ CUtensorMap weight_map,
             const __grid_constant__ CUtensorMap row_map, const Target target, int steps) {
#ifdef __CUDA_ARCH_FEAT_SM90_ALL
  using Shape = Layout<Weights, kGroups, kRowCount>;
  constexpr int kStages = Shape::kStages;
  extern __shared__ unsigned char raw[];
  const std::uint32_t stages = (shared_address(raw) + 1023) / 1024 * 1024;
  Ring<kStages> ring{stages + kStages * Shape::kStage};
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  if (threadIdx.x == 0) {
    for (int stage = 0; stage < kStages; ++stage) {
      barrier_init(ring.barriers + stage * 8, 1);
      barrier_init(ring.barriers + (kStages + stage) * 8, 4 * kGroups * kCluster);  // warps
    }
    barrier_init_done();
  }
  let_next_begin();
  meet_cluster();
  if (warp == 4 * kGroups) {
    if (lane == 0) copy(Source<Shape>{weight_map, row_map, stages}, steps, ring);
    __syncwarp();
    return meet_cluster();
  }
  float sums[Shape::kRows / 2] = {};
  if constexpr (Shape::kPlain)
    multiply_plain<Shape>(steps, stages, ring, sums);
  else
    multiply_blocks<Weights, Shape>(steps, raw + (stages - shared_address(raw)), stages, ring,
                                    sums);

  const int first_row = blockIdx.y * Shape::kRows + lane % 4 * 2;
  const int first_output = blockIdx.x * Shape::kOutputs + warp * 16 + lane / 4;
  wait_for_last();
  const bool f32 = target.out.type == DType::kF32;
#pragma unroll
  for (int i = 0; i < Shape::kRows / 2; ++i) {
    const int row = first_row + i / 4 * 8 + i % 2;
    const int output = first_output + i / 2 % 2 * 8;
    f32 ? finish<float>(target, row, output, sums[i])
        : finish<__nv_bfloat16>(target, row, output, sums[i]);
  }
  meet_cluster();  // nobody leaves while the other may still write to its memory
#endif
}

template <class Weights, int kGroups, int kRowCount>
void launch(const Operation& op, cudaStream_t stream) {
  using Shape = Layout<Weights, kGroups, kRowCount>;
  const auto kernel = multiply<Weights, kGroups, kRowCount>;
  static OncePerDevice ready;
  ready([&] {
    check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, Shape::kShared),
          "asking for shared memory");
  });
  const auto outputs = static_cast<std::uint64_t>(op.out.cols);
  const std::uint64_t bytes = row_bytes(op.weight_type, op.in.cols);
  const CUtensorMap weights =
      Shape::kPlain
          ? panel_map(op.weight, op.in.cols, op.out.cols, op.in.cols, Shape::kOutputs)
          : tensor_map({CU_TENSOR_MAP_DATA_TYPE_UINT16, op.weight, bytes / 2, outputs, bytes},
                       Shape::kPitch / 2, Shape::kOutputs, CU_TENSOR_MAP_SWIZZLE_NONE);
  const dim3 grid(blocks_for(op.out.cols, kCluster * Shape::kOutputs) * kCluster,
                  blocks_for(op.out.rows, Shape::kRows));
  // Weights are read before anything is waited for: they must be older than the last kernel.
  umf::launch({.early = !op.weight_is_new, .cluster = kCluster}, kernel, grid, Shape::kThreads,
              Shape::kShared, stream, weights, panel_map(op.in, Shape::kRows / kCluster),
              Target{op.out, op.bias, op.add},
              static_cast<int>(blocks_for(op.in.cols, Shape::kDepth)));
  check_launch("a product of few rows");
}

struct BlockShape {
  int groups, rows;
};
constexpr BlockShape kShapes[] = {{1, 16}, {3, 16}, {1, 32},  {3, 32},  {1, 64},
                                  {2, 64}, {3, 64}, {1, 128}, {2, 128}, {3, 128}};

template <class Weights, std::size_t kNumber = 0>
void launch_shape(std::size_t number, const Operation& op, cudaStream_t stream) {
  if constexpr (kNumber < std::size(kShapes)) {
    constexpr BlockShape kShape = kShapes[kNumber];
    if constexpr (Layout<Weights, kShape.groups, kShape.rows>::kFits) {
      if (number == kNumber) return launch<Weights, kShape.groups, kShape.rows>(op, stream);
    }
    launch_shape<Weights, kNumber + 1>(number, op, stream);
  }
}

}  // namespace

std::vector<int> few_rows_kernels(const Operation& op, int rows) {
  constexpr int kMostRows = 256, kMostOfBlocks = 2 * 128;  // two stages of blocks need more room
  const std::uint64_t bytes = row_bytes(op.weight_type, op.in.cols);
  const bool plain = op.weight_type == DType::kBF16;
  const bool takes = op.in.type == DType::kBF16 && is_wide(op.in) && bytes % 16 == 0 &&
                     reinterpret_cast<std::uintptr_t>(op.weight) % 16 == 0 &&
                     (plain || has_block_kernel(op.weight_type, op.in.cols));
  if (!takes || rows > kMostRows || current_capability() != 9) return {};
  std::vector<int> kernels;
  for (int i = 0; i < static_cast<int>(std::size(kShapes)); ++i) {
    const auto [groups, block_rows] = kShapes[i];
    const bool fits = plain || groups * block_rows <= kMostOfBlocks;
    if (fits && block_rows < 2 * rows && 4 * block_rows >= rows) kernels.push_back(i);
  }
  return kernels;
}

void launch_few_rows_product(const Operation& op, int kernel, cudaStream_t stream) {
  switch (op.weight_type) {
    case DType::kBF16:
      return launch_shape<Bf16>(kernel, op, stream);
    case DType::kQ8_0:
      return launch_shape<Q8_0>(kernel, op, stream);
    case DType::kQ4_K:
      return launch_shape<Q4_K>(kernel, op, stream);
    case DType::kQ5_K:
      return launch_shape<Q5_K>(kernel, op, stream);
    default:
      return launch_shape<Q6_K>(kernel, op, stream);
  }
}

}  // namespace umf
