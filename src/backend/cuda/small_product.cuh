// Small matrix products: a warp makes 16 rows of 32 outputs straight from global memory, which the
// caches hold. Every output is one chain of tensor core operations in ascending order.
#pragma once

#include "backend/cuda/mma.cuh"
#include "backend/cuda/small_rows.cuh"

namespace umf {

inline constexpr int kTileRows = 16, kTileColumns = 32;

// Eight numbers of a row; zeros behind its end.
__device__ inline uint4 eight_or_zeros(const __nv_bfloat16* row, int at, int end) {
  if (at >= end) return make_uint4(0, 0, 0, 0);
  return *reinterpret_cast<const uint4*>(row + at);
}

// c += a b over 32 inner indices. Lane 4 g + q holds numbers 8 q .. 8 q + 7 of rows g and g + 8 of
// a, and of column g of b: the same order of inner indices on both sides, which is all that counts.
__device__ inline void multiply_add_32(float (&c)[4], const uint4& a, const uint4& a8,
                                       const uint4& b) {
  const std::uint32_t first[4] = {a.x, a8.x, a.y, a8.y}, second[4] = {a.z, a8.z, a.w, a8.w};
  multiply_add(c, first, b.x, b.y);
  multiply_add(c, second, b.z, b.w);
}

__device__ inline void put_output(const Operation& op, int row, int col, float sum) {
  if (row >= op.out.rows || col >= op.out.cols) return;
  if (op.out.type == DType::kF32) {
    float* to = static_cast<float*>(op.out.data) + static_cast<std::size_t>(op.out.stride) * row;
    if (op.add) sum += to[col];
    if (op.bias) sum += static_cast<const float*>(op.bias)[col];
    to[col] = sum;
  } else {
    __nv_bfloat16* to = row_of(op.out, row);
    if (op.add) sum += to_float(to[col]);
    if (op.bias) sum += to_float(static_cast<const __nv_bfloat16*>(op.bias)[col]);
    to[col] = __float2bfloat16_rn(sum);
  }
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
    const __nv_bfloat16* x = row_of(op.in, min(row, op.in.rows - 1));
    const __nv_bfloat16* x8 = row_of(op.in, min(row + 8, op.in.rows - 1));
    const __nv_bfloat16* weights[kColumns];
#pragma unroll
    for (int j = 0; j < kColumns; ++j) {
      const int col = min(first_col + 8 * j + group, op.out.cols - 1);
      weights[j] =
          static_cast<const __nv_bfloat16*>(op.weight) + static_cast<std::size_t>(depth) * col;
    }
    float sums[kColumns][4] = {};
#pragma unroll 2
    for (int start = 0; start < depth; start += 32) {
      const int at = start + 8 * quad;
      const uint4 a = eight_or_zeros(x, at, depth), a8 = eight_or_zeros(x8, at, depth);
      uint4 b[kColumns];
#pragma unroll
      for (int j = 0; j < kColumns; ++j) b[j] = eight_or_zeros(weights[j], at, depth);
#pragma unroll
      for (int j = 0; j < kColumns; ++j) multiply_add_32(sums[j], a, a8, b[j]);
    }
#pragma unroll
    for (int j = 0; j < kColumns; ++j) {
      const int col = first_col + 8 * j + 2 * quad;
      put_output(op, row, col, sums[j][0]);
      put_output(op, row, col + 1, sums[j][1]);
      put_output(op, row + 8, col, sums[j][2]);
      put_output(op, row + 8, col + 1, sums[j][3]);
    }
  }
}

}  // namespace umf
