// Attention on the bf16 tensor cores of compute capability 8.0 and later: tiles of keys pass
// through shared memory, scores never leave the registers (Dao, FlashAttention-2, 2023).
#include "backend/cuda/attention_fast.h"
#include "backend/cuda/device.h"
#include "backend/cuda/dispatch.cuh"
#include "backend/cuda/functions.cuh"
#include "backend/cuda/mma.cuh"
#include "backend/cuda/visible.cuh"

namespace umf {
namespace {

constexpr int kRows = 128, kKeys = 64;  // of a block, of a tile
constexpr int kTiles = 2;               // 16-row tiles per warp, which share what they load of keys
constexpr int kThreads = kRows / (16 * kTiles) * 32;

// Rows of kDim numbers in shared memory, 16-byte chunks permuted so that eight rows of one chunk
// lie in different banks.
template <int kDim>
__device__ std::uint32_t chunk_offset(int row, int chunk) {
  return static_cast<std::uint32_t>((row * (kDim / 8) + (chunk ^ (row & 7))) * 16);
}

template <int kDim>
__device__ void load_rows(std::uint32_t to, const __nv_bfloat16* from, int stride, int count,
                          int rows) {
  constexpr int kChunks = kDim / 8;
  for (int i = threadIdx.x; i < rows * kChunks; i += kThreads) {
    const int row = i / kChunks, chunk = i % kChunks;
    const bool inside = row < count;
    const __nv_bfloat16* at =
        from + static_cast<std::size_t>(inside ? row : 0) * stride + chunk * 8;
    copy_async(to + chunk_offset<kDim>(row, chunk), at, inside);
  }
}

template <int kDim>
struct Accumulators {
  float mean[kTiles][kDim / 8][4] = {};
  float top[kTiles][2], sum[kTiles][2] = {};  // of the rows g and g + 8 of a tile
};

template <int kDim>
__device__ void score(std::uint32_t queries, std::uint32_t keys, float (&s)[kTiles][kKeys / 8][4]) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
#pragma unroll
  for (int step = 0; step < kDim / 16; ++step) {
    std::uint32_t a[kTiles][4];
#pragma unroll
    for (int tile = 0; tile < kTiles; ++tile) {
      const int row = (warp * kTiles + tile) * 16 + lane % 16;
      load_matrices(a[tile], queries + chunk_offset<kDim>(row, 2 * step + lane / 16));
    }
#pragma unroll
    for (int pair = 0; pair < kKeys / 16; ++pair) {
      std::uint32_t b[4];
      const int key = pair * 16 + lane / 16 * 8 + lane % 8;
      load_matrices(b, keys + chunk_offset<kDim>(key, 2 * step + lane / 8 % 2));
#pragma unroll
      for (int tile = 0; tile < kTiles; ++tile) {
        multiply_add(s[tile][2 * pair], a[tile], b[0], b[1]);
        multiply_add(s[tile][2 * pair + 1], a[tile], b[2], b[3]);
      }
    }
  }
}

// Scores become weights relative to the largest score so far; what was summed before shrinks.
// A row without a visible key in this tile keeps its bits: its weights are 0 and it shrinks by 1.
template <int kDim>
__device__ void soften(float (&s)[kTiles][kKeys / 8][4], float scale, Accumulators<kDim>& acc) {
#pragma unroll
  for (int tile = 0; tile < kTiles; ++tile) {
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      float top = acc.top[tile][half];
#pragma unroll
      for (int n = 0; n < kKeys / 8; ++n)
        top = fmaxf(top, fmaxf(s[tile][n][2 * half], s[tile][n][2 * half + 1]));
      top = fmaxf(top, __shfl_xor_sync(~0u, top, 1));
      top = fmaxf(top, __shfl_xor_sync(~0u, top, 2));
      const float shrink = exp2_fast((acc.top[tile][half] - top) * scale);
      const float base = top * scale;
      acc.top[tile][half] = top;
      float sum = acc.sum[tile][half] * shrink;
#pragma unroll
      for (int n = 0; n < kKeys / 8; ++n) {
#pragma unroll
        for (int i = 2 * half; i < 2 * half + 2; ++i) {
          s[tile][n][i] = exp2_fast(fmaf(s[tile][n][i], scale, -base));
          sum += s[tile][n][i];
        }
      }
      acc.sum[tile][half] = sum;  // of this lane's keys; the lanes of a row are added at the end
#pragma unroll
      for (int n = 0; n < kDim / 8; ++n) {
        acc.mean[tile][n][2 * half] *= shrink;
        acc.mean[tile][n][2 * half + 1] *= shrink;
      }
    }
  }
}

