// From rows to experts: scores, the choice, and places by expert. Three kernels; nothing comes to
// the host, and no order is decided by who comes first.
#include "backend/cuda/dispatch.cuh"
#include "backend/cuda/kernels.h"

namespace umf {
namespace {

// A warp makes the scores of eight rows by four experts. A lane has groups of eight inner indices,
// 32 groups apart, in one chain each; the lanes are added in one tree. So every score is the same
// whatever stands beside it.
constexpr int kRows = 8, kExperts = 4;
constexpr int kRowWarps = 2, kExpertWarps = 4;  // of a block, which share what they read
constexpr int kThreads = 32 * kRowWarps * kExpertWarps, kWarps = kThreads / 32;

// Every sum over all lanes, in the tree that adds the lanes 16 apart first: lane i has sum i then,
// as the first of its sums.
template <int kStep = 16>
__device__ void add_lanes(float (&sums)[32]) {
  const bool upper = (threadIdx.x & kStep) != 0;
#pragma unroll
  for (int i = 0; i < kStep; ++i) {
    const float sent = upper ? sums[i] : sums[i + kStep];
    const float kept = upper ? sums[i + kStep] : sums[i];
    sums[i] = kept + __shfl_xor_sync(~0u, sent, kStep);
  }
  if constexpr (kStep > 1) add_lanes<kStep / 2>(sums);
}

template <class T, bool kWide>
__global__ void __launch_bounds__(kThreads)
    score(View in, const float* weight, View scores, int experts) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, cols = in.cols;
  const int first_row = (blockIdx.x * kRowWarps + warp / kExpertWarps) * kRows;
  const int first_expert = (blockIdx.y * kExpertWarps + warp % kExpertWarps) * kExperts;
  // What is behind the last is computed from the last and not stored.
  const T* rows[kRows];
  const float* weights[kExperts];
#pragma unroll
  for (int i = 0; i < kRows; ++i)
    rows[i] = static_cast<const T*>(in.data) +
              static_cast<std::size_t>(in.stride) * min(first_row + i, in.rows - 1);
#pragma unroll
  for (int j = 0; j < kExperts; ++j)
    weights[j] = weight + static_cast<std::size_t>(cols) * min(first_expert + j, experts - 1);

