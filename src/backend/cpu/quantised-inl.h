// Products with quantised weights: elements of blocks become numbers in registers, for a panel, or
// for the chains of a few rows.
#if defined(UMF_CPU_QUANTISED_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef UMF_CPU_QUANTISED_INL_H
#undef UMF_CPU_QUANTISED_INL_H
#else
#define UMF_CPU_QUANTISED_INL_H
#endif

#include <algorithm>
#include <array>
#include <cstring>
#include <type_traits>
#include <utility>

#include "backend/cpu/few_rows-inl.h"
#include "backend/cpu/kernels.h"
#include "backend/cpu/pack-inl.h"
#include "backend/cpu/unpack-inl.h"
#include "backend/cpu/vec-inl.h"

HWY_BEFORE_NAMESPACE();
namespace umf {
namespace HWY_NAMESPACE {

inline constexpr std::size_t kChunk = 256;  // elements: a block of every type fits

// Columns of a quantised weight: `count` rows, from an element on.
struct QuantisedColumns {
  DType type;
  const std::uint8_t* first;
  std::size_t stride;  // bytes
  std::size_t count;

  QuantisedColumns(const WeightSlice& slice, int column, int depth, int element)
      : type(slice.type),
        first(reinterpret_cast<const std::uint8_t*>(slice.data) +
              column * row_bytes(slice.type, depth) + row_bytes(slice.type, element)),
        stride(row_bytes(slice.type, depth)),
        count(slice.columns - column) {}
};

#if HWY_TARGET == HWY_SCALAR
// The next `depth` elements of kWidth columns, as [steps][kWidth]. Columns that there are not
// repeat the last.
template <std::size_t kWidth, class Row>
inline void pack_quantised(const QuantisedColumns& columns, std::size_t depth, float* packed) {
  const DType type = columns.type;
  float numbers[kChunk];
  for (std::size_t column = 0; column < kWidth; ++column) {
    const std::uint8_t* row = columns.first + std::min(column, columns.count - 1) * columns.stride;
    for (std::size_t done = 0; done < depth; done += kChunk) {
      const std::size_t count = std::min(kChunk, depth - done);
      const std::uint8_t* from = row + row_bytes(type, static_cast<int>(done));
      dequantise(type, reinterpret_cast<const std::byte*>(from), {numbers, count});
      for (std::size_t i = 0; i < count; ++i) {
        packed[(done + i) * kWidth + column] =
            pack_one(reinterpret_cast<const Row*>(numbers) + i, 1);
      }
    }
  }
}
#else

// The numbers of a step in the form of a product: `Row` is what its activations are.
HWY_INLINE VF to_step(const float*, const VF (&x)[1]) { return x[0]; }
HWY_INLINE VF to_step(const Rounded<float>*, const VF (&x)[1]) {
  return round_to_bf16(F32(), x[0]);
}
#if UMF_CPU_PAIRS
HWY_INLINE VF to_step(const Paired<float>*, const VF (&x)[2]) { return round_to_pair(x[0], x[1]); }
#endif

// A byte of every word as a number, in units of kByteUnit: it becomes the highest of its lane.
class WordBytes {
 public:
  HWY_INLINE WordBytes() {
    HWY_ALIGN static constexpr std::uint32_t kFirst[4] = {0x00808080u, 0x04808080u, 0x08808080u,
                                                          0x0C808080u};
    which_[0] = hn::LoadDup128(U32(), kFirst);
    which_[1] = hn::Add(which_[0], all(1u << 24));
    which_[2] = hn::Add(which_[1], all(1u << 24));
  }
  HWY_INLINE VF operator()(VU words, std::size_t i) const {
    const hn::Repartition<std::uint8_t, U32> d8;
    VU bytes = hn::And(words, all(0xFF000000u));
    if (i < 3) {
      bytes = hn::BitCast(
          U32(), hn::TableLookupBytesOr0(hn::BitCast(d8, words), hn::BitCast(d8, which_[i])));
    }
    return hn::ConvertTo(F32(), hn::BitCast(I32(), bytes));
  }