template <int kDim>
__device__ void add_values(std::uint32_t values, const float (&p)[kTiles][kKeys / 8][4],
                           Accumulators<kDim>& acc) {
  const int lane = threadIdx.x % 32;
#pragma unroll
  for (int step = 0; step < kKeys / 16; ++step) {
    std::uint32_t a[kTiles][4];
#pragma unroll
    for (int tile = 0; tile < kTiles; ++tile) {
      const auto &left = p[tile][2 * step], &right = p[tile][2 * step + 1];
      a[tile][0] = pack_pair(left[0], left[1]), a[tile][1] = pack_pair(left[2], left[3]);
      a[tile][2] = pack_pair(right[0], right[1]), a[tile][3] = pack_pair(right[2], right[3]);
    }
    const int key = step * 16 + lane / 8 % 2 * 8 + lane % 8;
#pragma unroll
    for (int pair = 0; pair < kDim / 16; ++pair) {
      std::uint32_t b[4];
      load_matrices_transposed(b, values + chunk_offset<kDim>(key, 2 * pair + lane / 16));
#pragma unroll
      for (int tile = 0; tile < kTiles; ++tile) {
        multiply_add(acc.mean[tile][2 * pair], a[tile], b[0], b[1]);
        multiply_add(acc.mean[tile][2 * pair + 1], a[tile], b[2], b[3]);
      }
    }
  }
}

