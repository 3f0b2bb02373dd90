// From rows to experts: scores, the choice, and places by expert. Three kernels; nothing comes to
// the host, and no order is decided by who comes first.
#include <algorithm>

#include "backend/cuda/device.h"
#include "backend/cuda/dispatch.cuh"
#include "backend/cuda/kernels.h"
#include "backend/cuda/launch.cuh"
#include "backend/cuda/mma.cuh"

namespace umf {
namespace {

// A lane has groups of eight inner indices, 32 groups apart, in one chain per row and expert; the
// lanes are added in one tree. So every score is the same whatever stands beside it, and whichever
// of two kernels makes it.
constexpr int kPiece = 32 * kGroup;  // inner indices that a warp has at a time

// For few rows: a warp makes the scores of eight of them by four experts.
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

// Of eight rows and four experts from these on, once a warp's lanes have their parts of them.
__device__ void store_scores(float (&sums)[32], View scores, int first_row, int rows,
                             int first_expert, int experts) {
  add_lanes(sums);
  const int lane = threadIdx.x % 32;
  const int row = first_row + lane / kExperts, expert = first_expert + lane % kExperts;
  if (row < rows && expert < experts)
    static_cast<float*>(scores.data)[static_cast<std::size_t>(scores.stride) * row + expert] =
        sums[0];
}

template <class T, bool kWide>
__global__ void __launch_bounds__(kThreads)
    score(View in, const float* weight, View scores, int experts) {
  let_next_begin();
  wait_for_last();
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
  for (int at = lane * kGroup; at < cols; at += kPiece) {
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
  store_scores(sums, scores, first_row, in.rows, first_expert, experts);
}

// For many rows in bf16: pieces of 32 rows and 32 experts pass through shared memory, where all
// warps of a block read them; a warp has twice eight rows and four experts. The halves of a group
// of weights stand apart, so that lanes read neighbouring words.
namespace many {
constexpr int kFrom = 512;  // rows
constexpr int kThreads = 512, kTileRows = 32, kTileExperts = 32, kStages = 3;
constexpr int kRowBytes = kPiece * 2, kExpertBytes = kPiece * 4;
constexpr int kWeightsAt = kTileRows * kRowBytes;
constexpr int kStage = kWeightsAt + kTileExperts * kExpertBytes, kShared = kStages * kStage;

// Zeros behind the last index; rows and experts behind the last are the last.
__device__ void copy(const View& in, const float* weight, int experts, int first_row,
                     int first_expert, int start, std::uint32_t to) {
  constexpr int kRowPieces = kRowBytes / 16, kExpertPieces = kExpertBytes / 16;
  for (int i = threadIdx.x; i < kTileRows * kRowPieces; i += kThreads) {
    const int row = i / kRowPieces, at = start + i % kRowPieces * 8;
    const auto* from = static_cast<const __nv_bfloat16*>(in.data) +
                       static_cast<std::size_t>(in.stride) * min(first_row + row, in.rows - 1);
    copy_async(to + i * 16, at < in.cols ? from + at : from, at < in.cols);
  }
  for (int i = threadIdx.x; i < kTileExperts * kExpertPieces; i += kThreads) {
    const int expert = i / kExpertPieces, piece = i % kExpertPieces, at = start + piece * 4;
    const float* from =
        weight + static_cast<std::size_t>(in.cols) * min(first_expert + expert, experts - 1);
    const int place = piece % 2 * (kExpertBytes / 2) + piece / 2 * 16;
    copy_async(to + kWeightsAt + expert * kExpertBytes + place, at < in.cols ? from + at : from,
               at < in.cols);
  }
}

__global__ void __launch_bounds__(kThreads, 1)
    score(View in, const float* weight, View scores, int experts) {
  let_next_begin();
  wait_for_last();
  extern __shared__ __align__(128) std::uint8_t shared[];
  const std::uint32_t stages = shared_address(shared);
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const int first_row = blockIdx.x * kTileRows, first_expert = blockIdx.y * kTileExperts;
  const int own_row = warp / (kTileExperts / kExperts) * 2 * kRows;
  const int own_expert = warp % (kTileExperts / kExperts) * kExperts;
  const int steps = (in.cols + kPiece - 1) / kPiece;
  const auto start = [&](int step) {
    if (step < steps)
      copy(in, weight, experts, first_row, first_expert, step * kPiece,
           stages + step % kStages * kStage);
    commit_copies();
  };
  float sums[2][32] = {};
  for (int step = 0; step < kStages - 1; ++step) start(step);
  for (int step = 0; step < steps; ++step) {
    wait_for_copies<kStages - 2>();
    __syncthreads();  // this step's numbers are here, and the last step's may be written over
    start(step + kStages - 1);
    const std::uint8_t* stage = shared + step % kStages * kStage;
    float w[kExperts][kGroup];
#pragma unroll
    for (int j = 0; j < kExperts; ++j) {
      const std::uint8_t* own = stage + kWeightsAt + (own_expert + j) * kExpertBytes + lane * 16;
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        const float4 four = *reinterpret_cast<const float4*>(own + half * (kExpertBytes / 2));
        w[j][4 * half] = four.x, w[j][4 * half + 1] = four.y;
        w[j][4 * half + 2] = four.z, w[j][4 * half + 3] = four.w;
      }
    }
#pragma unroll
    for (int i = 0; i < 2 * kRows; ++i) {
      float x[kGroup];
      load_group<true>(
          reinterpret_cast<const __nv_bfloat16*>(stage + (own_row + i) * kRowBytes) + lane * kGroup,
          kGroup, x);
#pragma unroll
      for (int j = 0; j < kExperts; ++j) {
        float& sum = sums[i / kRows][i % kRows * kExperts + j];
#pragma unroll
        for (int k = 0; k < kGroup; ++k) sum = fmaf(x[k], w[j][k], sum);
      }
    }
  }
#pragma unroll
  for (int eight = 0; eight < 2; ++eight)
    store_scores(sums[eight], scores, first_row + own_row + eight * kRows, in.rows,
                 first_expert + own_expert, experts);
}

void launch(const Operation& op, const float* weight, cudaStream_t stream) {
  static OncePerDevice ready;
  ready([] {
    check(cudaFuncSetAttribute(score, cudaFuncAttributeMaxDynamicSharedMemorySize, kShared),
          "asking for shared memory");
  });
  const dim3 grid(blocks_for(op.in.rows, kTileRows), blocks_for(op.routing.experts, kTileExperts));
  launch_early(score, grid, kThreads, kShared, stream, op.in, weight, op.out, op.routing.experts);
}
}  // namespace many

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

// The same order among floats as among these; no number is NaN, and -0 is made 0.
__device__ unsigned ordered(float x) {
  const unsigned bits = __float_as_uint(x + 0.0f);
  return (bits & 0x80000000u) != 0 ? ~bits : bits | 0x80000000u;
}

// The first of this lane's numbers, every 32nd, that stands behind `last`.
__device__ Candidate next_of_lane(const float* scores, int size, const Candidate& last) {
  Candidate best{-INFINITY, size};
  for (int number = threadIdx.x; number < size; number += 32) {
    const Candidate here{scores[number], number};
    if (before(last, here) && before(here, best)) best = here;
  }
  return best;
}

// Candidate `count` in the order of choice, from 1 on, of `size` numbers: all that are not behind
// it are chosen.
__device__ Candidate last_chosen(const float* scores, int size, int count) {
  Candidate last{INFINITY, -1}, own = next_of_lane(scores, size, last);
  for (int i = 0; i < count; ++i) {
    if (own.number == last.number) own = next_of_lane(scores, size, last);  // this lane's was taken
    const unsigned score = ordered(own.score), best = __reduce_max_sync(~0u, score);
    const unsigned number = score == best ? static_cast<unsigned>(own.number) : ~0u;
    last.number = static_cast<int>(__reduce_min_sync(~0u, number));
    last.score = __shfl_sync(~0u, own.score, last.number % 32);
  }
  return last;
}

// Experts that stand in groups which are left out get the lowest score. A group's score is the sum
// of its two largest, which one lane finds. `sums` is room.
__device__ void leave_out_groups(const Routing& routing, float* choice, float* sums) {
  const int lane = threadIdx.x, size = routing.experts / routing.groups;
  __syncthreads();
  for (int group = lane; group < routing.groups; group += 32) {
    float first = -INFINITY, second = -INFINITY;
    for (int i = 0, at = group % size; i < size; ++i, at = at + 1 == size ? 0 : at + 1) {
      const float score = choice[group * size + at];  // lanes begin in different banks
      second = fmaxf(second, fminf(first, score));
      first = fmaxf(first, score);
    }
    const float sum = first + second;
    sums[group] = isnan(sum) ? -INFINITY : sum;
  }
  const Candidate last = last_chosen(sums, routing.groups, routing.kept_groups);
  __syncthreads();  // all sums are there for all lanes
  for (int group = 0; group < routing.groups; ++group) {
    if (!before(last, {sums[group], group})) continue;
    for (int i = lane; i < size; i += 32) choice[group * size + i] = -INFINITY;
  }
  __syncthreads();
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

// A warp per row, whose scores are looked through many times: shared memory has them, what experts
// are chosen by, and room for groups and later for the weights of the chosen ones.
__global__ void __launch_bounds__(32)
    choose(View all, const float* bias, Routing routing, RoutesView routes) {
  let_next_begin();
  wait_for_last();
  extern __shared__ __align__(16) float room[];
  const int lane = threadIdx.x, experts = routing.experts;
  float *scores = room, *choice = room + experts, *weights = room + 2 * experts;
  const float* own =
      static_cast<const float*>(all.data) + static_cast<std::size_t>(all.stride) * blockIdx.x;
  for (int e = lane; e < experts; e += 32) scores[e] = own[e];
  // A softmax keeps the order, but may make equal what was not.
  if (!routing.sigmoid)
    for (int e = lane; e < experts; e += 32) choice[e] = scores[e];
  weigh(routing, scores);
  for (int e = lane; e < experts; e += 32) {
    float score = routing.sigmoid ? scores[e] : choice[e];
    if (bias) score += bias[e];
    choice[e] = isnan(score) ? -INFINITY : score;
  }
  if (routing.groups > 1) leave_out_groups(routing, choice, weights);
  const Candidate last = last_chosen(choice, experts, routing.chosen);

  // The chosen ones in ascending order.
  const std::size_t share = static_cast<std::size_t>(routing.chosen) * blockIdx.x;
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
  for (int i = lane; i < routing.chosen; i += 32)
    routes.weights[share + i] =
        (routing.normalised ? weights[i] / sum : weights[i]) * routing.scale;
}

// A block per expert, which looks through all shares twice: first it counts those of lower experts
// and its own, then every one of its own gets the next place, in the order of the rows. Each warp
// has a part of the shares, of which it asks for several at a time.
constexpr int kAtOnce = 4;

__device__ void load_shares(const int* experts, int from, int end, int (&here)[kAtOnce]) {
#pragma unroll
  for (int i = 0; i < kAtOnce; ++i) {
    const int share = from + i * 32 + static_cast<int>(threadIdx.x) % 32;
    here[i] = share < end ? experts[share] : 0x7FFFFFFF;
  }
}

__global__ void __launch_bounds__(kThreads) place(RoutesView routes, int shares, int chosen) {
  let_next_begin();
  wait_for_last();
  __shared__ int own_counts[kWarps], lower_counts[kWarps];
  const int expert = blockIdx.x, lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const int part = (shares + kThreads - 1) / kThreads * 32;
  const int begin = warp * part, end = min(begin + part, shares);
  int own = 0, lower = 0, here[kAtOnce];
  for (int from = begin; from < end; from += 32 * kAtOnce) {
    load_shares(routes.experts, from, end, here);
#pragma unroll
    for (int i = 0; i < kAtOnce; ++i) {
      own += __popc(__ballot_sync(~0u, here[i] == expert));
      lower += __popc(__ballot_sync(~0u, here[i] < expert));
    }
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
  if (own == 0) return;
  for (int from = begin; from < end; from += 32 * kAtOnce) {
    load_shares(routes.experts, from, end, here);
#pragma unroll
    for (int i = 0; i < kAtOnce; ++i) {
      const unsigned lanes = __ballot_sync(~0u, here[i] == expert);
      if (here[i] == expert) {
        const int share = from + i * 32 + lane, to = next + __popc(lanes & ((1u << lane) - 1));
        routes.places[share] = to;
        routes.rows[to] = share / chosen;
      }
      next += __popc(lanes);
    }
  }
}

}  // namespace

void launch_route(const Operation& op, cudaStream_t stream) {
  const Routing& routing = op.routing;
  const auto* weight = static_cast<const float*>(op.weight);
  const bool wide = is_wide(op.in) && reinterpret_cast<std::uintptr_t>(weight) % 16 == 0;
  if (wide && op.in.type == DType::kBF16 && op.in.rows >= many::kFrom) {
    many::launch(op, weight, stream);
  } else {
    const dim3 grid(blocks_for(op.in.rows, kRows * kRowWarps),
                    blocks_for(routing.experts, kExperts * kExpertWarps));
    dispatch(op.in.type, wide, [&](auto zero, auto whole) {
      launch_early(score<decltype(zero), whole>, grid, kThreads, 0, stream, op.in, weight, op.out,
                   routing.experts);
    });
  }
  check_launch("a router's scores");
  const int numbers = 2 * routing.experts + std::max(routing.groups, routing.chosen);
  launch_early(choose, dim3(op.in.rows), 32, numbers * sizeof(float), stream, op.out,
               static_cast<const float*>(op.bias), routing, op.routes);
  check_launch("choosing experts");
  launch_early(place, dim3(routing.experts), kThreads, 0, stream, op.routes,
               op.in.rows * routing.chosen, routing.chosen);
  check_launch("ordering rows by expert");
}

}  // namespace umf
