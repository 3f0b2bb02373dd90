// Attention on Hopper (sm_90a): one warp copies tiles of keys and values, two groups of four warps
// multiply, each with 64 queries. While a tile's weights are made, the values of the tile before
// are being multiplied (Shah et al., FlashAttention-3, 2024).
#include "backend/cuda/attention_fast.h"
#include "backend/cuda/device.h"
#include "backend/cuda/dispatch.cuh"
#include "backend/cuda/functions.cuh"
#include "backend/cuda/launch.cuh"
#include "backend/cuda/mma.cuh"
#include "backend/cuda/tensor_map.h"
#include "backend/cuda/visible.cuh"
#include "backend/cuda/wgmma.cuh"

namespace umf {
namespace {

constexpr int kDim = 128, kRows = 128, kGroupRows = 64, kKeys = 128, kStages = 2;
constexpr int kThreads = 3 * 128;  // the copying group and two multiplying ones
constexpr std::uint32_t kPanelBytes = kKeys * kPanelRowBytes, kTileBytes = 2 * kPanelBytes;

struct Shared {  // offsets from a 1024-byte boundary
  static constexpr std::uint32_t kQueries = 0, kKeyTiles = kTileBytes,
                                 kValueTiles = kKeyTiles + kStages * kTileBytes,
                                 kBarriers = kValueTiles + kStages * kTileBytes,
                                 kSeen = kBarriers + 128, kBytes = kSeen + 16;
};

enum Barrier {
  kQueriesFull,
  kKeysFull,
  kKeysFree = 3,
  kValuesFull = 5,
  kValuesFree = 7,
  kBarrierCount = 9
};

#ifdef __CUDA_ARCH_FEAT_SM90_ALL

__device__ void copy_tile(std::uint32_t to, const CUtensorMap& map, int column, int row,
                          std::uint32_t barrier) {
  barrier_expect(barrier, kTileBytes);
  copy_box(to, map, column, row, barrier);
  copy_box(to + kPanelBytes, map, column + kPanelColumns, row, barrier);
}

// Starts scores = queries keys^T for 64 queries.
__device__ void start_scores(std::uint32_t queries, std::uint32_t keys, float (&s)[64]) {
  products_begin();
#pragma unroll
  for (int step = 0; step < kDim / 16; ++step) {
    const std::uint32_t at = step / 4 * kPanelBytes + step % 4 * 32;
    product_shared(s, operand(queries + at, 16), operand(keys + at, 16), step > 0);
  }
  products_commit();
}

__device__ void start_values(const std::uint32_t (&p)[kKeys / 16][4], std::uint32_t values,
                             float (&mean)[64]) {
  products_begin();
#pragma unroll
  for (int step = 0; step < kKeys / 16; ++step) {
    product_registers(mean, p[step], operand(values + step * 16 * kPanelRowBytes, kPanelBytes));
  }
  products_commit();
}

// Of the two rows of a thread: the largest score and the sum of weights (of this lane's keys) so
// far.
struct Softmax {
  float top[2] = {-INFINITY, -INFINITY}, sum[2] = {};

