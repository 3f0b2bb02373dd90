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

#include "backend/cpu/few_rows-inl.h"
#include "backend/cpu/kernels.h"
#include "backend/cpu/pack-inl.h"
#include "backend/cpu/pairs-inl.h"
#include "backend/cpu/quantised-inl.h"
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
// kRows rows and kVectors vectors of columns; a step k has kNumbers numbers (bf16-inl.h). One chain
// of fused multiply-adds per number.
template <std::size_t kNumbers, std::size_t kRows, std::size_t kVectors>
HWY_NOINLINE void tile(const float* HWY_RESTRICT a, std::size_t a_stride,
                       const float* HWY_RESTRICT b, std::size_t steps, const TileEnds& ends) {
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
  for (std::size_t k = 0; k < steps; ++k, a += a_stride, b += kPanel) {
    VF column[kVectors];
#pragma GCC unroll 16
    for (std::size_t v = 0; v < kVectors; ++v) column[v] = hn::LoadU(d, b + v * kLanes);
#pragma GCC unroll 16
    for (std::size_t r = 0; r < kRows; ++r) {
      const VF row = hn::Set(d, a[r]);
#pragma GCC unroll 16
      for (std::size_t v = 0; v < kVectors; ++v) {
        acc[r][v] = multiply_add<kNumbers>(row, column[v], acc[r][v]);
      }
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
template <std::size_t kNumbers, std::size_t... kIndex>
constexpr std::array<TileCall, sizeof...(kIndex)> tile_table(std::index_sequence<kIndex...>) {
  return {tile<kNumbers, kIndex / kPanelVectors + 1, kIndex % kPanelVectors + 1>...};
}
template <std::size_t kNumbers>
inline constexpr auto kTiles =
    tile_table<kNumbers>(std::make_index_sequence<kTileRows * kPanelVectors>());

// The tile of `rows` x `columns` (1 .. kPanel) numbers. `end` has room for whole vectors of
// columns.
template <std::size_t kNumbers>
HWY_INLINE TileCall tile_for(std::size_t rows, std::size_t columns) {
  return kTiles<kNumbers>[(rows - 1) * kPanelVectors + (columns + kLanes - 1) / kLanes - 1];
}

// Which numbers a product multiplies. The kernels are templates of one of these.
struct Exact {
  template <class T>
  using Packed = T;
};
struct RoundedToBf16 {
  template <class T>
  using Packed = Rounded<T>;
};
struct Bf16Pairs {
  template <class T>
  using Packed = Paired<T>;
};
template <class Numbers>
using Activation = typename Numbers::template Packed<float>;

template <class Numbers>
inline void pack_rows(const PackJob& job, int tile_index) {
  const int first = tile_index * static_cast<int>(kTileRows);
  const int count = std::min<int>(kTileRows, job.count - first);
  const auto* rows = reinterpret_cast<const Activation<Numbers>*>(job.rows);
  pack_tile(rows + first * job.stride, job.stride, count, job.depth,
            job.packed + first * steps<Activation<Numbers>>(job.depth));
}

// Panel `index` of the job: up to kPanel columns of one slice.
struct Panel {
  const WeightSlice* slice;
  int column;  // of the slice
  int columns;
};
inline Panel find_panel(const MatmulJob& job, int index) {
  const WeightSlice* slice = &job.slices.back();
  while (slice->first_panel > index) --slice;
  const int column = (index - slice->first_panel) * static_cast<int>(kPanel);
  return {slice, column, std::min(static_cast<int>(kPanel), slice->columns - column)};
}

// Of a plain type.
template <class Numbers, class Work>
HWY_INLINE void with_stored_type(DType type, const Work& work) {
  switch (type) {
    case DType::kF32:
      return work(static_cast<const typename Numbers::template Packed<float>*>(nullptr));
    case DType::kF16:
      return work(static_cast<const typename Numbers::template Packed<Half>*>(nullptr));
    case DType::kBF16:
      return work(static_cast<const typename Numbers::template Packed<BFloat16>*>(nullptr));
    default:
      return;
  }
}

#if UMF_CPU_PAIRS
inline bool weights_have_small(const std::byte* from, DType type, std::size_t count) {
  bool found = false;
  with_stored_type<Bf16Pairs>(type, [&](auto* numbers) {
    found = has_small(reinterpret_cast<decltype(numbers)>(from), count);
  });
  return found;
}
#endif

// Numbers [k, k + depth) of a panel's columns.
template <class Numbers>
inline void pack_panel(const Panel& panel, int k, int weight_depth, int depth, float* packed) {
  const WeightSlice& slice = *panel.slice;
  if (is_quantised(slice.type)) {
    const QuantisedColumns columns(slice, panel.column, weight_depth, k);
    return pack_quantised<kPanel, Activation<Numbers>>(columns, depth, packed);
  }
  with_stored_type<Numbers>(panel.slice->type, [&](auto* type) {
    const auto data = reinterpret_cast<decltype(type)>(panel.slice->data) + k;
    decltype(type) rows[kPanel];
    for (std::size_t i = 0; i < kPanel; ++i) {  // columns past the slice repeat its last one
      const int row = std::min<int>(panel.column + i, panel.slice->columns - 1);
      rows[i] = data + static_cast<std::size_t>(row) * weight_depth;
    }
    pack_columns<kPanel>(rows, depth, packed);
  });
}

inline std::size_t matmul_scratch(const MatmulJob& job) {
  const std::size_t panels = static_cast<std::size_t>(job.depth_block) * job.task_panels * kPanel;
  const std::size_t chains = static_cast<std::size_t>(job.task_tiles) * job.task_panels;
  return panels + (chains + 1) * kTileRows * kPanel;
}

// A tile whose columns do not fill their vectors ends in scratch, and its columns are copied.
HWY_NOINLINE inline void narrow_tile(TileCall call, const float* a, const float* b,
                                     std::size_t steps, const TileEnds& ends, std::size_t rows,
                                     std::size_t columns, float* scratch) {
  TileEnds inner;
  inner.begin = ends.begin;
  inner.end = scratch;
  call(a, rows, b, steps, inner);
  for (std::size_t r = 0; r < rows; ++r) {
    for (std::size_t c = 0; c < columns; ++c) {
      float x = scratch[r * kPanel + c];
      float& to = ends.end[r * ends.stride + c];
      if (ends.add) x = to + x;
      if (ends.bias) x = x + ends.bias[c];
      to = x;
    }
  }
}

// The share of a job that is one depth block of one task: packs its panels, then lets every row
// tile meet them while it is in the first cache.
struct BlockScratch {
  float* packed;  // [panel][step][kPanel]
  float* chains;  // [tile][panel][kTileRows][kPanel]: unfinished between blocks
  float* narrow;  // [kTileRows][kPanel]
};
template <class Numbers>
inline void matmul_block(const MatmulJob& job, int first_panel, int last_panel, int first_tile,
                         int last_tile, int k, int depth, const BlockScratch& scratch) {
  using Row = Activation<Numbers>;
  const std::size_t block_steps = steps<Row>(depth), panel_size = block_steps * kPanel;
  for (int p = first_panel; p < last_panel; ++p) {
    pack_panel<Numbers>(find_panel(job, p), k, job.depth, depth,
                        scratch.packed + (p - first_panel) * panel_size);
  }
  const bool last_block = k + depth == job.depth;
  for (int t = first_tile; t < last_tile; ++t) {
    const int row = t * static_cast<int>(kTileRows);
    const std::size_t rows = std::min<std::size_t>(kTileRows, job.rows - row);
    const float* a = job.packed + row * steps<Row>(job.depth) + steps<Row>(k) * rows;
    for (int p = first_panel; p < last_panel; ++p) {
      const Panel panel = find_panel(job, p);
      const float* b = scratch.packed + (p - first_panel) * panel_size;
      float* chains = scratch.chains + (static_cast<std::size_t>(t - first_tile) * job.task_panels +
                                        (p - first_panel)) *
                                           kTileRows * kPanel;
      const TileCall call = tile_for<kPerStep<Row>>(rows, panel.columns);
      TileEnds ends;
      ends.begin = k == 0 ? nullptr : chains;
      if (!last_block) {
        ends.end = chains;
        call(a, rows, b, block_steps, ends);
        continue;
      }
      const int column = panel.slice->out_column + panel.column;
      ends.end = job.out + static_cast<std::size_t>(row) * job.out_stride + column;
      ends.stride = job.out_stride;
      ends.bias = job.bias ? job.bias + column : nullptr;
      ends.add = job.add;
      if (panel.columns % kLanes == 0) {
        call(a, rows, b, block_steps, ends);
      } else {
        narrow_tile(call, a, b, block_steps, ends, rows, panel.columns, scratch.narrow);
      }
    }
  }
}

template <class Numbers>
inline void matmul(const MatmulJob& job, int task, float* scratch) {
  const int first_panel = task % job.panel_groups() * job.task_panels;
  const int last_panel = std::min(first_panel + job.task_panels, job.panels);
#if HWY_TARGET != HWY_SCALAR
  if (job.rows <= static_cast<int>(kFewRows)) {
    for (int p = first_panel; p < last_panel; ++p) {
      const Panel panel = find_panel(job, p);
      if (is_quantised(panel.slice->type)) {
        few_rows_quantised<Activation<Numbers>>(job, *panel.slice, panel.column, panel.columns);
        continue;
      }
      with_stored_type<Numbers>(panel.slice->type, [&](auto* type) {
        using T = std::remove_cvref_t<decltype(*type)>;
        few_rows_slice<T>(job, *panel.slice, panel.column, panel.columns);
      });
    }
    return;
  }
#endif
  const int tiles = (job.rows + static_cast<int>(kTileRows) - 1) / static_cast<int>(kTileRows);
  const int first_tile = task / job.panel_groups() * job.task_tiles;
  const int last_tile = std::min(first_tile + job.task_tiles, tiles);
  const std::size_t packed = static_cast<std::size_t>(job.depth_block) * job.task_panels * kPanel;
  const std::size_t chains =
      static_cast<std::size_t>(job.task_tiles) * job.task_panels * kTileRows * kPanel;
  const BlockScratch parts{scratch, scratch + packed, scratch + packed + chains};
  // The first block is shorter if that makes the others start on cache lines of the weights; where
  // those are quantised, blocks of the depth are whole blocks of theirs.
  const WeightSlice& slice = job.slices.front();
  constexpr std::size_t kStep = kPerStep<Activation<Numbers>>;
  const bool quantised = std::ranges::any_of(
      job.slices, [](const WeightSlice& any) { return is_quantised(any.type); });
  const int past_line = quantised ? 0
                                  : reinterpret_cast<std::uintptr_t>(slice.data) % 64 /
                                        size_of(slice.type) / kStep * kStep;
  for (int k = 0, depth; k < job.depth; k += depth) {
    depth = job.depth_block - (k == 0 && job.depth_block > 64 ? past_line : 0);
    if (job.depth - k <= job.depth_block) depth = job.depth - k;
    matmul_block<Numbers>(job, first_panel, last_panel, first_tile, last_tile, k, depth, parts);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace umf
HWY_AFTER_NAMESPACE();

#endif  // UMF_CPU_MATMUL_INL_H
