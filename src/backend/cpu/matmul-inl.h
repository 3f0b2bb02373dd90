// The matrix product: a register tile of rows x panel columns, and the task that drives it.
#if defined(UMF_CPU_MATMUL_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef UMF_CPU_MATMUL_INL_H
#undef UMF_CPU_MATMUL_INL_H
#else
#define UMF_CPU_MATMUL_INL_H
#endif

#include <algorithm>
#include <array>
#include <utility>

#include "backend/cpu/kernels.h"
#include "backend/cpu/pack-inl.h"
#include "backend/cpu/vec-inl.h"

HWY_BEFORE_NAMESPACE();
namespace umf {
namespace HWY_NAMESPACE {

// The tile's accumulators, two panel vectors and a broadcast must fit the registers: 12 x 2 of 32,
// or 6 x 2 of 16.
#if HWY_TARGET == HWY_SCALAR
inline constexpr std::size_t kTileRows = 2, kPanelVectors = 8;
#elif HWY_TARGET == HWY_AVX2
inline constexpr std::size_t kTileRows = 6, kPanelVectors = 2;
#else
inline constexpr std::size_t kTileRows = 12, kPanelVectors = 2;
#endif
inline constexpr std::size_t kPanel = kPanelVectors * kLanes;

// Where the chains of a tile begin and end.
struct TileEnds {
  const float* begin = nullptr;  // [rows][kPanel] of unfinished chains; null: 0
  float* end = nullptr;          // rows `stride` apart
  std::size_t stride = kPanel;
  const float* bias = nullptr;  // added to finished chains, as is what stands at `end` if `add`
  bool add = false;
};

// end[r][c] = begin[r][c] + sum over ascending k of a[k * a_stride + r] * b[k * kPanel + c], for
// kRows rows and kVectors vectors of columns. One chain of fused multiply-adds per number.
template <std::size_t kRows, std::size_t kVectors>
HWY_NOINLINE void tile(const float* HWY_RESTRICT a, std::size_t a_stride,
                       const float* HWY_RESTRICT b, std::size_t depth, const TileEnds& ends) {
  const F32 d;
  VF acc[kRows][kVectors];
  if (ends.begin) {
#pragma GCC unroll 16
    for (std::size_t r = 0; r < kRows; ++r) {
#pragma GCC unroll 16
      for (std::size_t v = 0; v < kVectors; ++v) {
        acc[r][v] = hn::LoadU(d, ends.begin + r * kPanel + v * kLanes);
      }
    }
  } else {
#pragma GCC unroll 16
    for (std::size_t r = 0; r < kRows; ++r) {
#pragma GCC unroll 16
      for (std::size_t v = 0; v < kVectors; ++v) acc[r][v] = hn::Zero(d);
    }
  }
  for (std::size_t k = 0; k < depth; ++k, a += a_stride, b += kPanel) {
    VF column[kVectors];
#pragma GCC unroll 16
    for (std::size_t v = 0; v < kVectors; ++v) column[v] = hn::LoadU(d, b + v * kLanes);
#pragma GCC unroll 16
    for (std::size_t r = 0; r < kRows; ++r) {
      const VF row = hn::Set(d, a[r]);
#pragma GCC unroll 16
      for (std::size_t v = 0; v < kVectors; ++v) acc[r][v] = fma(row, column[v], acc[r][v]);
    }
  }
#pragma GCC unroll 16
  for (std::size_t r = 0; r < kRows; ++r) {
#pragma GCC unroll 16
    for (std::size_t v = 0; v < kVectors; ++v) {
      float* to = ends.end + r * ends.stride + v * kLanes;
      VF x = acc[r][v];
      if (ends.add) x = hn::Add(hn::LoadU(d, to), x);
      if (ends.bias) x = hn::Add(x, hn::LoadU(d, ends.bias + v * kLanes));
      hn::StoreU(x, d, to);
    }
  }
}

using TileCall = void (*)(const float*, std::size_t, const float*, std::size_t, const TileEnds&);
template <std::size_t... kIndex>
constexpr std::array<TileCall, sizeof...(kIndex)> tile_table(std::index_sequence<kIndex...>) {
  return {tile<kIndex / kPanelVectors + 1, kIndex % kPanelVectors + 1>...};
}
inline constexpr auto kTiles = tile_table(std::make_index_sequence<kTileRows * kPanelVectors>());

// The tile of `rows` x `columns` (1 .. kPanel) numbers. `end` has room for whole vectors of
// columns.
HWY_INLINE TileCall tile_for(std::size_t rows, std::size_t columns) {
  return kTiles[(rows - 1) * kPanelVectors + (columns + kLanes - 1) / kLanes - 1];
}

inline void pack_rows(const PackJob& job, int tile_index) {
  const int first = tile_index * static_cast<int>(kTileRows);
  const int count = std::min<int>(kTileRows, job.count - first);
  pack_tile(job.rows + first * job.stride, job.stride, count, job.depth,
            job.packed + static_cast<std::size_t>(first) * job.depth);
}

// A panel of a slice: up to kPanel columns, numbers [k, k + depth) of each.
inline void pack_panel(const WeightSlice& slice, int column, int k, int weight_depth, int depth,
                       float* packed) {
  const auto pack = [&](auto* data) {
    const decltype(data) from = data + k;
    decltype(data) rows[kPanel];
    for (std::size_t i = 0; i < kPanel; ++i) {  // columns past the slice repeat its last one
      const int row = std::min<int>(column + i, slice.columns - 1);
      rows[i] = from + static_cast<std::size_t>(row) * weight_depth;
    }
    pack_columns<kPanel>(rows, depth, packed);
  };
  switch (slice.type) {
    case DType::kF32:
      return pack(reinterpret_cast<const float*>(slice.data));
    case DType::kF16:
      return pack(reinterpret_cast<const Half*>(slice.data));
    case DType::kBF16:
      return pack(reinterpret_cast<const Brain*>(slice.data));
  }
}

inline std::size_t matmul_scratch(const MatmulJob& job) {
  const std::size_t panels = static_cast<std::size_t>(job.depth_block) * job.task_panels * kPanel;
  const std::size_t partial = static_cast<std::size_t>(job.task_tiles) * job.task_panels;
  return panels + (partial + 1) * kTileRows * kPanel;
}

// The last block of a tile whose columns do not fill their vectors: through scratch.
HWY_NOINLINE void finish_narrow(TileCall call, const float* a, std::size_t a_stride, const float* b,
                                std::size_t depth, TileEnds ends, std::size_t rows,
                                std::size_t columns, float* scratch) {
  float* out = ends.end;
  const float* bias = ends.bias;
  const bool add = ends.add;
  const std::size_t stride = ends.stride;
  ends = {ends.begin, scratch};
  call(a, a_stride, b, depth, ends);
  for (std::size_t r = 0; r < rows; ++r) {
    for (std::size_t c = 0; c < columns; ++c) {
      float x = scratch[r * kPanel + c];
      if (add) x = out[r * stride + c] + x;
      if (bias) x = x + bias[c];
      out[r * stride + c] = x;
    }
  }
}

inline void matmul(const MatmulJob& job, int task, float* scratch) {
  const int first_panel = task % job.panel_groups() * job.task_panels;
  const int panels = std::min(job.task_panels, job.panels - first_panel);
  const int tiles = (job.rows + static_cast<int>(kTileRows) - 1) / static_cast<int>(kTileRows);
  const int first_tile = task / job.panel_groups() * job.task_tiles;
  const int last_tile = std::min(first_tile + job.task_tiles, tiles);

  float* packed = scratch;
  float* partial = packed + static_cast<std::size_t>(job.depth_block) * job.task_panels * kPanel;
  float* narrow =
      partial + static_cast<std::size_t>(job.task_tiles) * job.task_panels * kTileRows * kPanel;

  for (int k = 0; k < job.depth; k += job.depth_block) {
    const int depth = std::min(job.depth_block, job.depth - k);
    const bool first_block = k == 0, last_block = k + depth == job.depth;
    std::size_t slice_index = 0;
    const auto slice_of = [&](int panel) -> const WeightSlice& {
      while (slice_index + 1 < job.slices.size() &&
             job.slices[slice_index + 1].first_panel <= panel) {
        ++slice_index;
      }
      while (job.slices[slice_index].first_panel > panel) --slice_index;
      return job.slices[slice_index];
    };
    for (int p = 0; p < panels; ++p) {
      const WeightSlice& slice = slice_of(first_panel + p);
      const int column = (first_panel + p - slice.first_panel) * static_cast<int>(kPanel);
      pack_panel(slice, column, k, job.depth, depth,
                 packed + static_cast<std::size_t>(p) * depth * kPanel);
    }
    for (int t = first_tile; t < last_tile; ++t) {
      const int row = t * static_cast<int>(kTileRows);
      const std::size_t rows = std::min<std::size_t>(kTileRows, job.rows - row);
      const float* a = job.packed + static_cast<std::size_t>(row) * job.depth + k * rows;
      for (int p = 0; p < panels; ++p) {
        const WeightSlice& slice = slice_of(first_panel + p);
        const int column = (first_panel + p - slice.first_panel) * static_cast<int>(kPanel);
        const std::size_t columns = std::min<std::size_t>(kPanel, slice.columns - column);
        const float* b = packed + static_cast<std::size_t>(p) * depth * kPanel;
        float* rest = partial + (static_cast<std::size_t>(t - first_tile) * job.task_panels + p) *
                                    kTileRows * kPanel;
        const TileCall call = tile_for(rows, columns);
        TileEnds ends;
        ends.begin = first_block ? nullptr : rest;
        if (!last_block) {
          ends.end = rest;
          call(a, rows, b, depth, ends);
          continue;
        }
        ends.end =
            job.out + static_cast<std::size_t>(row) * job.out_stride + slice.out_column + column;
        ends.stride = job.out_stride;
        ends.bias = job.bias ? job.bias + slice.out_column + column : nullptr;
        ends.add = job.add;
        if (columns % kLanes == 0) {
          call(a, rows, b, depth, ends);
        } else {
          finish_narrow(call, a, rows, b, depth, ends, rows, columns, narrow);
        }
      }
    }
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace umf
HWY_AFTER_NAMESPACE();

#endif  // UMF_CPU_MATMUL_INL_H
