// The matrix product for a few rows. Every weight is used so few times that its way from memory is
// what counts: blocks are transposed and multiplied in registers, without a panel.
#if defined(UMF_CPU_FEW_ROWS_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef UMF_CPU_FEW_ROWS_INL_H
#undef UMF_CPU_FEW_ROWS_INL_H
#else
#define UMF_CPU_FEW_ROWS_INL_H
#endif

#include <algorithm>
#include <array>

#include "backend/cpu/kernels.h"
#include "backend/cpu/pack-inl.h"
#include "backend/cpu/vec-inl.h"

HWY_BEFORE_NAMESPACE();
namespace umf {
namespace HWY_NAMESPACE {

// Accumulators and one square of weights must fit the registers.
#if HWY_TARGET == HWY_SCALAR
inline constexpr std::size_t kFewRows = 0;
#elif HWY_TARGET == HWY_AVX2
inline constexpr std::size_t kFewRows = 4;
#else
inline constexpr std::size_t kFewRows = 8;
#endif

#if HWY_TARGET != HWY_SCALAR
template <class T, std::size_t kRows>
HWY_INLINE void accumulate(const float* a, VF column, VF (&acc)[kRows]) {
#pragma GCC unroll 16
  for (std::size_t m = 0; m < kRows; ++m) {
    acc[m] = multiply_add<kPerStep<T>>(set(a[m]), column, acc[m]);
  }
}

// Numbers [from, to) of the columns, fewer than a whole block: through memory.
template <std::size_t kRows, class T>
HWY_INLINE void accumulate_edge(const T* const* columns, std::size_t depth, std::size_t from,
                                std::size_t to, const float* a, VF (&acc)[kRows]) {
  constexpr std::size_t kBlock = kLanes * kPerLane<T>;
  HWY_ALIGN float block[kBlock / kPerStep<T> * kLanes];
  std::size_t start = from;
  if (depth >= kBlock && depth % kPerStep<T> == 0) {
    start = std::min(from, depth - kBlock);
    pack_block<kLanes>(columns, start, block);
  } else {
    const T* rest[kLanes];
    for (std::size_t i = 0; i < kLanes; ++i) rest[i] = columns[i] + from;
    pack_columns<kLanes>(rest, to - from, block);
  }
  for (std::size_t k = from; k < to; k += kPerStep<T>) {
    const float* column = block + (k - start) / kPerStep<T> * kLanes;
    accumulate<T>(a + k / kPerStep<T> * kRows, hn::LoadU(F32(), column), acc);
  }
}

// sums[m][c] = sum over ascending k of a[k][m] * columns[c][k], for kLanes columns.
template <std::size_t kRows, class T>
HWY_NOINLINE void few_rows(const T* const* columns, std::size_t depth, const float* a,
                           float* sums) {
  constexpr std::size_t kBlock = kLanes * kPerLane<T>;
  VF acc[kRows];
#pragma GCC unroll 16
  for (std::size_t m = 0; m < kRows; ++m) acc[m] = hn::Zero(F32());
  std::size_t k = std::min(depth, numbers_to_line(columns));
  if (k > 0) accumulate_edge(columns, depth, 0, k, a, acc);
  for (; k + kBlock <= depth; k += kBlock) {
    VF r[kLanes];
    load_square(columns, k, r);
    transpose_square(r);
    const float* row = a + k / kPerStep<T> * kRows;
#pragma GCC unroll 16
    for (std::size_t i = 0; i < kLanes; ++i, row += kPerLane<T> / kPerStep<T> * kRows) {
      if constexpr (kPerLane<T> == kPerStep<T>) {
        accumulate<T>(row, r[i], acc);
      } else {
        accumulate<T>(row, lower_half(r[i]), acc);
        accumulate<T>(row + kRows, upper_half(r[i]), acc);
      }
    }
  }
  if (k < depth) accumulate_edge(columns, depth, k, depth, a, acc);
#pragma GCC unroll 16
  for (std::size_t m = 0; m < kRows; ++m) hn::StoreU(acc[m], F32(), sums + m * kLanes);
}

template <class T, std::size_t... kIndex>
HWY_INLINE void few_rows_of(std::size_t rows, const T* const* columns, std::size_t depth,
                            const float* a, float* sums, std::index_sequence<kIndex...>) {
  using Call = void (*)(const T* const*, std::size_t, const float*, float*);
  static constexpr std::array<Call, sizeof...(kIndex)> calls{few_rows<kIndex + 1, T>...};
  calls[rows - 1](columns, depth, a, sums);
}

// The sums of `width` columns to their places, from the output column `at` on; rows of sums are
// `stride` numbers apart.
inline void finish_few_rows(const MatmulJob& job, int at, std::size_t width, const float* sums,
                            std::size_t stride) {
  for (int m = 0; m < job.rows; ++m) {
    float* to = job.out + m * job.out_stride + at;
    VF x = hn::LoadU(F32(), sums + m * stride);
    if (job.add) x = hn::Add(load_first(to, width), x);
    if (job.bias) x = hn::Add(x, load_first(job.bias + at, width));
    store_first(x, to, width);
  }
}

// `count` columns of a slice from `column` on, for all rows of the job (at most kFewRows).
template <class T>
inline void few_rows_slice(const MatmulJob& job, const WeightSlice& slice, int column, int count) {
  const T* data = reinterpret_cast<const T*>(slice.data);
  HWY_ALIGN float sums[kFewRows * kLanes];
  const T* columns[kLanes];
  for (int done = 0; done < count; done += kLanes) {
    for (std::size_t i = 0; i < kLanes; ++i) {  // columns past the slice repeat its last one
      const int row = std::min<int>(column + done + i, slice.columns - 1);
      columns[i] = data + static_cast<std::size_t>(row) * job.depth;
    }
    few_rows_of(job.rows, columns, job.depth, job.packed, sums,
                std::make_index_sequence<kFewRows>());
    finish_few_rows(job, slice.out_column + column + done,
                    std::min<std::size_t>(kLanes, count - done), sums, kLanes);
  }
}
#endif  // HWY_SCALAR

}  // namespace HWY_NAMESPACE
}  // namespace umf
HWY_AFTER_NAMESPACE();

#endif  // UMF_CPU_FEW_ROWS_INL_H