 private:
  VU which_[3];
};

// work(vector, step, numbers) for all steps of `count` elements of kVectors times kLanes columns.
template <class Row, std::size_t kVectors, class Work>
HWY_INLINE void for_steps(const Unpacked* from, std::size_t count, const Work& work) {
  constexpr std::size_t kSteps = 4 / kPerStep<Row>;
  const F32 d;
  const WordBytes byte;
  const std::size_t quarters = from->run / 4;
  for (std::size_t run = 0; run * from->run < count; ++run) {
    VF factor[kVectors], offset[kVectors];
#pragma GCC unroll 2
    for (std::size_t v = 0; v < kVectors; ++v) {
      factor[v] = hn::Load(d, from[v].factors + run * kLanes);
      offset[v] = hn::Load(d, from[v].offsets + run * kLanes);
    }
    for (std::size_t quarter = quarters * run; quarter < quarters * (run + 1); ++quarter) {
      VU words[kVectors];
#pragma GCC unroll 2
      for (std::size_t v = 0; v < kVectors; ++v)
        words[v] = hn::Load(U32(), from[v].words + quarter * kLanes);
#pragma GCC unroll 4
      for (std::size_t step = 0; step < kSteps; ++step) {
#pragma GCC unroll 2
        for (std::size_t v = 0; v < kVectors; ++v) {
          VF x[kPerStep<Row>];
#pragma GCC unroll 2
          for (std::size_t i = 0; i < kPerStep<Row>; ++i)
            x[i] = fma(factor[v], byte(words[v], step * kPerStep<Row> + i), offset[v]);
          work(v, quarter * kSteps + step, to_step(static_cast<const Row*>(nullptr), x));
        }
      }
    }
  }
}

// A chunk of kWidth columns that are not all there, with the last repeated.
template <std::size_t kWidth>
class RepeatedColumns {
 public:
  HWY_NOINLINE Columns of(const QuantisedColumns& from, std::size_t at, std::size_t bytes) {
    for (std::size_t i = 0; i < kWidth; ++i) {
      const std::size_t column = std::min(i, from.count - 1);
      std::memcpy(bytes_ + i * kMost, from.first + column * from.stride + at, bytes);
    }
    return {bytes_, kMost, 0};
  }

