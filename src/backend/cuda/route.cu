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

// Rows in f32: a warp makes the scores of eight of them by four experts. A lane has groups of eight
// inner indices, 32 groups apart, in one chain per row and expert; the lanes are added in one tree.
// So every score is the same whatever stands beside it.
constexpr int kPiece = 32 * kGroup;  // inner indices that a warp has at a time
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

// Rows in bf16 go to the tensor cores: a weight in f32 is the sum of three numbers in bf16, so that
// nothing is rounded before it is multiplied. Each warp of a block has a quarter of the inner
// index, where a score is three chains, one for each part of the weights; the quarters are added in
// order. So no score depends on the block's shape.
namespace wide {

constexpr int kQuarters = 4, kThreads = 32 * kQuarters;
constexpr int kDepth = 64;  // inner indices of a quarter that come together
constexpr int kRowBytes = kDepth * 2, kExpertBytes = kDepth * 4;
constexpr int kMany = 128;  // rows

// kTiles: sixteens of rows; kColumns: eights of experts.
template <int kTileCount, int kColumnCount>
struct Shape {
  static constexpr int kTiles = kTileCount, kColumns = kColumnCount;
  static constexpr int kRows = 16 * kTiles, kExperts = 8 * kColumns;
  static constexpr int kWeightsAt = kRows * kRowBytes;
  static constexpr int kSlice = kWeightsAt + kExperts * kExpertBytes;  // of a quarter
  static constexpr int kStage = kQuarters * kSlice, kStages = kRows > 32 ? 2 : 4;
  static constexpr int kShared = kStages * kStage;
};

// Pieces of 16 bytes are permuted so that what a warp reads at a time lies in different banks.
__device__ int row_piece(int row, int piece) { return row * kRowBytes + (piece ^ (row & 7)) * 16; }
__device__ int expert_piece(int expert, int piece) {
  return expert * kExpertBytes + (piece ^ (expert & 7) * 2) * 16;
}

// What this warp needs of its quarter, from `start` on. Zeros behind the last index; rows and
// experts behind the last are the last.
template <class Shape>
__device__ void copy(const View& in, const float* weight, int experts, int start,
                     std::uint32_t to) {
  const int first_row = blockIdx.x * Shape::kRows, first_expert = blockIdx.y * Shape::kExperts;
  constexpr int kRowPieces = kRowBytes / 16, kExpertPieces = kExpertBytes / 16;
#pragma unroll
  for (int i = threadIdx.x % 32; i < Shape::kRows * kRowPieces; i += 32) {
    const int row = i / kRowPieces, piece = i % kRowPieces, at = start + piece * 8;
    const auto* from = static_cast<const __nv_bfloat16*>(in.data) +
                       static_cast<std::size_t>(in.stride) * min(first_row + row, in.rows - 1);
    copy_async(to + row_piece(row, piece), at < in.cols ? from + at : from, at < in.cols);
  }
#pragma unroll
  for (int i = threadIdx.x % 32; i < Shape::kExperts * kExpertPieces; i += 32) {
    const int expert = i / kExpertPieces, piece = i % kExpertPieces, at = start + piece * 4;
    const float* from =
        weight + static_cast<std::size_t>(in.cols) * min(first_expert + expert, experts - 1);
    copy_async(to + Shape::kWeightsAt + expert_piece(expert, piece),
               at < in.cols ? from + at : from, at < in.cols);
  }
}

// Two weights as three pairs of bf16 whose sums they are.
__device__ void split(float2 w, std::uint32_t (&parts)[3]) {
#pragma unroll
  for (std::uint32_t& part : parts) {
    part = pack_pair(w.x, w.y);
    w.x -= __uint_as_float(part << 16);
    w.y -= __uint_as_float(part & 0xFFFF0000u);
  }
}

template <class Shape>
using Sums = float[Shape::kTiles][Shape::kColumns][4];

template <class Shape>
__device__ void multiply(const std::uint8_t* slice, Sums<Shape>& sums) {
  const int lane = threadIdx.x % 32;
#pragma unroll
  for (int k = 0; k < kDepth / 16; ++k) {
    std::uint32_t parts[Shape::kColumns][2][3];
#pragma unroll
    for (int i = 0; i < 2 * Shape::kColumns; ++i) {
      const int at = expert_piece(i / 2 * 8 + lane / 4, 4 * k + i % 2 * 2 + lane % 4 / 2);
      split(*reinterpret_cast<const float2*>(slice + Shape::kWeightsAt + at + lane % 2 * 8),
            parts[i / 2][i % 2]);
    }
#pragma unroll
    for (int tile = 0; tile < Shape::kTiles; ++tile) {
      std::uint32_t rows[4];
      load_matrices(rows,
                    shared_address(slice) + row_piece(tile * 16 + lane % 16, 2 * k + lane / 16));
#pragma unroll
      for (int part = 2; part >= 0; --part) {
#pragma unroll
        for (int i = 0; i < Shape::kColumns; ++i)
          multiply_add(sums[tile][i], rows, parts[i][0][part], parts[i][1][part]);
      }
    }
  }
}

// The quarters' sums meet in shared memory.
template <class Shape>
__device__ void store(const Sums<Shape>& sums, float* room, View scores, int rows, int experts) {
  const int lane = threadIdx.x % 32, quarter = threadIdx.x / 32;
  constexpr int kCount = Shape::kRows * Shape::kExperts;
#pragma unroll
  for (int i = 0; i < 4 * Shape::kTiles * Shape::kColumns; ++i) {
    const int tile = i / 4 / Shape::kColumns, column = i / 4 % Shape::kColumns, number = i % 4;
    const int row = tile * 16 + number / 2 * 8 + lane / 4;
    room[quarter * kCount + row * Shape::kExperts + column * 8 + lane % 4 * 2 + number % 2] =
        sums[tile][column][number];
  }
  __syncthreads();
  for (int i = threadIdx.x; i < kCount; i += kThreads) {
    const int row = blockIdx.x * Shape::kRows + i / Shape::kExperts;
    const int expert = blockIdx.y * Shape::kExperts + i % Shape::kExperts;
    float sum = room[i];
    for (int other = 1; other < kQuarters; ++other) sum += room[other * kCount + i];
    if (row < rows && expert < experts)
      static_cast<float*>(scores.data)[static_cast<std::size_t>(scores.stride) * row + expert] =
          sum;
  }
}

template <class Shape>
__global__ void __launch_bounds__(kThreads)
    score(View in, const float* weight, View scores, int experts) {
  let_next_begin();
  wait_for_last();
  extern __shared__ __align__(128) std::uint8_t shared[];
  const int steps = (in.cols + kDepth * kQuarters - 1) / (kDepth * kQuarters);
  const int quarter = threadIdx.x / 32, begin = quarter * steps * kDepth;
  std::uint8_t* own = shared + quarter * Shape::kSlice;
  const auto start = [&](int step) {
    if (step < steps)
      copy<Shape>(in, weight, experts, begin + step * kDepth,
                  shared_address(own) + step % Shape::kStages * Shape::kStage);
    commit_copies();
  };
  Sums<Shape> sums = {};
  for (int step = 0; step < Shape::kStages - 1; ++step) start(step);
  for (int step = 0; step < steps; ++step) {
    wait_for_copies<Shape::kStages - 2>();
    __syncwarp();  // this step's numbers are here, and the last step's may be written over
    start(step + Shape::kStages - 1);
    multiply<Shape>(own + step % Shape::kStages * Shape::kStage, sums);
  }
  __syncthreads();
  store<Shape>(sums, reinterpret_cast<float*>(shared), scores, in.rows, experts);
}

// False where this GPU has too little shared memory.
template <class Shape>
bool launch(const Operation& op, const float* weight, cudaStream_t stream) {
  const auto kernel = score<Shape>;
  if (cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, Shape::kShared) !=
      cudaSuccess) {
    cudaGetLastError();
    return false;
  }
  const dim3 grid(blocks_for(op.in.rows, Shape::kRows),
                  blocks_for(op.routing.experts, Shape::kExperts));
  launch_early(kernel, grid, kThreads, Shape::kShared, stream, op.in, weight, op.out,
               op.routing.experts);
  return true;
}

