// Predictions after top-p and top-k. Instead of sorting, the rank of the last token that stays is
// found digit by digit: tokens have 31-bit keys that grow as probability falls, and three
// histograms over the digits of the key locate it. Mass is counted in integers, so its sums do not
// depend on the order in which threads add to them: in units of 2^-31 of the whole. Tokens below
// half a unit are lost, 4e-5 of the mass at most.
#include "backend/cuda/block.cuh"
#include "backend/cuda/dispatch.cuh"
#include "backend/cuda/predict.cuh"
#include "backend/cuda/predict_filtered.h"

namespace umf {
namespace {

using Mass = unsigned;

constexpr int kBins = 2048, kPerLane = kBins / 32;
constexpr float kWhole = 2147483648.0f;  // 2^31: native additions in shared memory have 32 bits

// What the digits found so far say: all keys below `key` stay, and of those that equal it the first
// `ties` by id.
struct Cut {
  std::uint32_t key = 0xFFFFFFFFu;
  Mass ties = ~Mass{0};
};

// A row whose tokens are ordered by y = (top - x) / T >= 0, the most probable first.
struct Row {
  const float* logits;
  int vocabulary;
  float inverse_temperature, top, unit;  // unit: mass of the most probable token
  float step, steps, last;  // y from key to key, a power of two; its inverse; the largest y of all

  // Keys divide what y takes, a power of two, so that tokens spread over the bins and threads
  // seldom meet in one. What is beyond 32 (removed tokens, too) has no mass and cannot be drawn:
  // one key serves it.
  __device__ void divide(float bottom) {
    const float range = fminf((top - bottom) * inverse_temperature, 31.0f);
    const int exponent = max(range > 0 ? ilogbf(range) + 1 : -20, -20);
    step = ldexpf(1.0f, exponent - 31);
    steps = ldexpf(1.0f, 31 - exponent);
    last = ldexpf(1.0f - 1.0f / 16777216.0f, exponent);
  }
  __device__ std::uint32_t key_of(float x) const {
    return __float2uint_rn(fminf((top - x) * inverse_temperature, last) * steps);
  }
  __device__ Mass mass_of(std::uint32_t key) const {
    constexpr float kLog2E = 1.44269504f;
    return __float2uint_rn(exp2_fast(static_cast<float>(key) * step * -kLog2E) * unit);
  }
};

// The largest and the smallest logit, and the sum of all probabilities, in one pass.
__device__ void survey(Row& row, const DeviceSampling& sampling) {
  const float sharp = sharpness(1 / row.inverse_temperature);
  float top = -INFINITY, bottom = INFINITY, sum = 0;
  for_tokens(row.logits, row.vocabulary, sampling, [&](int, const Logit(&four)[4]) {
    float now = top;
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      now = fmaxf(now, four[i].x);
      bottom = fminf(bottom, four[i].x > -INFINITY ? four[i].x : INFINITY);
    }
    if (now == -INFINITY) return;
    if (now > top) {
      sum *= exp2_fast((top - now) * sharp);
      top = now;
    }
#pragma unroll
    for (int i = 0; i < 4; ++i) sum += exp2_fast((four[i].x - top) * sharp);
  });
  row.top = block_max<kPredictWarps>(top);
  if (row.top == -INFINITY) return;
  row.divide(-block_max<kPredictWarps>(-bottom));
  const float share = top == -INFINITY ? 0 : sum * exp2_fast((top - row.top) * sharp);
  row.unit = kWhole / block_sum<kPredictWarps>(share);
}

// The first bin with which the sum of bins exceeds `limit`, or the last bin that holds anything,
// and the sum of the bins before it. With a `share`, the limit is that share of all bins. By one
// warp.
struct Found {
  int bin;
  Mass before, limit;
};

__device__ void find_bin(const Mass* bins, float share, Mass limit, Found& found) {
  const int lane = threadIdx.x;
  Mass mine = 0;
  for (int i = 0; i < kPerLane; ++i) mine += bins[lane * kPerLane + i];
  Mass below = mine;  // inclusive sum over lanes, then exclusive
  for (int step = 1; step < 32; step *= 2) {
    const Mass other = __shfl_up_sync(~0u, below, step);
    if (lane >= step) below += other;
  }
  if (share > 0) {
    const Mass whole = __shfl_sync(~0u, below, 31);
    limit = static_cast<Mass>(static_cast<double>(share) * static_cast<double>(whole));
  }
  below -= mine;
  const unsigned crossing = __ballot_sync(~0u, mine > 0 && below + mine > limit);
  const unsigned holding = __ballot_sync(~0u, mine > 0);  // never 0: the best token is somewhere
  const int chosen =
      crossing != 0 ? __ffs(static_cast<int>(crossing)) - 1 : 31 - __clz(static_cast<int>(holding));
  if (lane != chosen) return;
  for (int i = 0; i < kPerLane; ++i) {
    const Mass held = bins[lane * kPerLane + i];
    if (held == 0) continue;
    found = {lane * kPerLane + i, below, limit};
    if (below + held > limit) return;
    below += held;
  }
}

// Shared by the threads of a block. The tokens whose first digit is the cut's are usually few: the
// second look at the row lists them, and what follows looks at the list alone.
struct Workspace {
  static constexpr int kListed = 2048;
  Mass bins[kBins];
  Found found;
  int listed;  // more than fit: the list is of no use
  std::uint32_t key[kListed];
  int token[kListed];

