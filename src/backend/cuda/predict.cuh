// What the two prediction kernels share: one logit as it may be chosen, the statistics of the
// scores, and the choice of a token.
#pragma once

#include <cfloat>
#include <cstdint>

#include "backend/cuda/functions.cuh"
#include "backend/cuda/kernels.h"
#include "backend/cuda/philox.cuh"

namespace umf {

inline constexpr int kPredictThreads = 512, kPredictWarps = kPredictThreads / 32;

// A logit after bias and `never`. NaN holds no probability; +inf is the largest finite number,
// which leaves room for nothing else either.
struct Logit {
  float x;
  bool last;  // may be chosen, but holds no probability
};

// What every logit goes through, and what only edited tokens do.
__device__ inline float clean(float x) { return isnan(x) ? -INFINITY : fminf(x, FLT_MAX); }

__device__ inline Logit admit(float x, int token, const DeviceSampling& sampling) {
  bool never = false, last = false;
  for (int i = 0; i < sampling.edits; ++i) {
    if (sampling.token[i] != token) continue;
    never = never || sampling.edit[i] == DeviceSampling::kNever;
    last = last || sampling.edit[i] == DeviceSampling::kLast;
    if (sampling.edit[i] == DeviceSampling::kBias) x += sampling.bias[i];
  }
  return {never ? -INFINITY : clean(x), last};
}

// log2(e) / temperature: probabilities are powers of two of logits times this.
__device__ inline float sharpness(float temperature) {
  constexpr float kLog2E = 1.44269504f, kMost = 1e30f;  // 0 times it must stay 0
  return fminf(kLog2E / temperature, kMost);
}

// Sums over the numbers y = (x - first) * sharpness, where `first` is the largest x so far.
struct Scores {
  float first = -INFINITY, second = -INFINITY;
  float sum = 0;       // of 2^y
  float weighted = 0;  // of y 2^y

  __device__ void rebase(float to, float sharpness) {
    if (first > -INFINITY) {
      const float shift = (to - first) * sharpness, shrink = exp2f(-shift);
      // y 2^y is 0 where 2^y is.
      weighted = shrink > 0 ? shrink * (weighted - shift * sum) : 0.0f;
      sum *= shrink;
    }
    first = to;
  }
  // Four at a time; -inf holds no probability.
  __device__ void add(const float (&x)[4], float sharpness) {
    float top = first;
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      second = fmaxf(second, fminf(top, x[i]));
      top = fmaxf(top, x[i]);
    }
    if (top == -INFINITY) return;
    if (top > first) rebase(top, sharpness);
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      constexpr float kNothing = -150;  // 2 to this is 0, and so is its product with it
      const float y = fmaxf((x[i] - first) * sharpness, kNothing), e = exp2_fast(y);
      sum += e;
      weighted = fmaf(y, e, weighted);
    }
  }
  __device__ void merge(Scores other, float sharpness) {
    second = fmaxf(fminf(first, other.first), fmaxf(second, other.second));
    const float top = fmaxf(first, other.first);
    if (top == -INFINITY) return;
    if (first < top) rebase(top, sharpness);
    if (other.first < top) other.rebase(top, sharpness);
    sum += other.sum;
    weighted += other.weighted;
  }
};

// The best token so far; of equals the lowest id.
struct Choice {
  float value = -INFINITY, x = -INFINITY;
  int token = INT32_MAX;
  bool last = false;

  __device__ void offer(const Choice& other) {
    if (other.value > value || (other.value == value && other.token < token)) *this = other;
  }
};

__device__ inline bool has_edit(int first, const DeviceSampling& sampling) {
  bool found = false;
  for (int i = 0; i < sampling.edits; ++i)
    found = found || static_cast<unsigned>(sampling.token[i] - first) < 4u;
  return found;
}

// Calls use(first, logits) for this thread's share of a row: four neighbours at a time, since four
// tokens share a block of noise. The next four are on their way meanwhile.
template <class Use>
__device__ void for_tokens(const float* row, int vocabulary, const DeviceSampling& sampling,
                           const Use& use) {
  constexpr int kStep = kPredictThreads * 4;
  const auto load = [&](int first) {
    return first + 4 <= vocabulary ? *reinterpret_cast<const float4*>(row + first) : float4{};
  };
  float4 next = load(threadIdx.x * 4);
  for (int first = threadIdx.x * 4; first < vocabulary; first += kStep) {
    const float4 four = next;
    next = load(first + kStep);
    Logit logits[4];
    if (first + 4 <= vocabulary && !has_edit(first, sampling)) {
      logits[0] = {clean(four.x), false}, logits[1] = {clean(four.y), false};
      logits[2] = {clean(four.z), false}, logits[3] = {clean(four.w), false};
    } else {
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        const int token = first + i;
        logits[i] =
            token < vocabulary ? admit(row[token], token, sampling) : Logit{-INFINITY, false};
      }
    }
    use(first, logits);
  }
}

