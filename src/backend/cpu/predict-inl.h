// From one row of logits to a prediction (docs/models.md#predictions).
#if defined(UMF_CPU_PREDICT_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef UMF_CPU_PREDICT_INL_H
#undef UMF_CPU_PREDICT_INL_H
#else
#define UMF_CPU_PREDICT_INL_H
#endif

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "backend/cpu/kernels.h"
#include "backend/cpu/vec-inl.h"
#include "base/elementary.h"
#include "base/random.h"

HWY_BEFORE_NAMESPACE();
namespace umf {
namespace HWY_NAMESPACE {

// Rows in scratch are filled up with -inf to a multiple of this: 16 blocks of Philox.
inline constexpr int kPad = 64;
// Sums over the vocabulary: 16 float lanes over kSumBlock numbers, then blocks in double, in order.
inline constexpr int kSumBlock = 1024;

struct Top2 {
  float first, second;  // equal when two tokens share the maximum; -inf where there is none
};

HWY_NOINLINE Top2 top2(const float* x, int padded) {
  const F32 d;
  VF first[16 / kLanes], second[16 / kLanes];
  for (std::size_t v = 0; v < 16 / kLanes; ++v) first[v] = second[v] = set(-kInfinity);
  for (int i = 0; i < padded; i += 16) {
    for (std::size_t v = 0; v < 16 / kLanes; ++v) {
      const VF value = hn::LoadU(d, x + i + v * kLanes);
      second[v] = hn::Max(second[v], hn::Min(first[v], value));
      first[v] = hn::Max(first[v], value);
    }
  }
  HWY_ALIGN float firsts[16], seconds[16];
  for (std::size_t v = 0; v < 16 / kLanes; ++v) {
    hn::Store(first[v], d, firsts + v * kLanes);
    hn::Store(second[v], d, seconds + v * kLanes);
  }
  Top2 top{-kInfinity, -kInfinity};
  for (int i = 0; i < 16; ++i) {
    top.second = std::max({top.second, std::min(top.first, firsts[i]), seconds[i]});
    top.first = std::max(top.first, firsts[i]);
  }
  return top;
}

// The largest of kPad numbers.
HWY_INLINE float max_of_pad(const float* x) {
  const F32 d;
  VF top = hn::LoadU(d, x);
  for (int i = kLanes; i < kPad; i += kLanes) top = hn::Max(top, hn::LoadU(d, x + i));
  return hn::GetLane(hn::MaxOfLanes(d, top));
}

HWY_NOINLINE int first_index_of(const float* x, int padded, float value) {
  const F32 d;
  for (int i = 0; i < padded; i += kLanes) {
    if (hn::AllFalse(d, hn::Eq(hn::LoadU(d, x + i), set(value)))) continue;
    for (std::size_t l = 0; l < kLanes; ++l) {
      if (x[i + l] == value) return i + static_cast<int>(l);
    }
  }
  return 0;
}

// Sum of exp(x - shift); the terms are left in `x` if `keep`.
template <bool keep>
HWY_NOINLINE double sum_exp(float* x, int padded, float shift) {
  const F32 d;
  double total = 0;
  for (int block = 0; block < padded; block += kSumBlock) {
    Lanes16 lanes;
    for (int i = block; i < std::min(block + kSumBlock, padded); i += 16) {
      for (std::size_t v = 0; v < Lanes16::kVectors; ++v) {
        float* at = x + i + v * kLanes;
        const VF e = exp(hn::Sub(hn::LoadU(d, at), set(shift)));
        if constexpr (keep) hn::StoreU(e, d, at);
        lanes.v[v] = hn::Add(lanes.v[v], e);
      }
    }
    total += lanes.sum();
  }
  return total;
}

// Sum of p ln(p + 1e-10), p = e * inverse.
HWY_NOINLINE double sum_p_log_p(const float* e, int padded, float inverse) {
  const F32 d;
  double total = 0;
  for (int block = 0; block < padded; block += kSumBlock) {
    Lanes16 lanes;
    for (int i = block; i < std::min(block + kSumBlock, padded); i += 16) {
      for (std::size_t v = 0; v < Lanes16::kVectors; ++v) {
        const VF p = hn::Mul(hn::LoadU(d, e + i + v * kLanes), set(inverse));
        lanes.v[v] = fma(p, log(hn::Add(p, set(1e-10f))), lanes.v[v]);
      }
    }
    total += lanes.sum();
  }
  return total;
}

// The scores of softmax(x), candidate at `index` of x; leaves x overwritten.
inline Prediction scores(float* x, int padded, int index) {
  Prediction out;
  const Top2 top = top2(x, padded);
  if (top.first == -kInfinity) return out;
  const double sum = sum_exp<true>(x, padded, top.first);
  HWY_ALIGN float second[16];
  hn::Store(exp(set(top.second - top.first)), F32(), second);
  out.confidence = static_cast<float>(x[index] / sum);
  out.margin = static_cast<float>((1.0 - second[0]) / sum);
  out.entropy = static_cast<float>(0.0 - sum_p_log_p(x, padded, static_cast<float>(1.0 / sum)));
  return out;
}

// Noise words of the 64 tokens from `first`, a multiple of 4.
inline void noise_words(const NoiseKey& key, std::uint32_t position, std::uint32_t first,
                        std::uint32_t* words) {
#if HWY_TARGET == HWY_SCALAR
  for (int i = 0; i < kPad; ++i) words[i] = noise_word(key, position, first + i);
#else
  const U32 d;
  const hn::RepartitionToWide<U32> wide;
  const VU m0 = hn::Set(d, 0xD2511F53u), m1 = hn::Set(d, 0xCD9E8D57u);
  for (std::size_t block = 0; block < kPad / 4; block += kLanes) {
    VU c0 = hn::Iota(d, first / 4 + static_cast<std::uint32_t>(block));
    VU c1 = hn::Set(d, position);
    VU c2 = hn::Set(d, static_cast<std::uint32_t>(key.high));
    VU c3 = hn::Set(d, static_cast<std::uint32_t>(key.high >> 32));
    std::uint32_t k0 = static_cast<std::uint32_t>(key.low);
    std::uint32_t k1 = static_cast<std::uint32_t>(key.low >> 32);
    for (int round = 0; round < 10; ++round) {
      // 32 x 32 -> 64 bits for even and odd lanes, then the halves put back in place.
      const auto a_even = hn::MulEven(c0, m0), b_even = hn::MulEven(c2, m1);
      const auto a_odd = hn::MulEven(hn::BitCast(d, hn::ShiftRight<32>(hn::BitCast(wide, c0))), m0);
      const auto b_odd = hn::MulEven(hn::BitCast(d, hn::ShiftRight<32>(hn::BitCast(wide, c2))), m1);
      const VU a_high =
          hn::OddEven(hn::BitCast(d, a_odd), hn::BitCast(d, hn::ShiftRight<32>(a_even)));
      const VU b_high =
          hn::OddEven(hn::BitCast(d, b_odd), hn::BitCast(d, hn::ShiftRight<32>(b_even)));
      const VU a_low =
          hn::OddEven(hn::BitCast(d, hn::ShiftLeft<32>(a_odd)), hn::BitCast(d, a_even));
      const VU b_low =
          hn::OddEven(hn::BitCast(d, hn::ShiftLeft<32>(b_odd)), hn::BitCast(d, b_even));
      c0 = hn::Xor(hn::Xor(b_high, c1), hn::Set(d, k0));
      c2 = hn::Xor(hn::Xor(a_high, c3), hn::Set(d, k1));
      c1 = b_low;
      c3 = a_low;
      k0 += 0x9E3779B9u;
      k1 += 0xBB67AE85u;
    }
    hn::StoreInterleaved4(c0, c1, c2, c3, d, words + 4 * block);
  }
#endif
}

// x - ln(-ln u) for kPad tokens.
inline void add_gumbel(const float* x, const std::uint32_t* words, float* out) {
  const F32 d;
  for (int i = 0; i < kPad; i += kLanes) {
    const auto bits = hn::ShiftRight<9>(hn::LoadU(U32(), words + i));
    const VF whole = hn::ConvertTo(d, hn::BitCast(I32(), bits));
    const VF u = hn::Mul(hn::Add(whole, set(0.5f)), set(1.0f / 8388608.0f));  // open_unit
    const VF gumbel = hn::Neg(log(hn::Neg(log(u))));
    hn::StoreU(hn::Add(hn::LoadU(d, x + i), gumbel), d, out + i);
  }
}

// The largest value in blocks of kPad so far, the first one among equals.
struct Best {
  float value = -kInfinity;
  int index = 0;
  void offer(const float* values, int first) {
    const float top = max_of_pad(values);
    if (!(top > value)) return;
    value = top;
    index = first + first_index_of(values, kPad, top);
  }
};

// argmax of y + Gumbel noise; y is 0 at its largest.
inline int draw(const float* y, int padded, int position, const NoiseKey& key) {
  // -ln(-ln u) of the largest u is 16.64: what lies further below the best so far cannot win.
  constexpr float kMaxGumbel = 16.7f;
  Best best;
  HWY_ALIGN std::uint32_t words[kPad];
  HWY_ALIGN float values[kPad];
  for (int i = 0; i < padded; i += kPad) {
    const float top = max_of_pad(y + i);
    if (top == -kInfinity || top + kMaxGumbel < best.value) continue;
    noise_words(key, static_cast<std::uint32_t>(position), static_cast<std::uint32_t>(i), words);
    add_gumbel(y + i, words, values);
    best.offer(values, i);
  }
  return best.index;
}

// The same over `kept` tokens in ascending order; the index is into `kept`. y holds their values,
// filled up with -inf.
inline int draw_kept(const std::vector<std::pair<float, Token>>& kept, const float* y, int padded,
                     int position, const NoiseKey& key) {
  Best best;
  HWY_ALIGN std::uint32_t words[kPad] = {};
  HWY_ALIGN float values[kPad];
  for (int i = 0; i < padded; i += kPad) {
    for (int j = 0; j < kPad && i + j < static_cast<int>(kept.size()); ++j) {
      words[j] = noise_word(key, static_cast<std::uint32_t>(position),
                            static_cast<std::uint32_t>(kept[i + j].second));
    }
    add_gumbel(y + i, words, values);
    best.offer(values, i);
  }
  return best.index;
}

using Kept = std::vector<std::pair<float, Token>>;

inline void collect_above(const float* y, int padded, float threshold, Kept& kept) {
  const F32 d;
  kept.clear();
  for (int i = 0; i < padded; i += kLanes) {
    if (hn::AllFalse(d, hn::Ge(hn::LoadU(d, y + i), set(threshold)))) continue;
    for (std::size_t l = 0; l < kLanes; ++l) {
      if (y[i + l] >= threshold) kept.emplace_back(y[i + l], static_cast<Token>(i + l));
    }
  }
}

// The tokens from the most probable on until the mass before a token exceeds top_p, in that order;
// equal ones by id. Any kept token has a probability of at least (1 - top_p) / vocabulary, because
// it is the largest of those that hold the remaining mass: only these are collected, and sorted
// piece by piece.
inline void keep_top_p(float* y, int padded, int vocabulary, float top_p, Kept& kept) {
  const double sum = sum_exp<false>(y, padded, 0);
  const double least = std::max(1.0 - top_p, 1e-30) * sum / vocabulary;
  collect_above(y, padded, std::min(0.0f, static_cast<float>(elementary::log(least)) - 1e-3f),
                kept);
  const auto before = [](const auto& a, const auto& b) {
    return a.first != b.first ? a.first > b.first : a.second < b.second;
  };
  HWY_ALIGN float e[16];
  double mass = 0;
  std::size_t done = 0;
  for (std::size_t piece = 256; done < kept.size(); piece *= 4) {
    const std::size_t end = std::min(kept.size(), done + piece);
    if (end < kept.size())
      std::nth_element(kept.begin() + done, kept.begin() + end, kept.end(), before);
    std::sort(kept.begin() + done, kept.begin() + end, before);
    for (; done < end; ++done) {
      if (done > 0 && mass > top_p * sum) {
        kept.resize(done);
        return;
      }
      hn::Store(exp(set(kept[done].first)), F32(), e);
      mass += e[0];
    }
  }
}

// The tokens that are not below the k-th largest value. The k-th largest of the maxima of pieces is
// a lower bound for it.
inline void keep_top_k(const float* y, int padded, int k, std::vector<float>& maxima, Kept& kept) {
  maxima.clear();
  for (int i = 0; i < padded; i += kPad) maxima.push_back(max_of_pad(y + i));
  float bound = std::numeric_limits<float>::lowest();
  if (k <= static_cast<int>(maxima.size())) {
    std::nth_element(maxima.begin(), maxima.begin() + (k - 1), maxima.end(), std::greater<>());
    bound = std::max(bound, maxima[k - 1]);
  }
  collect_above(y, padded, bound, kept);
}

inline void cut_top_k(int k, Kept& kept) {
  if (static_cast<int>(kept.size()) <= k) return;
  std::nth_element(kept.begin(), kept.begin() + (k - 1), kept.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  const float least = kept[k - 1].first;
  std::erase_if(kept, [least](const auto& token) { return token.first < least; });
}

inline int padded_size(std::size_t count) {
  return static_cast<int>((count + kPad - 1) / kPad * kPad);
}

// Step 1: the row without NaN, with `never` and `bias` applied. +inf leaves room for nothing else.
inline Top2 prepare(const float* logits, int vocabulary, const Sampling& sampling, float* x,
                    int padded) {
  const F32 d;
  for (int i = 0; i < padded; i += kLanes) {
    VF value = set(-kInfinity);
    if (i < vocabulary) {
      const std::size_t left = vocabulary - i;
      value = load_first(logits + i, left);
      value = hn::IfThenElse(hn::Eq(value, value), value, set(-kInfinity));
      if (left < kLanes) value = hn::IfThenElse(hn::FirstN(d, left), value, set(-kInfinity));
    }
    hn::StoreU(value, d, x + i);
  }
  const auto in_range = [vocabulary](Token token) { return token >= 0 && token < vocabulary; };
  for (const Token token : sampling.never) {
    if (in_range(token)) x[token] = -kInfinity;
  }
  for (const auto& [token, bias] : sampling.bias) {
    if (in_range(token) && x[token] != -kInfinity) x[token] += bias;
  }
  Top2 top = top2(x, padded);
  if (top.first == kInfinity) {
    for (int i = 0; i < padded; ++i) x[i] = x[i] == kInfinity ? 0.0f : -kInfinity;
    top = top2(x, padded);
  }
  return top;
}

// y = x - max, over the temperature if there is one.
inline void temper(const float* x, int padded, float top, float temperature, float* y) {
  const F32 d;
  for (int i = 0; i < padded; i += kLanes) {
    VF value = hn::Sub(hn::LoadU(d, x + i), set(top));
    if (temperature > 0) value = hn::Div(value, set(temperature));
    hn::StoreU(value, d, y + i);
  }
}

// exp(x[index] - top) over the sum of all such terms: bit for bit the confidence that scores()
// gives.
inline float share_of(float* x, int padded, float top, int index) {
  HWY_ALIGN float own[16];
  hn::Store(exp(set(x[index] - top)), F32(), own);
  return static_cast<float>(own[0] / sum_exp<false>(x, padded, top));
}

inline Prediction predict(const float* logits, int vocabulary, int position,
                          const Sampling& sampling, PredictScratch& scratch) {
  const int padded = padded_size(vocabulary);
  scratch.plain.resize(padded);
  float* plain = scratch.plain.data();
  const Top2 top = prepare(logits, vocabulary, sampling, plain, padded);
  if (top.first == -kInfinity) return {};  // nothing may be chosen
  const bool drawn = sampling.temperature > 0;
  const bool scores_filtered = sampling.tempered_scores;
  const bool filtered = (sampling.top_p < 1 || sampling.top_k > 0) && (drawn || scores_filtered);
  const auto is_last = [&](Token token) {
    return std::find(sampling.last.begin(), sampling.last.end(), token) != sampling.last.end();
  };

  Token token = drawn ? 0 : first_index_of(plain, padded, top.first);
  float* tempered = plain;
  if (drawn || filtered) {
    scratch.tempered.resize(padded);
    tempered = scratch.tempered.data();
    temper(plain, padded, top.first, sampling.temperature, tempered);
  }

  Kept& kept = scratch.kept;
  float* row = scores_filtered ? tempered : plain;  // what the scores come from
  int row_size = padded, index = 0;
  if (filtered) {
    if (sampling.top_p < 1) {
      keep_top_p(tempered, padded, vocabulary, sampling.top_p, kept);
    } else {
      keep_top_k(tempered, padded, sampling.top_k, scratch.small, kept);
    }
    if (sampling.top_k > 0) cut_top_k(sampling.top_k, kept);
    std::sort(kept.begin(), kept.end(),
              [](const auto& a, const auto& b) { return a.second < b.second; });
    const int kept_size = padded_size(kept.size());
    scratch.small.assign(kept_size, -kInfinity);
    for (std::size_t i = 0; i < kept.size(); ++i) scratch.small[i] = kept[i].first;
    if (drawn) {
      index = draw_kept(kept, scratch.small.data(), kept_size, position, sampling.noise);
      token = kept[index].second;
    } else {
      index = first_index_of(scratch.small.data(), kept_size, 0.0f);
    }
    if (scores_filtered) {
      row = scratch.small.data();
      row_size = kept_size;
      for (std::size_t i = 0; i < kept.size(); ++i) {
        if (is_last(kept[i].second)) row[i] = -kInfinity;
      }
    }
  } else if (drawn) {
    token = draw(tempered, padded, position, sampling.noise);
  }
  const bool plainly_scored = row == plain && sampling.last.empty();
  float probability = 0;
  if (sampling.plain_probability && !plainly_scored)
    probability = share_of(plain, padded, top.first, token);
  if (!(filtered && scores_filtered)) {
    index = token;
    for (const Token last : sampling.last) {
      if (last >= 0 && last < vocabulary) row[last] = -kInfinity;
    }
  }
  Prediction out = scores(row, row_size, index);
  out.token = token;
  if (sampling.plain_probability) out.probability = plainly_scored ? out.confidence : probability;
  return out;
}

}  // namespace HWY_NAMESPACE
}  // namespace umf
HWY_AFTER_NAMESPACE();

#endif  // UMF_CPU_PREDICT_INL_H
