// Gate and up projections of many rows with their activation, on Hopper (sm_90a): what the
// projections make stays in registers until it is activated, and is half as much then.
//
// A block of threads has 128 rows and 128 columns of both projections. One warp copies; two groups
// of four warps multiply, with 64 rows each. Two blocks, a cluster, share their weights: each
// copies one projection's for both. Blocks stay and go from tile to tile: what a tile has made is
// activated while the next one's products run.
//
// Every sum is one chain over the depth in steps of sixteen. Whether the bits are those of the
// library's products is found out before the kernel is used (gated_products.h).
#include <algorithm>

#include "backend/cuda/cluster.cuh"
#include "backend/cuda/device.h"
#include "backend/cuda/dispatch.cuh"
#include "backend/cuda/functions.cuh"
#include "backend/cuda/launch.cuh"
#include "backend/cuda/mma.cuh"
#include "backend/cuda/product_gated.h"
#include "backend/cuda/ring.cuh"
#include "backend/cuda/tensor_map.h"
#include "backend/cuda/wgmma.cuh"
#include "backend/cuda/wgmma_add.cuh"

namespace umf {
namespace {

constexpr int kCluster = 2, kGroups = 2, kGroupRows = 64, kThreads = 128 * (1 + kGroups);
constexpr int kRows = kGroups * kGroupRows, kColumns = 128, kDepth = kPanelColumns, kStages = 4;
constexpr int kRowBytes = kRows * kPanelRowBytes, kHalfBytes = kColumns * kPanelRowBytes;
constexpr int kStage = kRowBytes + 2 * kHalfBytes;
constexpr int kOutPanel = kGroupRows * kPanelRowBytes, kOutPanels = kColumns / kPanelColumns;
constexpr int kOutBytes = kGroups * kOutPanels * kOutPanel;
constexpr int kShared = 1024 + kStages * kStage + kOutBytes + 2 * kStages * 8;
constexpr int kParts = kColumns / 8;  // of a tile: one is activated in a step of the next tile

struct Work {
  int rows, columns, steps;
};

#ifdef __CUDA_ARCH_FEAT_SM90_ALL

// A box of shared memory to a tensor; nothing outside it.
__device__ void store_box(const CUtensorMap& map, int column, int row, std::uint32_t from) {
  asm volatile(
      "cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%0, {%1, %2}], [%3];\n" ::"l"(
          reinterpret_cast<std::uint64_t>(&map)),
      "r"(column), "r"(row), "r"(from)
      : "memory");
}
__device__ void store_commit() { asm volatile("cp.async.bulk.commit_group;\n" ::: "memory"); }
__device__ void store_wait() { asm volatile("cp.async.bulk.wait_group 0;\n" ::: "memory"); }

// The four warps of a group: barrier 0 is that of the whole block.
__device__ void meet_group(int group) {
  asm volatile("bar.sync %0, 128;\n" ::"r"(1 + group) : "memory");
}

// The tiles of a cluster, in turn: all rows of some columns before the next columns, so that
// weights are fetched from memory once.
struct Tiles {
  int count, row_pairs;
  __device__ explicit Tiles(const Work& work)
      : row_pairs((work.rows + kCluster * kRows - 1) / (kCluster * kRows)) {
    count = row_pairs * ((work.columns + kColumns - 1) / kColumns);
  }
  __device__ int row(int tile) const {
    return (tile % row_pairs * kCluster + rank_in_cluster()) * kRows;
  }
  __device__ int column(int tile) const { return tile / row_pairs * kColumns; }
};

__device__ void copy(const CUtensorMap& rows, const CUtensorMap& weights, const Work& work,
                     std::uint32_t stages, Ring<kStages> ring) {
  const Tiles tiles(work);
  const int rank = rank_in_cluster();
  for (int tile = blockIdx.x / kCluster; tile < tiles.count; tile += gridDim.x / kCluster) {
    const int weight_row = rank * work.columns + tiles.column(tile);
    for (int step = 0; step < work.steps; ++step, ring.advance()) {
      const std::uint32_t to = stages + ring.stage * kStage;
      if (ring.turn > 0) barrier_wait(ring.empty(), (ring.turn - 1) % 2);
      barrier_expect(ring.full(), kStage);
      copy_box(to, rows, step * kDepth, tiles.row(tile), ring.full());
      copy_box_to_all<kCluster>(to + kRowBytes + rank * kHalfBytes, weights, step * kDepth,
                                weight_row, ring.full());
    }
  }
}

// A group's part of a tile, as the products alone would have left it: pairs of neighbouring gates,
// then those of up, of this thread's row and, in every second pair, of the row eight below.
struct Pairs {
  std::uint32_t gate[2 * kParts], up[2 * kParts];
  __device__ void take(const float (&sums)[kColumns]) {
#pragma unroll
    for (int i = 0; i < 2 * kParts; ++i) {
      gate[i] = pack_pair(sums[2 * i], sums[2 * i + 1]);
      up[i] = pack_pair(sums[kColumns / 2 + 2 * i], sums[kColumns / 2 + 2 * i + 1]);
    }
  }
};

__device__ float gated(float gate, float up) { return silu<__nv_bfloat16>(gate) * up; }

// Eight columns of 64 rows to shared memory, in panels.
__device__ void activate(const Pairs& pairs, int part, unsigned char* out) {
  const int row = threadIdx.x % 128 / 32 * 16 + threadIdx.x % 32 / 4;
  unsigned char* to = out + part / 8 * kOutPanel + (part % 8 ^ row % 8) * 16 + threadIdx.x % 4 * 4;
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    const std::uint32_t gate = pairs.gate[2 * part + half], up = pairs.up[2 * part + half];
    *reinterpret_cast<std::uint32_t*>(to + (row + 8 * half) * kPanelRowBytes) =
        pack_pair(gated(__uint_as_float(gate << 16), __uint_as_float(up << 16)),
                  gated(__uint_as_float(gate & 0xFFFF0000u), __uint_as_float(up & 0xFFFF0000u)));
  }
}

// The way of a group's results: activated by parts, then stored.
struct Results {
  const CUtensorMap& map;
  unsigned char* out;  // its room in shared memory
  int group;
  bool first = threadIdx.x % 128 == 0;