 private:
  static constexpr std::size_t kMost = kChunk * 34 / 32;  // bytes of a chunk
  std::uint8_t bytes_[kWidth * kMost];
};

// work(first element, elements, columns) for all chunks of `depth` elements of kWidth columns. What
// comes two chunks later is asked for; after the last, the first ones of the next columns.
template <std::size_t kWidth, class Work>
HWY_INLINE void for_chunks(const QuantisedColumns& columns, std::size_t depth, const Work& work) {
  const std::size_t chunk = row_bytes(columns.type, kChunk);
  RepeatedColumns<kWidth> repeated;
  for (std::size_t done = 0, at = 0; done < depth; done += kChunk, at += chunk) {
    const std::size_t elements = std::min(kChunk, depth - done);
    const std::size_t next = at + 2 * chunk < columns.stride ? 0 : (kWidth - 1) * columns.stride;
    work(done, elements,
         columns.count >= kWidth
             ? Columns{columns.first + at, columns.stride, 2 * chunk + next}
             : repeated.of(columns, at, row_bytes(columns.type, static_cast<int>(elements))));
  }
}

// The next `depth` elements of kWidth columns, as [steps][kWidth]. Columns that there are not
// repeat the last.
template <std::size_t kWidth, class Row>
inline void pack_quantised(const QuantisedColumns& columns, std::size_t depth, float* packed) {
  Unpacked unpacked;
  for_chunks<kWidth>(
      columns, depth, [&](std::size_t first, std::size_t elements, const Columns& chunk) {
        for (std::size_t column = 0; column < kWidth; column += kLanes) {
          unpack(columns.type, chunk.past(column * chunk.stride), elements, unpacked);
          float* to = packed + steps<Row>(first) * kWidth + column;
          for_steps<Row, 1>(&unpacked, elements, [&](std::size_t, std::size_t step, VF numbers) {
            hn::StoreU(numbers, F32(), to + step * kWidth);
          });
        }
      });
}

// As many columns at a time as hide the latency of a chain.
inline constexpr std::size_t kFewVectors = 2, kFewColumns = kFewVectors * kLanes;

// sums[m][c] continued by the elements of the columns.
template <class Row, std::size_t kRows>
HWY_NOINLINE void few_rows_unpacked(const Unpacked* from, std::size_t count, const float* a,
                                    float* sums) {
  VF acc[kFewVectors][kRows];
#pragma GCC unroll 2
  for (std::size_t v = 0; v < kFewVectors; ++v) {
#pragma GCC unroll 16
    for (std::size_t m = 0; m < kRows; ++m)
      acc[v][m] = hn::LoadU(F32(), sums + m * kFewColumns + v * kLanes);
  }
  for_steps<Row, kFewVectors>(from, count, [&](std::size_t v, std::size_t step, VF numbers) {
    accumulate<Row>(a + step * kRows, numbers, acc[v]);
  });
#pragma GCC unroll 2
  for (std::size_t v = 0; v < kFewVectors; ++v) {
#pragma GCC unroll 16
    for (std::size_t m = 0; m < kRows; ++m)
      hn::StoreU(acc[v][m], F32(), sums + m * kFewColumns + v * kLanes);
  }
}

template <class Row, std::size_t... kIndex>
HWY_INLINE void few_rows_unpacked_of(std::size_t rows, const Unpacked* from, std::size_t count,
                                     const float* a, float* sums, std::index_sequence<kIndex...>) {
  using Call = void (*)(const Unpacked*, std::size_t, const float*, float*);
  static constexpr std::array<Call, sizeof...(kIndex)> calls{few_rows_unpacked<Row, kIndex + 1>...};
  calls[rows - 1](from, count, a, sums);
}

// The same for one row and Q8_0, whose blocks take the longest to unpack and need it least: their
// words stay in registers, which makes the product a tenth faster.
HWY_NOINLINE inline void one_row_q8_0(Columns chunk, std::size_t blocks, const float* a,
                                      float* sums) {
  const F32 d;
  const WordBytes byte;
  VF acc[kFewVectors];
  for (std::size_t v = 0; v < kFewVectors; ++v) acc[v] = hn::LoadU(d, sums + v * kLanes);
  for (std::size_t block = 0; block < blocks; ++block, a += 32) {
    VF factor[kFewVectors];
    Columns columns[kFewVectors];
#pragma GCC unroll 2
    for (std::size_t v = 0; v < kFewVectors; ++v) {
      columns[v] = chunk.past(v * kLanes * chunk.stride);
      factor[v] = hn::Mul(halves_at(columns[v]), set(kByteUnit));
      if (asks_ahead(block)) prefetch(columns[v]);
    }
    for (std::size_t part = 0; part < 2; ++part) {
      VU words[kFewVectors][4];
#pragma GCC unroll 2
      for (std::size_t v = 0; v < kFewVectors; ++v)
        load_words(columns[v].past(2 + 16 * part), words[v]);
#pragma GCC unroll 16
      for (std::size_t i = 0; i < 16; ++i) {
#pragma GCC unroll 2
        for (std::size_t v = 0; v < kFewVectors; ++v) {
          const VF x = hn::Mul(factor[v], byte(words[v][i / 4], i % 4));
          acc[v] = fma(set(a[16 * part + i]), x, acc[v]);
        }
      }
    }
    chunk = chunk.past(block_bytes(DType::kQ8_0));
  }
  for (std::size_t v = 0; v < kFewVectors; ++v) hn::StoreU(acc[v], d, sums + v * kLanes);
}

// `count` columns of a slice from `column` on, for all rows of the job (at most kFewRows).
template <class Row>
inline void few_rows_quantised(const MatmulJob& job, const WeightSlice& slice, int column,
                               int count) {
  Unpacked unpacked[kFewVectors];
  for (int done = 0; done < count; done += kFewColumns) {
    HWY_ALIGN float sums[kFewRows * kFewColumns] = {};
    const QuantisedColumns columns(slice, column + done, job.depth, 0);
    for_chunks<kFewColumns>(
        columns, job.depth, [&](std::size_t first, std::size_t elements, const Columns& chunk) {
          if (std::is_same_v<Row, float> && job.rows == 1 && slice.type == DType::kQ8_0)
            return one_row_q8_0(chunk, elements / 32, job.packed + first, sums);
          for (std::size_t v = 0; v < kFewVectors; ++v)
            unpack(slice.type, chunk.past(v * kLanes * chunk.stride), elements, unpacked[v]);
          few_rows_unpacked_of<Row>(job.rows, unpacked, elements,
                                    job.packed + steps<Row>(first) * job.rows, sums,
                                    std::make_index_sequence<kFewRows>());
        });
    for (std::size_t v = 0; v < kFewVectors; ++v) {
      const int past = done + static_cast<int>(v * kLanes);
      if (past >= count) break;
      finish_few_rows(job, slice.out_column + column + past,
                      std::min<std::size_t>(kLanes, count - past), sums + v * kLanes, kFewColumns);
    }
  }
}
#endif  // HWY_SCALAR

}  // namespace HWY_NAMESPACE
}  // namespace umf
HWY_AFTER_NAMESPACE();

#endif  // UMF_CPU_QUANTISED_INL_H