// Offers four neighbours. With a temperature, x + T g is compared, g being Gumbel noise: its
// largest is the largest of x / T + g. `admitted(i)` tells which of the four take part.
template <class Admitted>
__device__ void choose(int first, const Logit (&logits)[4], const DeviceSampling& sampling,
                       int position, Choice& best, const Admitted& admitted) {
  constexpr float kMaxGumbel = 16.7f;  // -ln(-ln u) of the largest u is 16.64
  const bool draws = sampling.temperature > 0;
  float top = -INFINITY;
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    if (admitted(i)) top = fmaxf(top, logits[i].x);
  }
  // What lies further below the best so far than noise can lift it cannot win.
  if (top == -INFINITY || top + (draws ? sampling.temperature * kMaxGumbel : 0) < best.value) {
    return;
  }
  uint4 words = {};
  if (draws)
    words = device_noise_words(sampling.noise.low, sampling.noise.high, position, first / 4);
  const std::uint32_t word[4] = {words.x, words.y, words.z, words.w};
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    if (!admitted(i) || logits[i].x == -INFINITY) continue;
    float value = logits[i].x;
    if (draws) value -= sampling.temperature * logf(-logf(device_open_unit(word[i])));
    best.offer({value, logits[i].x, first + i, logits[i].last});
  }
}

// Both merge what the threads of a block found, in one fixed order; thread 0 gets the result.
__device__ inline void merge_block(Scores& scores, float sharpness) {
  __shared__ Scores shared[kPredictWarps];
  for (int step = 16; step > 0; step /= 2) {
    const Scores other{
        __shfl_down_sync(~0u, scores.first, step), __shfl_down_sync(~0u, scores.second, step),
        __shfl_down_sync(~0u, scores.sum, step), __shfl_down_sync(~0u, scores.weighted, step)};
    scores.merge(other, sharpness);
  }
  __syncthreads();  // of an earlier call somebody may still read
  if (threadIdx.x % 32 == 0) shared[threadIdx.x / 32] = scores;
  __syncthreads();
  if (threadIdx.x != 0) return;
  for (int warp = 1; warp < kPredictWarps; ++warp) scores.merge(shared[warp], sharpness);
}

__device__ inline void merge_block(Choice& best) {
  __shared__ Choice shared[kPredictWarps];
  for (int step = 16; step > 0; step /= 2) {
    const Choice rival{__shfl_down_sync(~0u, best.value, step), __shfl_down_sync(~0u, best.x, step),
                       __shfl_down_sync(~0u, best.token, step),
                       static_cast<bool>(__shfl_down_sync(~0u, static_cast<int>(best.last), step))};
    best.offer(rival);
  }
  if (threadIdx.x % 32 == 0) shared[threadIdx.x / 32] = best;
  __syncthreads();
  if (threadIdx.x != 0) return;
  for (int warp = 1; warp < kPredictWarps; ++warp) best.offer(shared[warp]);
}

// What a thread gathers over its share of a row, and what the block makes of it.
struct Gathered {
  Scores scores;
  Scores plain;  // at temperature 1 over every token, where the sampling wants it
  Choice best;

  // `counted` are the logits of the four that the scores come from.
  __device__ void add(const Logit (&four)[4], const float (&counted)[4], float sharpness,
                      const DeviceSampling& sampling) {
    scores.add(counted, sharpness);
    if (!sampling.plain_probability) return;
    const float all[4] = {four[0].x, four[1].x, four[2].x, four[3].x};
    plain.add(all, umf::sharpness(1.0f));
  }
  __device__ void conclude(float sharpness, const DeviceSampling& sampling, Prediction& out);
};

// The entropy leaves out the 1e-10 inside the logarithm of the definition, which changes it by less
// than 1e-10 per token: 2e-5 for the largest vocabularies.
__device__ inline Prediction conclude(const Scores& scores, const Choice& best, float sharpness) {
  constexpr float kLn2 = 0.693147181f;
  if (best.value == -INFINITY) return {};  // nothing may be chosen
  Prediction prediction{.token = best.token};
  if (scores.sum == 0) return prediction;
  if (!best.last) prediction.confidence = exp2f((best.x - scores.first) * sharpness) / scores.sum;
  prediction.margin = (1 - exp2f((scores.second - scores.first) * sharpness)) / scores.sum;
  prediction.entropy = fmaxf(0.0f, logf(scores.sum) - scores.weighted * kLn2 / scores.sum);
  return prediction;
}

// By the whole block.
__device__ inline void Gathered::conclude(float sharpness, const DeviceSampling& sampling,
                                          Prediction& out) {
  const float plain_sharpness = umf::sharpness(1.0f);
  merge_block(scores, sharpness);
  merge_block(best);
  if (sampling.plain_probability) merge_block(plain, plain_sharpness);
  if (threadIdx.x != 0) return;
  out = umf::conclude(scores, best, sharpness);
  if (sampling.plain_probability && best.value > -INFINITY)
    out.probability = exp2f((best.x - plain.first) * plain_sharpness) / plain.sum;
}

}  // namespace umf