template <int kDim>
__global__ void __launch_bounds__(kThreads, 2)
    attend(View queries, View keys, View values, View out, const int* positions,
           AttentionShape shape, float scale) {
  extern __shared__ __align__(128) unsigned char shared[];
  __shared__ int seen_by_all, seen_by_some;
  constexpr std::uint32_t kTileBytes = kKeys * kDim * 2;
  const std::uint32_t query_tile = shared_address(shared);
  const std::uint32_t key_tiles = query_tile + kRows * kDim * 2;
  const std::uint32_t value_tiles = key_tiles + 2 * kTileBytes;
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const int first = blockIdx.x * kRows, head = blockIdx.y;
  const int kv = head / (shape.heads / shape.kv_heads) * kDim;
  using B = __nv_bfloat16;
  const B* query_base = static_cast<const B*>(queries.data) +
                        static_cast<std::size_t>(first) * queries.stride + head * kDim;
  const B* key_base = static_cast<const B*>(keys.data) + kv;
  const B* value_base = static_cast<const B*>(values.data) + kv;

  const auto load_tile = [&](int tile) {
    const int from = tile * kKeys, stage = tile % 2;
    load_rows<kDim>(key_tiles + stage * kTileBytes,
                    key_base + static_cast<std::size_t>(from) * keys.stride, keys.stride,
                    keys.rows - from, kKeys);
    load_rows<kDim>(value_tiles + stage * kTileBytes,
                    value_base + static_cast<std::size_t>(from) * values.stride, values.stride,
                    keys.rows - from, kKeys);
  };
  load_rows<kDim>(query_tile, query_base, queries.stride, queries.rows - first, kRows);
  load_tile(0);
  commit_copies();

  if (threadIdx.x == 0) seen_by_all = keys.rows, seen_by_some = 1;
  __syncthreads();
  const auto row_of = [&](int tile, int half) {
    return first + (warp * kTiles + tile) * 16 + half * 8 + lane / 4;
  };
  int seen[kTiles][2];
  Accumulators<kDim> acc;
#pragma unroll
  for (int tile = 0; tile < kTiles; ++tile) {
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const int row = row_of(tile, half);
      const bool real = row < queries.rows;
      seen[tile][half] = real ? visible(shape, positions[row], keys.rows) : 1;
      acc.top[tile][half] = -INFINITY;
      if (real) {
        atomicMin(&seen_by_all, seen[tile][half]);
        atomicMax(&seen_by_some, seen[tile][half]);
      }
    }
  }
  __syncthreads();
  const int unmasked = seen_by_all, tiles = (seen_by_some + kKeys - 1) / kKeys;

  for (int tile = 0; tile < tiles; ++tile) {
    if (tile + 1 < tiles) load_tile(tile + 1);
    commit_copies();
    wait_for_copies<1>();
    __syncthreads();
    float s[kTiles][kKeys / 8][4] = {};
    score<kDim>(query_tile, key_tiles + tile % 2 * kTileBytes, s);
    if ((tile + 1) * kKeys > unmasked) {
#pragma unroll
      for (int t = 0; t < kTiles; ++t) {
#pragma unroll
        for (int n = 0; n < kKeys / 8; ++n) {
#pragma unroll
          for (int i = 0; i < 4; ++i) {
            const int key = tile * kKeys + n * 8 + lane % 4 * 2 + i % 2;
            if (key >= seen[t][i / 2]) s[t][n][i] = -INFINITY;
          }
        }
      }
    }
    soften<kDim>(s, scale, acc);
    add_values<kDim>(value_tiles + tile % 2 * kTileBytes, s, acc);
    __syncthreads();  // before the tile is overwritten
  }

#pragma unroll
  for (int tile = 0; tile < kTiles; ++tile) {
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      float sum = acc.sum[tile][half];
      sum += __shfl_xor_sync(~0u, sum, 1);
      sum += __shfl_xor_sync(~0u, sum, 2);
      const int row = row_of(tile, half);
      if (row >= queries.rows) continue;
      B* to = static_cast<B*>(out.data) + static_cast<std::size_t>(row) * out.stride + head * kDim +
              lane % 4 * 2;
      const float inverse = 1.0f / sum;
#pragma unroll
      for (int n = 0; n < kDim / 8; ++n) {
        // Adding 0 makes -0 into +0: keys of weight 0 would otherwise show in the sign of a zero.
        const float a = acc.mean[tile][n][2 * half] * inverse + 0.0f;
        const float b = acc.mean[tile][n][2 * half + 1] * inverse + 0.0f;
        *reinterpret_cast<std::uint32_t*>(to + n * 8) = pack_pair(a, b);
      }
    }
  }
}

template <int kDim>
void launch(const Operation& op, cudaStream_t stream) {
  constexpr int kBytes = (kRows + 4 * kKeys) * kDim * 2;
  static OncePerDevice ready;
  ready([] {
    check(cudaFuncSetAttribute(attend<kDim>, cudaFuncAttributeMaxDynamicSharedMemorySize, kBytes),
          "asking for shared memory");
  });
  const float scale = 1.44269504f / sqrtf(static_cast<float>(kDim));  // weights are powers of 2
  attend<kDim><<<dim3(blocks_for(op.in.rows, kRows), op.shape.heads), kThreads, kBytes, stream>>>(
      op.in, op.keys, op.values, op.out, op.integers, op.shape, scale);
  check_launch("attention");
}

}  // namespace

void launch_attention_mma(const Operation& op, cudaStream_t stream) {
  op.shape.head_dim == 128 ? launch<128>(op, stream) : launch<64>(op, stream);
}

}  // namespace umf