  __device__ void begin() const {
    if (first) store_wait();  // those before have left
    meet_group(group);
  }
  __device__ void store(int row, int column) const {
    asm volatile("fence.proxy.async.shared::cta;\n" ::: "memory");
    meet_group(group);
    if (!first) return;
    for (int panel = 0; panel < kOutPanels; ++panel)
      store_box(map, column + panel * kPanelColumns, row + group * kGroupRows,
                shared_address(out) + panel * kOutPanel);
    store_commit();
  }
  __device__ void end() const {
    if (first) store_wait();
  }
};

__device__ void multiply(const Results& results, const Work& work, std::uint32_t stages,
                         Ring<kStages> ring) {
  const Tiles tiles(work);
  const int own_rows = results.group * kGroupRows * kPanelRowBytes;
  Ring<kStages> done = ring;
  float sums[kColumns];
  Pairs pairs;
  const auto start = [&] {
    barrier_wait(ring.full(), ring.turn % 2);
    const std::uint32_t rows = stages + ring.stage * kStage + own_rows;
    const std::uint32_t weights = stages + ring.stage * kStage + kRowBytes;
    products_begin();
#pragma unroll
    for (int k = 0; k < kDepth / 16; ++k)
      product_add(sums, operand(rows + k * 32, 16), operand(weights + k * 32, 16));
    products_commit();
    ring.advance();
  };
  const auto release = [&] {
    __syncwarp();
    if (threadIdx.x % 32 < kCluster) barrier_arrive_at(done.empty(), threadIdx.x % 32);
    done.advance();
  };
  int last = -1;
  for (int tile = blockIdx.x / kCluster; tile < tiles.count; tile += gridDim.x / kCluster) {
#pragma unroll
    for (float& sum : sums) sum = 0;
    if (last >= 0) results.begin();
#pragma unroll
    for (int part = 0; part < kParts; ++part) {
      start();
      if (last >= 0) activate(pairs, part, results.out);
      products_wait<1>();
      if (part > 0) release();
    }
    if (last >= 0) results.store(tiles.row(last), tiles.column(last));
    for (int step = kParts; step < work.steps; ++step) {
      start();
      products_wait<1>();
      release();
    }
    products_wait<0>();
    release();
    pairs.take(sums);
    last = tile;
  }
  results.begin();
#pragma unroll
  for (int part = 0; part < kParts; ++part) activate(pairs, part, results.out);
  results.store(tiles.row(last), tiles.column(last));
  results.end();
}

#endif

__global__ void __launch_bounds__(kThreads, 1)
    multiply_gated(const __grid_constant__ CUtensorMap row_map,
                   const __grid_constant__ CUtensorMap weight_map,
                   const __grid_constant__ CUtensorMap out_map, const Work work) {
#ifdef __CUDA_ARCH_FEAT_SM90_ALL
  extern __shared__ unsigned char raw[];
  const std::uint32_t base = (shared_address(raw) + 1023) / 1024 * 1024;
  unsigned char* out = raw + (base - shared_address(raw)) + kStages * kStage;
  const Ring<kStages> ring{shared_address(out) + kOutBytes};
  if (threadIdx.x == 0) {
    for (int stage = 0; stage < kStages; ++stage) {
      barrier_init(ring.barriers + stage * 8, 1);
      barrier_init(ring.barriers + (kStages + stage) * 8, 4 * kGroups * kCluster);  // warps
    }
    barrier_init_done();
  }
  let_next_begin();
  wait_for_last();
  __syncthreads();
  meet_cluster();
  if (threadIdx.x < 128) {
    give_registers<24>();
    if (threadIdx.x == 0) copy(row_map, weight_map, work, base, ring);
  } else {
    take_registers<240>();
    const int group = threadIdx.x / 128 - 1;
    multiply(Results{out_map, out + group * kOutPanels * kOutPanel, group}, work, base, ring);
  }
  __syncwarp();
  meet_cluster();  // nobody leaves while others may still write to its memory
#endif
}

}  // namespace

