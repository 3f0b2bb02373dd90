// Attention of small models: heads of 64 numbers, a warp per head and 16 queries, 32 keys at a
// time.
#pragma once

#include "backend/cuda/small_product.cuh"
#include "backend/cuda/visible.cuh"

namespace umf {

inline constexpr int kSmallHead = 64, kKeysAtOnce = 32;

// The maximum and the sum over the four lanes that hold a row.
__device__ inline float quad_max(float x) {
  x = fmaxf(x, __shfl_xor_sync(~0u, x, 1));
  return fmaxf(x, __shfl_xor_sync(~0u, x, 2));
}
__device__ inline float quad_sum(float x) {
  x += __shfl_xor_sync(~0u, x, 1);
  return x + __shfl_xor_sync(~0u, x, 2);
}

// Number i of eight, of two rows, as a pair.
__device__ inline std::uint32_t pair_of(const uint4& a, const uint4& b, int i) {
  const std::uint32_t from_a = i < 2 ? a.x : i < 4 ? a.y : i < 6 ? a.z : a.w;
  const std::uint32_t from_b = i < 2 ? b.x : i < 4 ? b.y : i < 6 ? b.z : b.w;
  return __byte_perm(from_a, from_b, i % 2 == 0 ? 0x5410 : 0x7632);
}

// Two of a lane's rows: `half` 0 is row g, 1 is row g + 8 of the tile.
struct RunningSoftmax {
  float top[2] = {-INFINITY, -INFINITY}, sum[2] = {0, 0};
};

// Turns scores into weights. A row that sees none of these keys keeps its bits: it is scaled by
// exactly 1.
__device__ inline void weigh(float (&scores)[kKeysAtOnce / 8][4], RunningSoftmax& softmax,
                             float (&mean)[8][4]) {
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    float top = -INFINITY;
#pragma unroll
    for (int j = 0; j < kKeysAtOnce / 8; ++j)
      top = fmaxf(top, fmaxf(scores[j][2 * half], scores[j][2 * half + 1]));
    top = fmaxf(softmax.top[half], quad_max(top));
    const float shrink = exp2_fast(softmax.top[half] - top);
    softmax.top[half] = top;
    float sum = 0;
#pragma unroll
    for (int j = 0; j < kKeysAtOnce / 8; ++j) {
#pragma unroll
      for (int i = 2 * half; i < 2 * half + 2; ++i) {
        scores[j][i] = exp2_fast(scores[j][i] - top);
        sum += scores[j][i];
      }
    }
    softmax.sum[half] = softmax.sum[half] * shrink + quad_sum(sum);
#pragma unroll
    for (int n = 0; n < 8; ++n) {
      mean[n][2 * half] *= shrink;
      mean[n][2 * half + 1] *= shrink;
    }
  }
}

// mean += weights * values for 16 keys from `key` on. Column c of tile n is number 8 c + n of the
// head, so that a lane needs eight neighbours of each value.
__device__ inline void add_values(const View& values, int column, int key, int lane,
                                  const std::uint32_t (&weights)[4], float (&mean)[8][4]) {
  const int group = lane / 4, quad = lane % 4;
  uint4 v[4];
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    const int at = key + 2 * quad + i % 2 + i / 2 * 8;
    v[i] = at < values.rows
               ? *reinterpret_cast<const uint4*>(row_of(values, at) + column + 8 * group)
               : make_uint4(0, 0, 0, 0);
  }
#pragma unroll
  for (int n = 0; n < 8; ++n)
    multiply_add(mean[n], weights, pair_of(v[0], v[1], n), pair_of(v[2], v[3], n));
}

__device__ inline void small_attend(const Operation& op, const Share& share) {
  const AttentionShape& shape = op.shape;
  const int lane = share.lane(), group = lane / 4, quad = lane % 4;
  const int tiles = (op.in.rows + kTileRows - 1) / kTileRows;
  const float scale = 1.44269504f / 8;  // weights are powers of 2; sqrt(64)
  for (int task = share.warp(); task < tiles * shape.heads; task += share.warps()) {
    const int head = task / tiles, first_row = task % tiles * kTileRows + group;
    const int column = head * kSmallHead;
    const int kv_column = head / (shape.heads / shape.kv_heads) * kSmallHead;
    uint4 query[2][2];
    int seen[2];
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const int row = min(first_row + 8 * half, op.in.rows - 1);
      seen[half] = visible(shape, op.integers[row], op.keys.rows);
#pragma unroll
      for (int block = 0; block < 2; ++block)
        query[half][block] =
            *reinterpret_cast<const uint4*>(row_of(op.in, row) + column + 32 * block + 8 * quad);
    }
    int end = max(seen[0], seen[1]);
#pragma unroll
    for (int step = 16; step > 0; step /= 2) end = max(end, __shfl_xor_sync(~0u, end, step));

    RunningSoftmax softmax;
    float mean[8][4] = {};
    for (int first = 0; first < end; first += kKeysAtOnce) {
      float scores[kKeysAtOnce / 8][4] = {};
#pragma unroll
      for (int j = 0; j < kKeysAtOnce / 8; ++j) {
        const __nv_bfloat16* key =
            row_of(op.keys, min(first + 8 * j + group, op.keys.rows - 1)) + kv_column + 8 * quad;
#pragma unroll
        for (int block = 0; block < 2; ++block) {
          multiply_add_32(scores[j], query[0][block], query[1][block],
                          *reinterpret_cast<const uint4*>(key + 32 * block));
        }
#pragma unroll
        for (int i = 0; i < 4; ++i) {
          const int at = first + 8 * j + 2 * quad + i % 2;
          scores[j][i] = at < seen[i / 2] ? scores[j][i] * scale : -INFINITY;
        }
      }
      weigh(scores, softmax, mean);
#pragma unroll
      for (int part = 0; part < kKeysAtOnce / 16; ++part) {
        const auto& a = scores[2 * part];
        const auto& b = scores[2 * part + 1];
        const std::uint32_t weights[4] = {pack_pair(a[0], a[1]), pack_pair(a[2], a[3]),
                                          pack_pair(b[0], b[1]), pack_pair(b[2], b[3])};
        add_values(op.values, kv_column, first + 16 * part, lane, weights, mean);
      }
    }
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const int row = first_row + 8 * half;
      if (row >= op.in.rows) continue;
      const float inverse = 1.0f / softmax.sum[half];
#pragma unroll
      for (int side = 0; side < 2; ++side) {
        float numbers[kGroup];
        // Adding 0 makes -0 into +0: keys of weight 0 would otherwise show in the sign of a zero.
#pragma unroll
        for (int n = 0; n < kGroup; ++n) numbers[n] = mean[n][2 * half + side] * inverse + 0.0f;
        store_group<true>(row_of(op.out, row) + column + 16 * quad + 8 * side, kGroup, numbers);
      }
    }
    __syncwarp();
  }
}

}  // namespace umf