  // Scores become weights; gives what the means so far shrink by.
  __device__ void weigh(float (&s)[64], float scale, float (&shrink)[2]) {
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      float now = top[half];
#pragma unroll
      for (int n = 0; n < kKeys / 8; ++n)
        now = fmaxf(now, fmaxf(s[4 * n + 2 * half], s[4 * n + 2 * half + 1]));
      now = fmaxf(now, __shfl_xor_sync(~0u, now, 1));
      now = fmaxf(now, __shfl_xor_sync(~0u, now, 2));
      shrink[half] = exp2_fast((top[half] - now) * scale);
      top[half] = now;
      const float base = now * scale;
      float total = sum[half] * shrink[half];
#pragma unroll
      for (int n = 0; n < kKeys / 8; ++n) {
#pragma unroll
        for (int i = 0; i < 2; ++i) {
          float& x = s[4 * n + 2 * half + i];
          x = exp2_fast(fmaf(x, scale, -base));
          total += x;
        }
      }
      sum[half] = total;
    }
  }
};

__device__ void pack_weights(const float (&s)[64], std::uint32_t (&p)[kKeys / 16][4]) {
#pragma unroll
  for (int step = 0; step < kKeys / 16; ++step) {
#pragma unroll
    for (int i = 0; i < 4; ++i)
      p[step][i] = pack_pair(s[8 * step + 2 * i], s[8 * step + 2 * i + 1]);
  }
}

// A key beyond what a row sees weighs nothing.
__device__ void hide(float (&s)[64], int first_key, const int (&seen)[2]) {
  const int column = first_key + threadIdx.x % 4 * 2;
#pragma unroll
  for (int i = 0; i < 64; ++i) {
    if (column + i / 4 * 8 + i % 2 >= seen[i % 4 / 2]) s[i] = -INFINITY;
  }
}

#endif

__global__ void __launch_bounds__(kThreads, 1)
    attend(const __grid_constant__ CUtensorMap query_map,
           const __grid_constant__ CUtensorMap key_map,
           const __grid_constant__ CUtensorMap value_map, View queries, int rows, int keys,
           View out, const int* positions, AttentionShape shape, float scale) {
#ifdef __CUDA_ARCH_FEAT_SM90_ALL
  extern __shared__ unsigned char raw[];
  const std::uint32_t base = (shared_address(raw) + 1023) / 1024 * 1024;
  unsigned char* aligned = raw + (base - shared_address(raw));
  int* seen_by = reinterpret_cast<int*>(aligned + Shared::kSeen);  // all, some
  const auto barrier = [&](int which) { return base + Shared::kBarriers + which * 8; };
  const int first = blockIdx.x * rows, own_rows = min(rows, queries.rows - first);
  const int groups = own_rows > kGroupRows ? 2 : 1;  // that multiply
  const int head = blockIdx.y;
  const int column = head * kDim, kv_column = head / (shape.heads / shape.kv_heads) * kDim;
  const int group = threadIdx.x / 128, lane = threadIdx.x % 32;

  if (threadIdx.x == 0) {
    seen_by[0] = keys, seen_by[1] = 1;
    barrier_init(barrier(kQueriesFull), 1);
    for (int stage = 0; stage < kStages; ++stage) {
      barrier_init(barrier(kKeysFull + stage), 1);
      barrier_init(barrier(kValuesFull + stage), 1);
      barrier_init(barrier(kKeysFree + stage), 4 * groups);  // warps
      barrier_init(barrier(kValuesFree + stage), 4 * groups);
    }
    barrier_init_done();
  }
  let_next_begin();
  wait_for_last();
  __syncthreads();
  if (static_cast<int>(threadIdx.x) < own_rows) {
    const int seen = visible(shape, positions[first + threadIdx.x], keys);
    atomicMin(&seen_by[0], seen);
    atomicMax(&seen_by[1], seen);
  }
  __syncthreads();
  const int unmasked = seen_by[0], tiles = (seen_by[1] + kKeys - 1) / kKeys;
  const auto key_tile = [&](int stage) { return base + Shared::kKeyTiles + stage * kTileBytes; };
  const auto value_tile = [&](int stage) {
    return base + Shared::kValueTiles + stage * kTileBytes;
  };

  if (group == 0) {
    give_registers<24>();
    if (threadIdx.x == 0) {
      copy_tile(base + Shared::kQueries, query_map, column, first, barrier(kQueriesFull));
      for (int tile = 0; tile < tiles; ++tile) {
        const int stage = tile % kStages, turn = tile / kStages;
        // The first turn finds the stages free.
        if (turn > 0) barrier_wait(barrier(kKeysFree + stage), (turn - 1) % 2);
        copy_tile(key_tile(stage), key_map, kv_column, tile * kKeys, barrier(kKeysFull + stage));
        if (turn > 0) barrier_wait(barrier(kValuesFree + stage), (turn - 1) % 2);
        copy_tile(value_tile(stage), value_map, kv_column, tile * kKeys,
                  barrier(kValuesFull + stage));
      }
    }
  } else if (group <= groups) {
    take_registers<240>();
    const int first_row = first + (group - 1) * kGroupRows + threadIdx.x % 128 / 32 * 16 + lane / 4;
    int seen[2];
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const int row = first_row + half * 8;
      seen[half] = row < queries.rows ? visible(shape, positions[row], keys) : 1;
    }
    const std::uint32_t my_queries =
        base + Shared::kQueries + (group - 1) * kGroupRows * kPanelRowBytes;
    const auto release = [&](int which) {
      __syncwarp();
      if (lane == 0) barrier_arrive(barrier(which));
    };
    float mean[64] = {}, s[64], shrink[2];
    std::uint32_t p[kKeys / 16][4];
    Softmax softmax;

    barrier_wait(barrier(kQueriesFull), 0);
    barrier_wait(barrier(kKeysFull), 0);
    start_scores(my_queries, key_tile(0), s);
    products_wait<0>();
    release(kKeysFree);
    if (kKeys > unmasked) hide(s, 0, seen);
    softmax.weigh(s, scale, shrink);
    pack_weights(s, p);
    for (int tile = 1; tile < tiles; ++tile) {
      const int stage = tile % kStages, before = (tile - 1) % kStages;
      barrier_wait(barrier(kKeysFull + stage), tile / kStages % 2);
      start_scores(my_queries, key_tile(stage), s);
      barrier_wait(barrier(kValuesFull + before), (tile - 1) / kStages % 2);
      start_values(p, value_tile(before), mean);
      products_wait<1>();
      release(kKeysFree + stage);
      if ((tile + 1) * kKeys > unmasked) hide(s, tile * kKeys, seen);
      softmax.weigh(s, scale, shrink);
      products_wait<0>();
      release(kValuesFree + before);
#pragma unroll
      for (int i = 0; i < 64; ++i) mean[i] *= shrink[i % 4 / 2];
      pack_weights(s, p);
    }
    const int last = (tiles - 1) % kStages;
    barrier_wait(barrier(kValuesFull + last), (tiles - 1) / kStages % 2);
    start_values(p, value_tile(last), mean);
    products_wait<0>();

#pragma unroll
    for (int half = 0; half < 2; ++half) {
      float sum = softmax.sum[half];
      sum += __shfl_xor_sync(~0u, sum, 1);
      sum += __shfl_xor_sync(~0u, sum, 2);
      const int row = first_row + half * 8;
      if (row >= queries.rows) continue;
      __nv_bfloat16* to = static_cast<__nv_bfloat16*>(out.data) +
                          static_cast<std::size_t>(row) * out.stride + column + lane % 4 * 2;
      const float inverse = 1.0f / sum;
#pragma unroll
      for (int n = 0; n < kDim / 8; ++n) {
        // Adding 0 makes -0 into +0: keys of weight 0 would otherwise show in the sign of a zero.
        const float a = mean[4 * n + 2 * half] * inverse + 0.0f;
        const float b = mean[4 * n + 2 * half + 1] * inverse + 0.0f;
        *reinterpret_cast<std::uint32_t*>(to + n * 8) = pack_pair(a, b);
      }
    }
  }
#endif
}

}  // namespace