void launch_score(const Operation& op, const float* weight, cudaStream_t stream) {
  if (op.in.rows > kMany && launch<Shape<4, 4>>(op, weight, stream)) return;
  if (!launch<Shape<2, 1>>(op, weight, stream))
    throw Error("cuda: this GPU has too little shared memory for mixtures; pass --backend cpu");
}
}  // namespace wide

// The same order among floats as among these, of which none is 0; -0 is made 0, and what is no
// number is the lowest.
__device__ unsigned key_of(float x) {
  const unsigned bits = __float_as_uint(isnan(x) ? -INFINITY : x + 0.0f);
  return (bits & 0x80000000u) != 0 ? ~bits : bits | 0x80000000u;
}

// Of a warp's keys, every 32nd of which a lane has, the `count` largest become 0: of equal ones
// those that stand first.
template <int kOwn>
__device__ void take(unsigned (&keys)[kOwn], int count) {
  const int lane = threadIdx.x % 32;
  for (int taken = 0; taken < count; ++taken) {
    unsigned own = 0;
#pragma unroll
    for (int i = 0; i < kOwn; ++i) own = max(own, keys[i]);
    const unsigned largest = __reduce_max_sync(~0u, own);
    int number = 0x7FFFFFFF;
#pragma unroll
    for (int i = kOwn - 1; i >= 0; --i) number = keys[i] == largest ? 32 * i + lane : number;
    number = __reduce_min_sync(~0u, number);
#pragma unroll
    for (int i = 0; i < kOwn; ++i) keys[i] = number == 32 * i + lane ? 0 : keys[i];
  }
}

