// GGUF's blocks as bytes, factors and offsets, with columns in lanes. Their packed words are
// transposed as they are, so that little is moved and the bits of all columns are taken apart at
// once.
#if defined(UMF_CPU_UNPACK_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef UMF_CPU_UNPACK_INL_H
#undef UMF_CPU_UNPACK_INL_H
#else
#define UMF_CPU_UNPACK_INL_H
#endif

#include <cstring>

#include "backend/cpu/pack-inl.h"
#include "backend/cpu/vec-inl.h"
#include "backend/tensor.h"

#if HWY_TARGET != HWY_SCALAR
HWY_BEFORE_NAMESPACE();
namespace umf {
namespace HWY_NAMESPACE {

inline constexpr std::size_t kMostUnpacked = 256;  // elements

// Elements of kLanes columns: element = factor * byte + offset, bytes being signed. The product is
// exact (blocks.h), and so is the element where the offset stands for the byte that means 0: a
// power of two times the factor. A fused multiply-add therefore gives the bits of dequantise(), or
// 0 for its -0. -0 as the offset changes nothing. Factors are kept times kByteUnit.
inline constexpr float kByteUnit = 0x1p-24f;  // of a word whose highest byte is the element
struct Unpacked {
  HWY_ALIGN std::uint32_t words[kMostUnpacked / 4 * kLanes];  // [element / 4][column]: four bytes
  HWY_ALIGN float factors[kMostUnpacked / 16 * kLanes];       // [element / run][column]
  HWY_ALIGN float offsets[kMostUnpacked / 16 * kLanes];
  std::size_t run;  // elements that share a factor: 16 or 32

  // Of the elements [16 * place, 16 * (place + 1)).
  HWY_INLINE void set_words(std::size_t place, const VU (&four)[4]) {
    for (std::size_t i = 0; i < 4; ++i) hn::Store(four[i], U32(), words + (4 * place + i) * kLanes);
  }
  HWY_INLINE void set_scale(std::size_t number, VF factor, VF offset) {
    hn::Store(hn::Mul(factor, set(kByteUnit)), F32(), factors + number * kLanes);
    hn::Store(offset, F32(), offsets + number * kLanes);
  }
};

// Where bytes of kLanes columns stand, and how far from them those that are asked for meanwhile.
struct Columns {
  const std::uint8_t* first;
  std::size_t stride, ahead;

