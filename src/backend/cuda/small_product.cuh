// Small matrix products: a warp makes 16 rows of 32 outputs straight from global memory, which the
// caches hold. Tensor cores multiply bf16; so that activations lose nothing by it they go in as the
// sum of two such numbers, which keeps 16 bits of each. (tf32 would take as many instructions, keep
// 11, and want the weights widened.) Weights are bf16 and exact. Every output is two chains of
// tensor core operations, of the high and of the low parts, each in ascending order.
#pragma once

#include "backend/cuda/mma.cuh"
#include "backend/cuda/small_rows.cuh"

namespace umf {

inline constexpr int kTileRows = 16, kTileColumns = 32;

// Two numbers as pairs of bf16: high + low is each of them, off by 2^-17 of it at most.
struct SplitPair {
  std::uint32_t high, low;
};

__device__ inline SplitPair split(float a, float b) {
  const std::uint32_t high = pack_pair(a, b);
  return {high,
          pack_pair(a - __uint_as_float(high << 16), b - __uint_as_float(high & 0xFFFF0000u))};
}

// Eight neighbours of a row.
struct SplitEight {
  std::uint32_t high[4], low[4];
};

__device__ inline SplitEight split_eight(const float* at) {
  float x[kGroup];
  load_group<true>(at, kGroup, x);
  SplitEight eight;
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    const SplitPair pair = split(x[2 * i], x[2 * i + 1]);
    eight.high[i] = pair.high, eight.low[i] = pair.low;
  }
  return eight;
}

// c += a b over 16 inner indices, half `part` of 32. Lane 4 g + q holds numbers 8 q .. 8 q + 7 of
// rows g and g + 8 of a, and of column g of b: the same order of inner indices on both sides, which
// is all that counts.
__device__ inline void multiply_add_part(float (&c)[4], const std::uint32_t (&a)[4],
                                         const std::uint32_t (&a8)[4], const std::uint32_t (&b)[4],
                                         int part) {
  const std::uint32_t rows[4] = {a[2 * part], a8[2 * part], a[2 * part + 1], a8[2 * part + 1]};
  multiply_add(c, rows, b[2 * part], b[2 * part + 1]);
}

__device__ inline void put_output(const Operation& op, int row, int col, float sum) {
  if (row >= op.out.rows || col >= op.out.cols) return;
  float* to = row_of(op.out, row) + col;
  if (op.add) sum += *to;
  if (op.bias) sum += static_cast<const float*>(op.bias)[col];
  *to = sum;
}

__device__ inline void small_product(const Operation& op, const Share& share) {
  constexpr int kColumns = kTileColumns / 8;
  const int group = share.lane() / 4, quad = share.lane() % 4, depth = op.in.cols;
  const int row_tiles = (op.out.rows + kTileRows - 1) / kTileRows;
  const int tiles = row_tiles * ((op.out.cols + kTileColumns - 1) / kTileColumns);
  for (int tile = share.warp(); tile < tiles; tile += share.warps()) {
    const int row = tile % row_tiles * kTileRows + group;
    const int first_col = tile / row_tiles * kTileColumns;
    // Rows and columns behind the last are computed from the last and not stored.
    const float* x = row_of(op.in, min(row, op.in.rows - 1));
    const float* x8 = row_of(op.in, min(row + 8, op.in.rows - 1));
    const __nv_bfloat16* weights[kColumns];
#pragma unroll
    for (int j = 0; j < kColumns; ++j) {
      const int col = min(first_col + 8 * j + group, op.out.cols - 1);
      weights[j] =
          static_cast<const __nv_bfloat16*>(op.weight) + static_cast<std::size_t>(depth) * col;
    }
    float high[kColumns][4] = {}, low[kColumns][4] = {};
#pragma unroll 2
    for (int start = 0; start < depth; start += 32) {
      const int at = start + 8 * quad;
      SplitEight a = {}, a8 = {};
      std::uint32_t b[kColumns][4] = {};
      if (at < depth) {  // zeros behind the end
        a = split_eight(x + at);
        a8 = split_eight(x8 + at);
#pragma unroll
        for (int j = 0; j < kColumns; ++j) {
          const uint4 eight = *reinterpret_cast<const uint4*>(weights[j] + at);
          b[j][0] = eight.x, b[j][1] = eight.y, b[j][2] = eight.z, b[j][3] = eight.w;
        }
      }
#pragma unroll
      for (int part = 0; part < 2; ++part) {
#pragma unroll
        for (int j = 0; j < kColumns; ++j) multiply_add_part(high[j], a.high, a8.high, b[j], part);
#pragma unroll
        for (int j = 0; j < kColumns; ++j) multiply_add_part(low[j], a.low, a8.low, b[j], part);
      }
    }
#pragma unroll
    for (int j = 0; j < kColumns; ++j) {
      const int col = first_col + 8 * j + 2 * quad;
#pragma unroll
      for (int i = 0; i < 4; ++i)
        put_output(op, row + i / 2 * 8, col + i % 2, high[j][i] + low[j][i]);
    }
  }
}

}  // namespace umf