  static_assert(kRows * kExperts == 32);
  float sums[32] = {};
  for (int at = lane * kGroup; at < cols; at += 32 * kGroup) {
    float w[kExperts][kGroup];
#pragma unroll
    for (int j = 0; j < kExperts; ++j) load_group<kWide>(weights[j] + at, cols - at, w[j]);
#pragma unroll
    for (int i = 0; i < kRows; ++i) {
      float x[kGroup];
      load_group<kWide>(rows[i] + at, cols - at, x);
#pragma unroll
      for (int j = 0; j < kExperts; ++j) {
#pragma unroll
        for (int k = 0; k < kGroup; ++k)
          sums[i * kExperts + j] = fmaf(x[k], w[j][k], sums[i * kExperts + j]);
      }
    }
  }
  add_lanes(sums);
  const int row = first_row + lane / kExperts, expert = first_expert + lane % kExperts;
  if (row < in.rows && expert < experts)
    static_cast<float*>(scores.data)[static_cast<std::size_t>(scores.stride) * row + expert] =
        sums[0];
}

__device__ float sum_of_lanes(float x) {
#pragma unroll
  for (int step = 16; step > 0; step /= 2) x += __shfl_xor_sync(~0u, x, step);
  return x;
}

// A number of a list and where it stands; in the order of choice, larger numbers come first and of
// equal ones the one that stands first.
struct Candidate {
  float score;
  int number;
};
__device__ bool before(const Candidate& a, const Candidate& b) {
  return a.score > b.score || (a.score == b.score && a.number < b.number);
}

// Candidate `count` in the order of choice, from 1 on, of `size` numbers: all that are not behind
// it are chosen. A lane has every 32nd of them, which it wrote itself.
__device__ Candidate last_chosen(const float* scores, int size, int count) {
  const int lane = threadIdx.x;
  Candidate last{INFINITY, -1};
  for (int i = 0; i < count; ++i) {
    Candidate best{-INFINITY, size};
    for (int number = lane; number < size; number += 32) {
      const Candidate here{scores[number], number};
      if (before(last, here) && before(here, best)) best = here;
    }
#pragma unroll
    for (int step = 16; step > 0; step /= 2) {
      const Candidate other{__shfl_xor_sync(~0u, best.score, step),
                            __shfl_xor_sync(~0u, best.number, step)};
      if (before(other, best)) best = other;
    }
    last = best;
  }
  return last;
}

// Experts that stand in groups which are left out get the lowest score. `sums` is room.
__device__ void leave_out_groups(const Routing& routing, float* choice, float* sums) {
  const int lane = threadIdx.x, size = routing.experts / routing.groups;
  for (int group = 0; group < routing.groups; ++group) {
    float first = -INFINITY, second = -INFINITY;
    const int begin = group * size, end = begin + size;
    for (int expert = begin / 32 * 32 + lane; expert < end; expert += 32) {
      if (expert < begin) continue;
      second = fmaxf(second, fminf(first, choice[expert]));
      first = fmaxf(first, choice[expert]);
    }
#pragma unroll
    for (int step = 16; step > 0; step /= 2) {
      const float other_first = __shfl_xor_sync(~0u, first, step);
      const float other_second = __shfl_xor_sync(~0u, second, step);
      second = fmaxf(fmaxf(second, other_second), fminf(first, other_first));
      first = fmaxf(first, other_first);
    }
    const float sum = first + second;
    if (lane == group % 32) sums[group] = isnan(sum) ? -INFINITY : sum;
  }
  const Candidate last = last_chosen(sums, routing.groups, routing.kept_groups);
  __syncthreads();  // all sums are there for all lanes
  for (int expert = lane; expert < routing.experts; expert += 32) {
    const int group = expert / size;
    if (before(last, {sums[group], group})) choice[expert] = -INFINITY;
  }
}

// Scores become what an expert weighs if it is chosen, before anything is divided by a sum.
__device__ void weigh(const Routing& routing, float* scores) {
  const int lane = threadIdx.x;
  if (routing.sigmoid) {
    for (int e = lane; e < routing.experts; e += 32) scores[e] = 1.0f / (1.0f + expf(-scores[e]));
    return;
  }
  float top = -INFINITY, sum = 0;
  for (int e = lane; e < routing.experts; e += 32) top = fmaxf(top, scores[e]);
#pragma unroll
  for (int step = 16; step > 0; step /= 2) top = fmaxf(top, __shfl_xor_sync(~0u, top, step));
  for (int e = lane; e < routing.experts; e += 32) {
    scores[e] = expf(scores[e] - top);
    sum += scores[e];
  }
  sum = sum_of_lanes(sum);
  for (int e = lane; e < routing.experts; e += 32) scores[e] /= sum;
}

// A warp per row. Behind a row's scores stands room for what experts are chosen by, and for groups.
__global__ void __launch_bounds__(32)
    choose(View all, const float* bias, Routing routing, RoutesView routes) {
  const int lane = threadIdx.x, experts = routing.experts;
  float* scores = static_cast<float*>(all.data) + static_cast<std::size_t>(all.stride) * blockIdx.x;
  float* choice = scores + experts;
  // A softmax keeps the order, but may make equal what was not.
  if (!routing.sigmoid)
    for (int e = lane; e < experts; e += 32) choice[e] = scores[e];
  weigh(routing, scores);
  for (int e = lane; e < experts; e += 32) {
    float score = routing.sigmoid ? scores[e] : choice[e];
    if (bias) score += bias[e];
    choice[e] = isnan(score) ? -INFINITY : score;
  }
  if (routing.groups > 1) leave_out_groups(routing, choice, choice + experts);
  const Candidate last = last_chosen(choice, experts, routing.chosen);

  // The chosen ones in ascending order.
  const std::size_t share = static_cast<std::size_t>(routing.chosen) * blockIdx.x;
  float* weights = routes.weights + share;
  int found = 0;
  for (int from = 0; from < experts; from += 32) {
    const int e = from + lane;
    const bool chosen = e < experts && !before(last, {choice[e], e});
    const unsigned lanes = __ballot_sync(~0u, chosen);
    const int number = found + __popc(lanes & ((1u << lane) - 1));
    if (chosen) {
      routes.experts[share + number] = e;
      weights[number] = scores[e];
    }
    found += __popc(lanes);
  }
  __syncthreads();
  float sum = 1e-20f;
  for (int i = 0; i < routing.chosen; ++i) sum += weights[i];
  __syncthreads();
  for (int i = lane; i < routing.chosen; i += 32)
    weights[i] = (routing.normalised ? weights[i] / sum : weights[i]) * routing.scale;
}

// A block per expert, which looks through all shares twice: first it counts those of lower experts
// and its own, then every one of its own gets the next place, in the order of the rows. Each warp
// has a part of the shares.
__global__ void __launch_bounds__(kThreads) place(RoutesView routes, int shares, int chosen) {
  __shared__ int own_counts[kWarps], lower_counts[kWarps];
  const int expert = blockIdx.x, lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const int part = (shares + kThreads - 1) / kThreads * 32;
  const int begin = warp * part, end = min(begin + part, shares);
  int own = 0, lower = 0;
  for (int from = begin; from < end; from += 32) {
    const int here = from + lane < end ? routes.experts[from + lane] : 0x7FFFFFFF;
    own += __popc(__ballot_sync(~0u, here == expert));
    lower += __popc(__ballot_sync(~0u, here < expert));
  }
  if (lane == 0) own_counts[warp] = own, lower_counts[warp] = lower;
  __syncthreads();
  int first = 0, next = 0, count = 0;
  for (int i = 0; i < kWarps; ++i) {
    first += lower_counts[i];
    if (i < warp) next += own_counts[i];
    count += own_counts[i];
  }
  next += first;
  if (threadIdx.x == 0) {
    routes.first[expert] = first;
    if (expert + 1 == static_cast<int>(gridDim.x)) routes.first[expert + 1] = first + count;
  }
  for (int from = begin; from < end; from += 32) {
    const bool here = from + lane < end && routes.experts[from + lane] == expert;
    const unsigned lanes = __ballot_sync(~0u, here);
    if (here) {
      const int to = next + __popc(lanes & ((1u << lane) - 1));
      routes.places[from + lane] = to;
      routes.rows[to] = (from + lane) / chosen;
    }
    next += __popc(lanes);
  }
}

}  // namespace

void launch_route(const Operation& op, cudaStream_t stream) {
  const Routing& routing = op.routing;
  const auto* weight = static_cast<const float*>(op.weight);
  const bool wide = is_wide(op.in) && reinterpret_cast<std::uintptr_t>(weight) % 16 == 0;
  const dim3 grid(blocks_for(op.in.rows, kRows * kRowWarps),
                  blocks_for(routing.experts, kExperts * kExpertWarps));
  dispatch(op.in.type, wide, [&](auto zero, auto whole) {
    score<decltype(zero), whole>
        <<<grid, kThreads, 0, stream>>>(op.in, weight, op.out, routing.experts);
  });
  check_launch("a router's scores");
  choose<<<op.in.rows, 32, 0, stream>>>(op.out, static_cast<const float*>(op.bias), routing,
                                        op.routes);
  check_launch("choosing experts");
  place<<<routing.experts, kThreads, 0, stream>>>(op.routes, op.in.rows * routing.chosen,
                                                  routing.chosen);
  check_launch("ordering rows by expert");
}

}  // namespace umf