  HWY_INLINE Columns past(std::size_t bytes) const { return {first + bytes, stride, ahead}; }
  // Column i; those four, eight and twelve further on are reached from here by what an address can
  // have. The compiler must not know it: it would keep sixteen distances in too few registers.
  HWY_INLINE const std::uint8_t* column(std::size_t i) const {
    const std::uint8_t* from = first + i * stride;
    asm("" : "+r"(from));
    return from;
  }
};

HWY_INLINE VU all(std::uint32_t word) { return hn::Set(U32(), word); }
HWY_INLINE VU low_nibbles(VU v) { return hn::And(v, all(0x0F0F0F0Fu)); }
HWY_INLINE VU high_nibbles(VU v) { return low_nibbles(hn::ShiftRight<4>(v)); }

HWY_INLINE VF widen_halves(VU v) {  // of the lower 16 bits of each lane
  const hn::Rebind<std::uint16_t, F32> narrow;
  const auto bits = hn::DemoteTo(narrow, hn::BitCast(I32(), hn::And(v, all(0xFFFFu))));
  return hn::PromoteTo(F32(), hn::BitCast(hn::Rebind<hwy::float16_t, F32>(), bits));
}

HWY_INLINE VF halves_at(const Columns& columns) {
  Half halves[kLanes];
  for (std::size_t i = 0; i < 4; ++i) {
    const std::uint8_t* from = columns.column(i);
    for (std::size_t j = 0; j < kLanes; j += 4)
      std::memcpy(halves + j + i, from + j * columns.stride, sizeof(Half));
  }
  return load_row(halves);
}

HWY_INLINE VU words_at(const Columns& columns) {
  HWY_ALIGN std::uint32_t words[kLanes];
  for (std::size_t i = 0; i < kLanes; ++i)
    std::memcpy(words + i, columns.first + i * columns.stride, 4);
  return hn::Load(U32(), words);
}

// In the second cache: columns often share sets of the first.
HWY_INLINE void prefetch(const Columns& columns) {
  const Columns later = columns.past(columns.ahead);
  for (std::size_t i = 0; i < 4; ++i) {
    const std::uint8_t* from = later.column(i);
    for (std::size_t j = 0; j < kLanes; j += 4) __builtin_prefetch(from + j * columns.stride, 0, 2);
  }
}

// 16 bytes of the columns i, i + 4 and so on.
HWY_INLINE VU load_quads(const Columns& columns, std::size_t i) {
  const hn::FixedTag<std::uint8_t, 16> bytes;
  const std::uint8_t* from = columns.column(i);
  const auto quad = [&](std::size_t j) {
    return hn::BitCast(hn::FixedTag<std::uint32_t, 4>(),
                       hn::LoadU(bytes, from + 4 * j * columns.stride));
  };
#if HWY_TARGET == HWY_AVX3
  const hn::Half<U32> half;
  return hn::Combine(U32(), hn::Combine(half, quad(3), quad(2)),
                     hn::Combine(half, quad(1), quad(0)));
#elif HWY_TARGET == HWY_AVX2
  return hn::Combine(U32(), quad(1), quad(0));
#else
  static_assert(kLanes == 4);
  return quad(0);
#endif
}

// 16 bytes of every column, as four words with columns in lanes.
HWY_INLINE void load_words(const Columns& columns, VU (&words)[4]) {
#pragma GCC unroll 4
  for (std::size_t i = 0; i < 4; ++i) words[i] = load_quads(columns, i);
  transpose_quads(U32(), words[0], words[1], words[2], words[3]);
}

// Blocks of 32 elements.

// At which blocks of a chunk of Q8_0 to ask: so all lines are asked for, and few of them twice.
HWY_INLINE bool asks_ahead(std::size_t block) { return block % 2 == 0 || block == 7; }

HWY_NOINLINE inline void unpack_q8_0(Columns columns, std::size_t blocks, Unpacked& to) {
  for (std::size_t block = 0; block < blocks; ++block) {
    const VF factor = halves_at(columns);
    if (asks_ahead(block)) prefetch(columns);
    to.set_scale(block, factor, set(-0.0f));
    for (std::size_t part = 0; part < 2; ++part) {
      VU words[4];
      load_words(columns.past(2 + 16 * part), words);
      to.set_words(2 * block + part, words);
    }
    columns = columns.past(block_bytes(DType::kQ8_0));
  }
}

// The lowest four bits as the fifth bits of four bytes.
HWY_INLINE VU fifth_bits(VU v) {
  const VU spread =
      hn::Or(hn::Or(v, hn::ShiftLeft<7>(v)), hn::Or(hn::ShiftLeft<14>(v), hn::ShiftLeft<21>(v)));
  return hn::ShiftLeft<4>(hn::And(spread, all(0x01010101u)));
}

// Q4_0, Q4_1, Q5_0, Q5_1: a factor, an offset if the type has one, fifth bits if it has those, then
// nibbles.
HWY_NOINLINE inline void unpack_nibbles(DType type, const Columns& columns, std::size_t block,
                                        Unpacked& to) {
  const bool five = type == DType::kQ5_0 || type == DType::kQ5_1;
  const VF factor = halves_at(columns);
  prefetch(columns);
  std::size_t at = 2;
  VF offset = hn::Mul(factor, set(five ? -16.0f : -8.0f));
  if (has_minimum(type)) {
    offset = halves_at(columns.past(at));
    at += 2;
  }
  VU bits = hn::Zero(U32());
  if (five) {
    bits = words_at(columns.past(at));
    at += 4;
  }
  VU words[4], low[4], high[4];
  load_words(columns.past(at), words);
  for (std::size_t i = 0; i < 4; ++i) {
    const VU later = hn::ShiftRight<16>(bits), mask = all(15);
    const int shift = static_cast<int>(4 * i);
    low[i] =
        hn::Or(low_nibbles(words[i]), fifth_bits(hn::And(hn::ShiftRightSame(bits, shift), mask)));
    high[i] =
        hn::Or(high_nibbles(words[i]), fifth_bits(hn::And(hn::ShiftRightSame(later, shift), mask)));
  }
  to.set_words(2 * block, low);
  to.set_words(2 * block + 1, high);
  to.set_scale(block, factor, offset);
}

// Factors and offsets of the eight groups of Q4_K and Q5_K, from a block's first 16 bytes.
HWY_INLINE void unpack_groups(const Columns& columns, Unpacked& to) {
  VU head[4];
  load_words(columns, head);
  const VF d = widen_halves(head[0]);
  const VF dmin = hn::Neg(widen_halves(hn::ShiftRight<16>(head[0])));
  for (int j = 0; j < 8; ++j) {
    const int shift = 8 * (j % 4);
    const VU scales = hn::ShiftRightSame(head[1], shift);
    const VU minima = hn::ShiftRightSame(head[2], shift);
    const VU lower = hn::ShiftRightSame(head[3], shift);
    VU scale = hn::And(scales, all(63)), minimum = hn::And(minima, all(63));
    if (j >= 4) {
      scale = hn::Or(hn::And(lower, all(15)), hn::And(hn::ShiftRight<2>(scales), all(48)));
      minimum = hn::Or(hn::And(hn::ShiftRight<4>(lower), all(15)),
                       hn::And(hn::ShiftRight<2>(minima), all(48)));
    }
    const VF factor = hn::Mul(d, hn::ConvertTo(F32(), hn::BitCast(I32(), scale)));
    const VF offset = hn::Mul(dmin, hn::ConvertTo(F32(), hn::BitCast(I32(), minimum)));
    to.set_scale(j, factor, offset);
  }
}

HWY_NOINLINE inline void unpack_q4_k(const Columns& columns, Unpacked& to) {
  unpack_groups(columns, to);
  for (std::size_t pair = 0; pair < 4; ++pair) {  // of groups
    prefetch(columns.past(36 * pair));
    for (std::size_t part = 0; part < 2; ++part) {
      VU words[4], low[4], high[4];
      load_words(columns.past(16 + 32 * pair + 16 * part), words);
      for (std::size_t i = 0; i < 4; ++i) {
        low[i] = low_nibbles(words[i]);
        high[i] = high_nibbles(words[i]);
      }
      to.set_words(4 * pair + part, low);
      to.set_words(4 * pair + 2 + part, high);
    }
  }
}

HWY_NOINLINE inline void unpack_q5_k(const Columns& columns, Unpacked& to) {
  unpack_groups(columns, to);
  for (std::size_t part = 0; part < 2; ++part) {
    VU bits[4];  // bit j of a byte is that of group j
    load_words(columns.past(16 + 16 * part), bits);
    for (std::size_t pair = 0; pair < 4; ++pair) {
      VU words[4], low[4], high[4];
      prefetch(columns.past(88 * part + 22 * pair));
      load_words(columns.past(48 + 32 * pair + 16 * part), words);
      const VU fifth = all(0x10101010u);
      for (std::size_t i = 0; i < 4; ++i) {
        const VU moved = hn::ShiftLeft<4>(bits[i]);
        low[i] = hn::Or(low_nibbles(words[i]), hn::And(moved, fifth));
        high[i] = hn::Or(high_nibbles(words[i]), hn::And(hn::ShiftLeft<3>(bits[i]), fifth));
        bits[i] = hn::ShiftRight<2>(bits[i]);
      }
      to.set_words(4 * pair + part, low);
      to.set_words(4 * pair + 2 + part, high);
    }
  }
}

HWY_NOINLINE inline void unpack_q6_k(const Columns& columns, Unpacked& to) {
  const VF d = halves_at(columns.past(208));
  VU scales[4];
  load_words(columns.past(192), scales);
  for (std::size_t run = 0; run < 16; ++run) {
    const VU top = hn::ShiftLeftSame(scales[run / 4], static_cast<int>(24 - 8 * (run % 4)));
    const VI scale = hn::ShiftRight<24>(hn::BitCast(I32(), top));
    const VF factor = hn::Mul(d, hn::ConvertTo(F32(), scale));
    to.set_scale(run, factor, hn::Mul(factor, set(-32.0f)));
  }
  for (std::size_t half = 0; half < 2; ++half) {
    for (std::size_t part = 0; part < 2; ++part) {
      prefetch(columns.past(106 * half + 53 * part));
      VU first[4], second[4], high[4];
      load_words(columns.past(64 * half + 16 * part), first);
      load_words(columns.past(64 * half + 32 + 16 * part), second);
      load_words(columns.past(128 + 32 * half + 16 * part), high);
      for (std::size_t turn = 0; turn < 4; ++turn) {
        VU words[4];
        for (std::size_t i = 0; i < 4; ++i) {
          const VU low = turn % 2 == 0 ? first[i] : second[i];
          const VU upper = hn::ShiftLeft<4>(hn::And(high[i], all(0x03030303u)));
          words[i] = hn::Or(turn < 2 ? low_nibbles(low) : high_nibbles(low), upper);
          high[i] = hn::ShiftRight<2>(high[i]);
        }
        to.set_words(8 * half + 2 * turn + part, words);
      }
    }
  }
}

// The first `count` elements of kLanes columns, whole blocks and at most kMostUnpacked.
inline void unpack(DType type, const Columns& columns, std::size_t count, Unpacked& to) {
  const std::size_t blocks = count / block_elements(type);
  to.run = type == DType::kQ6_K ? 16 : 32;
  switch (type) {
    case DType::kQ4_K:
      return unpack_q4_k(columns, to);
    case DType::kQ5_K:
      return unpack_q5_k(columns, to);
    case DType::kQ6_K:
      return unpack_q6_k(columns, to);
    case DType::kQ8_0:
      return unpack_q8_0(columns, blocks, to);
    default:
      for (std::size_t block = 0; block < blocks; ++block)
        unpack_nibbles(type, columns.past(block * block_bytes(type)), block, to);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace umf
HWY_AFTER_NAMESPACE();
#endif  // HWY_SCALAR

#endif  // UMF_CPU_UNPACK_INL_H