void launch_attention_wgmma(const Operation& op, cudaStream_t stream) {
  constexpr int kBytes = Shared::kBytes + 1024;
  static OncePerDevice ready;
  ready([] {
    check(cudaFuncSetAttribute(attend, cudaFuncAttributeMaxDynamicSharedMemorySize, kBytes),
          "asking for shared memory");
  });
  // Few queries leave most of the GPU unused, and two groups of a block share its tensor cores: one
  // group has them for itself where there is room for so many blocks. No row's bits depend on it.
  int units = 0;
  check(cudaDeviceGetAttribute(&units, cudaDevAttrMultiProcessorCount, current_device()),
        "asking for the GPU's size");
  const bool few = static_cast<int>(blocks_for(op.in.rows, kGroupRows)) * op.shape.heads <= units;
  const int rows = few ? kGroupRows : kRows;
  const float scale = 1.44269504f / sqrtf(static_cast<float>(kDim));  // weights are powers of 2
  launch_early(attend, dim3(blocks_for(op.in.rows, rows), op.shape.heads), kThreads, kBytes, stream,
               panel_map(op.in, kRows), panel_map(op.keys, kRows), panel_map(op.values, kRows),
               op.in, rows, op.keys.rows, op.out, op.integers, op.shape, scale);
  check_launch("attention");
}

}  // namespace umf