  __device__ bool has_list() const { return listed <= kListed; }
  __device__ void note(std::uint32_t its_key, int its_token) {
    const int at = atomicAdd(&listed, 1);
    if (at < kListed) key[at] = its_key, token[at] = its_token;
  }
};

// The cut after which the weight of the tokens before a token exceeds `limit`, or `share` of the
// whole weight; a token weighs weigh(key).
template <class Weigh>
__device__ Cut find_cut(const Row& row, const DeviceSampling& sampling, float share, Mass limit,
                        Workspace& space, const Weigh& weigh) {
  std::uint32_t prefix = 0;
  Mass below = 0;
#pragma unroll 1
  for (int digit = 0; digit < 3; ++digit) {
    const int shift = digit == 0 ? 20 : digit == 1 ? 9 : 0, bits = digit < 2 ? 11 : 9;
    for (int i = threadIdx.x; i < kBins; i += kPredictThreads) space.bins[i] = 0;
    if (digit == 0 && threadIdx.x == 0) space.listed = 0;
    __syncthreads();
    const auto add = [&](std::uint32_t key) {
      if (digit > 0 && key >> (shift + bits) != prefix) return;
      const Mass weight = weigh(key);
      if (weight > 0) atomicAdd(&space.bins[key >> shift & ((1u << bits) - 1)], weight);
    };
    if (digit == 2 && space.has_list()) {
      for (int i = threadIdx.x; i < space.listed; i += kPredictThreads) add(space.key[i]);
    } else {
      for_tokens(row.logits, row.vocabulary, sampling, [&](int first, const Logit(&four)[4]) {
#pragma unroll
        for (int i = 0; i < 4; ++i) {
          if (four[i].x == -INFINITY) continue;
          const std::uint32_t key = row.key_of(four[i].x);
          add(key);
          if (digit == 1 && key >> 20 == prefix) space.note(key, first + i);
        }
      });
    }
    __syncthreads();
    if (threadIdx.x < 32)
      find_bin(space.bins, digit == 0 ? share : 0.0f, limit - below, space.found);
    __syncthreads();
    if (digit == 0) limit = space.found.limit;
    below += space.found.before;
    prefix = prefix << bits | static_cast<std::uint32_t>(space.found.bin);
    __syncthreads();
  }
  const Mass each = weigh(prefix);
  return {prefix, each > 0 ? (limit - below) / each + 1 : ~Mass{0}};
}

// The same as last_tie below, from the list that find_cut has left.
__device__ int last_listed_tie(int vocabulary, const Cut& cut, const Workspace& space) {
  __shared__ int found;
  if (threadIdx.x == 0) found = vocabulary;
  __syncthreads();
  for (int i = threadIdx.x; i < space.listed; i += kPredictThreads) {
    if (space.key[i] != cut.key) continue;
    Mass rank = 1;
    for (int other = 0; other < space.listed; ++other)
      rank += space.key[other] == cut.key && space.token[other] < space.token[i];
    if (rank == cut.ties) found = space.token[i];
  }
  __syncthreads();
  return found;
}

// The id up to which tokens whose key equals the cut's stay. By the whole block.
__device__ int last_tie(const Row& row, const DeviceSampling& sampling, const Cut& cut) {
  __shared__ int found;
  if (cut.ties >= static_cast<Mass>(row.vocabulary)) return row.vocabulary;
  if (threadIdx.x == 0) found = row.vocabulary;
  __syncthreads();
  Mass left = cut.ties;
  for (int start = 0; start < row.vocabulary; start += kPredictThreads) {
    const int token = start + static_cast<int>(threadIdx.x);
    bool equal = false;
    if (token < row.vocabulary) {
      const float x = admit(row.logits[token], token, sampling).x;
      equal = x > -INFINITY && row.key_of(x) == cut.key;
    }
    const int count = __syncthreads_count(equal);
    if (static_cast<Mass>(count) < left) {
      left -= count;
      continue;
    }
    // The tie that is wanted stands here: each thread counts the ties up to its own.
    __shared__ unsigned flags[kPredictWarps];
    const unsigned ballot = __ballot_sync(~0u, equal);
    if (threadIdx.x % 32 == 0) flags[threadIdx.x / 32] = ballot;
    __syncthreads();
    Mass rank = __popc(ballot & (0xFFFFFFFFu >> (31 - threadIdx.x % 32)));
    for (unsigned warp = 0; warp < threadIdx.x / 32; ++warp) rank += __popc(flags[warp]);
    if (equal && rank == left) found = token;
    __syncthreads();
    break;
  }
  return found;
}

__global__ void __launch_bounds__(kPredictThreads)
    predict_filtered(const float* logits, int stride, int vocabulary, const int* positions,
                     DeviceSampling sampling, Prediction* out) {
  const float own = sampling.temperature > 0 ? sampling.temperature : 1.0f;
  Row row{logits + static_cast<std::size_t>(stride) * blockIdx.x, vocabulary,
          fminf(1 / own, FLT_MAX)};
  survey(row, sampling);
  if (row.top == -INFINITY) {
    if (threadIdx.x == 0) out[blockIdx.x] = {};
    return;
  }
  __shared__ Workspace space;
  Cut by_mass, by_count;
  int last_id = vocabulary;
  if (sampling.top_p < 1) {
    by_mass = find_cut(row, sampling, sampling.top_p, 0, space,
                       [&](std::uint32_t key) { return row.mass_of(key); });
    last_id = space.has_list() ? last_listed_tie(vocabulary, by_mass, space)
                               : last_tie(row, sampling, by_mass);
  }
  if (sampling.top_k > 0) {
    by_count = find_cut(row, sampling, 0, static_cast<Mass>(sampling.top_k) - 1, space,
                        [](std::uint32_t) { return Mass{1}; });
  }

  const float sharp = sharpness(sampling.tempered_scores ? own : 1.0f);
  Gathered gathered;
  for_tokens(row.logits, vocabulary, sampling, [&](int first, const Logit(&four)[4]) {
    bool stays[4];
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      const std::uint32_t key = row.key_of(four[i].x);
      stays[i] = key <= by_count.key &&
                 (key < by_mass.key || (key == by_mass.key && first + i <= last_id));
    }
    choose(first, four, sampling, positions[blockIdx.x], gathered.best,
           [&](int i) { return stays[i]; });
    float counted[4];
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      const bool counts = (stays[i] || !sampling.tempered_scores) && !four[i].last;
      counted[i] = counts ? four[i].x : -INFINITY;
    }
    gathered.add(four, counted, sharp, sampling);
  });
  gathered.conclude(sharp, sampling, out[blockIdx.x]);
}

}  // namespace

void launch_predict_filtered(const View& logits, const int* positions,
                             const DeviceSampling& sampling, Prediction* out, cudaStream_t stream) {
  predict_filtered<<<logits.rows, kPredictThreads, 0, stream>>>(
      pointer<const float>(logits), logits.stride, logits.cols, positions, sampling, out);
  check_launch("predicting");
}

}  // namespace umf