bool has_gated_kernel(const Operation& op) {
  return op.weight_type == DType::kBF16 && op.in.type == DType::kBF16 &&
         op.out.type == DType::kBF16 && is_wide(op.in) && is_wide(op.out) &&
         reinterpret_cast<std::uintptr_t>(op.weight) % 16 == 0 && op.in.cols >= kParts * kDepth &&
         current_capability() == 9;
}

void launch_gated_kernel(const Operation& op, cudaStream_t stream) {
  static OncePerDevice ready;
  ready([] {
    check(
        cudaFuncSetAttribute(multiply_gated, cudaFuncAttributeMaxDynamicSharedMemorySize, kShared),
        "asking for shared memory");
  });
  int units = 0;
  check(cudaDeviceGetAttribute(&units, cudaDevAttrMultiProcessorCount, current_device()),
        "asking for the GPU's size");
  const Work work{op.out.rows, op.out.cols, static_cast<int>(blocks_for(op.in.cols, kDepth))};
  const unsigned clusters = std::min<unsigned>(
      blocks_for(work.rows, kCluster * kRows) * blocks_for(work.columns, kColumns),
      static_cast<unsigned>(units) / kCluster);
  launch({.cluster = kCluster}, multiply_gated, dim3(clusters * kCluster), kThreads, kShared,
         stream, panel_map(op.in, kRows),
         panel_map(op.weight, op.in.cols, 2 * work.columns, op.in.cols, kColumns),
         panel_map(op.out, kGroupRows), work);
  check_launch("a gated product");
}

}  // namespace umf