// Neighbours of a group, and groups, stand in different banks.
__host__ __device__ int padded(int expert) { return expert + expert / 32; }

// What a group is worth, the sum of its two largest, as a key. Several lanes look through each.
__device__ void value_groups(const Routing& routing, const float* choices, unsigned* values) {
  const int lane = threadIdx.x % 32, size = routing.experts / routing.groups;
  int lanes = 1;
  while (2 * lanes * routing.groups <= 32) lanes *= 2;
  for (int begin = 0; begin < routing.groups; begin += 32 / lanes) {
    const int group = begin + lane / lanes;
    float first = -INFINITY, second = -INFINITY;
    for (int i = lane % lanes; group < routing.groups && i < size; i += lanes) {
      const float here = choices[padded(group * size + i)];
      second = fmaxf(second, fminf(first, here));
      first = fmaxf(first, here);
    }
    for (int step = 1; step < lanes; step *= 2) {
      const float other = __shfl_xor_sync(~0u, first, step);
      second = fmaxf(fmaxf(second, __shfl_xor_sync(~0u, second, step)), fminf(first, other));
      first = fmaxf(first, other);
    }
    if (group < routing.groups) values[group] = key_of(first + second);
  }
}

// Experts of groups that are left out get the lowest key.
template <int kOwn>
__device__ void leave_out_groups(const Routing& routing, const float* choices, unsigned* values,
                                 unsigned (&keys)[kOwn]) {
  const int lane = threadIdx.x % 32, size = routing.experts / routing.groups;
  value_groups(routing, choices, values);
  __syncwarp();
  unsigned groups[kOwn];
#pragma unroll
  for (int i = 0; i < kOwn; ++i)
    groups[i] = 32 * i + lane < routing.groups ? values[32 * i + lane] : 0;
  take(groups, routing.kept_groups);
  __syncwarp();
#pragma unroll
  for (int i = 0; i < kOwn; ++i) {
    if (32 * i + lane < routing.groups) values[32 * i + lane] = groups[i];
  }
  __syncwarp();
#pragma unroll
  for (int i = 0; i < kOwn; ++i) {
    const int expert = 32 * i + lane;
    if (expert < routing.experts && values[expert / size] != 0) keys[i] = key_of(-INFINITY);
  }
}

// What a softmax takes from scores and divides them by.
__device__ float2 softmax_of(const float* scores, int count) {
  float top = -INFINITY, sum = 0;
  for (int i = threadIdx.x % 32; i < count; i += 32) top = fmaxf(top, scores[i]);
#pragma unroll
  for (int step = 16; step > 0; step /= 2) top = fmaxf(top, __shfl_xor_sync(~0u, top, step));
  for (int i = threadIdx.x % 32; i < count; i += 32) sum += expf(scores[i] - top);
#pragma unroll
  for (int step = 16; step > 0; step /= 2) sum += __shfl_xor_sync(~0u, sum, step);
  return {top, sum};
}

