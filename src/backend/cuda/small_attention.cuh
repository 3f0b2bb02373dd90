// Attention of small models: heads of 64 numbers, a warp per head and 16 queries, 32 keys at a
// time. Both sides of its products are split in two: of the four products of their parts the one of
// the low parts is left out, being as small as what splitting loses.
#pragma once

#include "backend/cuda/functions.cuh"
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

// The weights of 16 keys for 16 queries, as a lane holds them.
struct SplitWeights {
  std::uint32_t high[4], low[4];
};

__device__ inline SplitWeights split_weights(const float (&a)[4], const float (&b)[4]) {
  const SplitPair pairs[4] = {split(a[0], a[1]), split(a[2], a[3]), split(b[0], b[1]),
                              split(b[2], b[3])};
  SplitWeights weights;
#pragma unroll
  for (int i = 0; i < 4; ++i) weights.high[i] = pairs[i].high, weights.low[i] = pairs[i].low;
  return weights;
}

// mean += weights * values for 16 keys from `key` on. Column c of tile n is number 8 c + n of the
// head, so that a lane needs eight neighbours of each value; four at a time fit into registers.
__device__ inline void add_values(const View& values, int column, int key, int lane,
                                  const SplitWeights& weights, float (&mean)[8][4]) {
  const int group = lane / 4, quad = lane % 4;
#pragma unroll
  for (int first = 0; first < 8; first += 4) {
    float v[4][4];
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      const int at = key + 2 * quad + i % 2 + i / 2 * 8;
      const float4 four =
          at < values.rows
              ? *reinterpret_cast<const float4*>(row_of(values, at) + column + 8 * group + first)
              : float4{};
      v[i][0] = four.x, v[i][1] = four.y, v[i][2] = four.z, v[i][3] = four.w;
    }
    SplitPair near[4], far[4];
#pragma unroll
    for (int n = 0; n < 4; ++n) near[n] = split(v[0][n], v[1][n]), far[n] = split(v[2][n], v[3][n]);
#pragma unroll
    for (int n = 0; n < 4; ++n)
      multiply_add(mean[first + n], weights.high, near[n].high, far[n].high);
#pragma unroll
    for (int n = 0; n < 4; ++n)
      multiply_add(mean[first + n], weights.high, near[n].low, far[n].low);
#pragma unroll
    for (int n = 0; n < 4; ++n)
      multiply_add(mean[first + n], weights.low, near[n].high, far[n].high);
  }
}

// Scores of eight keys, one of which a lane reads at `key`. Three chains, added at the end.
__device__ inline void score_keys(const SplitEight (&query)[2][2], const float* key,
                                  float (&scores)[4]) {
  float high[4] = {}, low_key[4] = {}, low_query[4] = {};
#pragma unroll
  for (int block = 0; block < 2; ++block) {
    const SplitEight k = split_eight(key + 32 * block);
    const SplitEight &q = query[0][block], &q8 = query[1][block];
#pragma unroll
    for (int part = 0; part < 2; ++part) {
      multiply_add_part(high, q.high, q8.high, k.high, part);
      multiply_add_part(low_key, q.high, q8.high, k.low, part);
      multiply_add_part(low_query, q.low, q8.low, k.high, part);
    }
  }
#pragma unroll
  for (int i = 0; i < 4; ++i) scores[i] = high[i] + (low_key[i] + low_query[i]);
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
    SplitEight query[2][2];
    int seen[2];
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const int row = min(first_row + 8 * half, op.in.rows - 1);
      seen[half] = visible(shape, op.integers[row], op.keys.rows);
#pragma unroll
      for (int block = 0; block < 2; ++block)
        query[half][block] = split_eight(row_of(op.in, row) + column + 32 * block + 8 * quad);
    }
    int end = max(seen[0], seen[1]);
#pragma unroll
    for (int step = 16; step > 0; step /= 2) end = max(end, __shfl_xor_sync(~0u, end, step));

    RunningSoftmax softmax;
    float mean[8][4] = {};
    for (int first = 0; first < end; first += kKeysAtOnce) {
      float scores[kKeysAtOnce / 8][4];
#pragma unroll
      for (int j = 0; j < kKeysAtOnce / 8; ++j) {
        const int row = min(first + 8 * j + group, op.keys.rows - 1);
        score_keys(query, row_of(op.keys, row) + kv_column + 8 * quad, scores[j]);
#pragma unroll
        for (int i = 0; i < 4; ++i) {
          const int at = first + 8 * j + 2 * quad + i % 2;
          scores[j][i] = at < seen[i / 2] ? scores[j][i] * scale : -INFINITY;
        }
      }
      weigh(scores, softmax, mean);
#pragma unroll
      for (int part = 0; part < kKeysAtOnce / 16; ++part) {
        add_values(op.values, kv_column, first + 16 * part, lane,
                   split_weights(scores[2 * part], scores[2 * part + 1]), mean);
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