// A warp per row, whose lanes have every 32nd expert. Shared memory has what experts are chosen by,
// what groups are worth, and the weights of the chosen ones.
template <int kOwn>
__global__ void __launch_bounds__(32)
    choose(View all, const float* bias, Routing routing, RoutesView routes) {
  let_next_begin();
  wait_for_last();
  extern __shared__ float choices[];
  auto* values = reinterpret_cast<unsigned*>(choices + padded(routing.experts));
  float* chosen_weights = choices + padded(routing.experts) + routing.groups;
  const int lane = threadIdx.x;
  const float* scores =
      static_cast<const float*>(all.data) + static_cast<std::size_t>(all.stride) * blockIdx.x;
  const float2 softmax = routing.sigmoid ? float2{} : softmax_of(scores, routing.experts);
  float weights[kOwn];
  unsigned keys[kOwn];
#pragma unroll
  for (int i = 0; i < kOwn; ++i) {
    const int expert = 32 * i + lane;
    keys[i] = 0;
    if (expert >= routing.experts) continue;
    const float score = scores[expert];
    weights[i] =
        routing.sigmoid ? 1.0f / (1.0f + expf(-score)) : expf(score - softmax.x) / softmax.y;
    // A softmax keeps the order, but may make equal what was not.
    float choice = routing.sigmoid ? weights[i] : score;
    if (bias) choice += bias[expert];
    choices[padded(expert)] = isnan(choice) ? -INFINITY : choice;
    keys[i] = key_of(choice);
  }
  __syncwarp();
  if (routing.groups > 1) leave_out_groups(routing, choices, values, keys);
  take(keys, routing.chosen);

  // The chosen ones in ascending order.
  const std::size_t share = static_cast<std::size_t>(routing.chosen) * blockIdx.x;
  int found = 0;
#pragma unroll
  for (int i = 0; i < kOwn; ++i) {
    const bool chosen = 32 * i + lane < routing.experts && keys[i] == 0;
    const unsigned lanes = __ballot_sync(~0u, chosen);
    const int place = found + __popc(lanes & ((1u << lane) - 1));
    if (chosen) {
      routes.experts[share + place] = 32 * i + lane;
      chosen_weights[place] = weights[i];
    }
    found += __popc(lanes);
  }
  __syncwarp();
  float sum = 1e-20f;
  for (int i = 0; i < routing.chosen; ++i) sum += chosen_weights[i];
  for (int i = lane; i < routing.chosen; i += 32)
    routes.weights[share + i] =
        (routing.normalised ? chosen_weights[i] / sum : chosen_weights[i]) * routing.scale;
}

template <int kOwn = 2>
void launch_choose(const Operation& op, cudaStream_t stream) {
  constexpr int kMost = 32;
  const Routing& routing = op.routing;
  if constexpr (kOwn <= kMost) {
    if (routing.experts > 32 * kOwn) return launch_choose<4 * kOwn>(op, stream);
    const int words = padded(routing.experts) + routing.groups + routing.chosen;
    launch_early(choose<kOwn>, dim3(op.in.rows), 32, words * sizeof(float), stream, op.out,
                 static_cast<const float*>(op.bias), routing, op.routes);
    check_launch("choosing experts");
  } else {
    throw Error("cuda: mixtures of more than 1024 experts are not supported; pass --backend cpu");
  }
}

// A block per expert, which looks through all shares twice: first it counts those of lower experts
// and its own, then every one of its own gets the next place, in the order of the rows. Each warp
// has a part of the shares, of which it asks for several at a time.
constexpr int kAtOnce = 8;

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
  const bool whole = is_wide(op.in) && reinterpret_cast<std::uintptr_t>(weight) % 16 == 0;
  if (whole && op.in.type == DType::kBF16) {
    wide::launch_score(op, weight, stream);
  } else {
    const dim3 grid(blocks_for(op.in.rows, kRows * kRowWarps),
                    blocks_for(routing.experts, kExperts * kExpertWarps));
    dispatch(op.in.type, whole, [&](auto zero, auto wide) {
      launch_early(score<decltype(zero), wide>, grid, kThreads, 0, stream, op.in, weight, op.out,
                   routing.experts);
    });
  }
  check_launch("a router's scores");
  launch_choose(op, stream);
  launch_early(place, dim3(routing.experts), kThreads, 0, stream, op.routes,
               op.in.rows * routing.chosen, routing.chosen);
  check_launch("ordering rows by expert");
}

}  // namespace umf
