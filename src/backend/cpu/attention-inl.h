// Softmax attention with queries in the lanes: no sum ever crosses lanes, so all targets round
// alike.
#if defined(UMF_CPU_ATTENTION_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef UMF_CPU_ATTENTION_INL_H
#undef UMF_CPU_ATTENTION_INL_H
#else
#define UMF_CPU_ATTENTION_INL_H
#endif

#include <algorithm>
#include <cmath>

#include "backend/cpu/matmul-inl.h"

HWY_BEFORE_NAMESPACE();
namespace umf {
namespace HWY_NAMESPACE {

// The query heads that share a kv head stand side by side in the lanes: lane l of a kv head is head
// l % group of query row l / group. A task is one kv head and kPanel lanes.
inline int attention_tiles(const AttentionJob& job) {
  const int group = job.shape.heads / job.shape.kv_heads;
  return (job.query_rows * group + static_cast<int>(kPanel) - 1) / static_cast<int>(kPanel);
}

inline std::size_t attention_scratch(const AttentionJob& job) {
  return (job.keys + 2 * static_cast<std::size_t>(job.shape.head_dim) + kTileRows) * kPanel;
}

// What a product takes of weights that stand in lanes, and a step of it.
template <class T>
HWY_INLINE VF as_factor(VF weight) {
  return std::is_same_v<T, float> ? weight : round_to_bf16(F32(), weight);
}
template <class T>
HWY_INLINE VF step_of(const VF (&factors)[kPerStep<T>]) {
#if UMF_CPU_PAIRS
  if constexpr (kPerStep<T> == 2) return join_pairs(factors[0], factors[1]);
#endif
  return factors[0];
}

// Weights exp(scale * (score - max)) for the keys that a lane sees, 0 for the others, in the place
// of scores[key][lane] and as a product takes them: [step][lane]. Sums over ascending keys. `all`
// keys are seen by every lane.
template <class T>
inline void softmax(float* scores, const float* visible, int all, int keys, float scale,
                    float* inverse_sums) {
  const F32 d;
  constexpr int kKeys = static_cast<int>(kPerStep<T>);
  for (std::size_t v = 0; v < kPanel; v += kLanes) {
    const VF seen = hn::LoadU(d, visible + v);
    VF top = set(-kInfinity);
    for (int key = 0; key < all; ++key) top = hn::Max(top, hn::LoadU(d, scores + key * kPanel + v));
    for (int key = all; key < keys; ++key) {
      const VF score = hn::LoadU(d, scores + key * kPanel + v);
      const VF masked =
          hn::IfThenElse(hn::Lt(set(static_cast<float>(key)), seen), score, set(-kInfinity));
      hn::StoreU(masked, d, scores + key * kPanel + v);
      top = hn::Max(top, masked);
    }
    VF sum = hn::Zero(d);
    float* to = scores + v;
    for (int key = 0; key < keys; key += kKeys, to += kPanel) {
      VF factors[kKeys];
      for (int i = 0; i < kKeys; ++i) {
        factors[i] = hn::Zero(d);
        if (key + i == keys) break;
        const VF score = hn::LoadU(d, scores + (key + i) * kPanel + v);
        factors[i] = as_factor<T>(exp(hn::Mul(hn::Sub(score, top), set(scale))));
        sum = hn::Add(sum, factors[i]);
      }
      hn::StoreU(step_of<T>(factors), d, to);
    }
    hn::StoreU(hn::Div(set(1.0f), sum), d, inverse_sums + v);
  }
}

// Values for a product over keys: step `step` of [steps][dims], from rows that are keys.
template <class T>
inline void pack_values(const PackJob& job, int step) {
  const std::size_t dims = job.depth;
  const int key = step * static_cast<int>(kPerStep<T>);
  const float* first = job.rows + key * job.stride;
  const float* second = key + 1 < job.count ? first + job.stride : nullptr;
  float* to = job.packed + step * dims;
  for (std::size_t dim = 0; dim < dims; dim += kLanes) {
    VF factors[kPerStep<T>];
    factors[0] = as_factor<T>(load_first(first + dim, dims - dim));
    if constexpr (kPerStep<T> == 2) {
      factors[1] = second ? as_factor<T>(load_first(second + dim, dims - dim)) : hn::Zero(F32());
    }
    store_first(step_of<T>(factors), to + dim, dims - dim);
  }
}

// rows[lane][0 .. dims) = transposed[dim][lane] for `lanes` lanes.
inline void store_transposed(const float* transposed, int dims, int lanes, float* const* rows) {
  int lane = 0;
#if HWY_TARGET != HWY_SCALAR
  const hn::FixedTag<float, 4> d;
  using VQ = hn::Vec<decltype(d)>;
  for (; lane + 4 <= lanes; lane += 4) {
    for (int dim = 0; dim < dims; dim += 4) {
      const float* from = transposed + dim * kPanel + lane;
      VQ a = hn::LoadU(d, from), b = hn::LoadU(d, from + kPanel);
      VQ c = hn::LoadU(d, from + 2 * kPanel), e = hn::LoadU(d, from + 3 * kPanel);
      transpose_quads(d, a, b, c, e);
      hn::StoreU(a, d, rows[lane] + dim);
      hn::StoreU(b, d, rows[lane + 1] + dim);
      hn::StoreU(c, d, rows[lane + 2] + dim);
      hn::StoreU(e, d, rows[lane + 3] + dim);
    }
  }
#endif
  for (; lane < lanes; ++lane) {
    for (int dim = 0; dim < dims; ++dim) rows[lane][dim] = transposed[dim * kPanel + lane];
  }
}

// `Numbers` are those of the weighted values. Scores are always exact: of all that can be rounded,
// queries and keys move predictions most.
template <class Numbers>
inline void attend(const AttentionJob& job, int task, float* scratch) {
  using Weight = Activation<Numbers>;
  const F32 d;
  const int tiles = attention_tiles(job);
  const int kv_head = task / tiles;
  const int group = job.shape.heads / job.shape.kv_heads;
  const int dims = job.shape.head_dim;
  const int first_lane = task % tiles * static_cast<int>(kPanel);
  const int lanes = std::min<int>(kPanel, job.query_rows * group - first_lane);

  float* queries = scratch;                   // [dim][lane]
  float* weighted = queries + dims * kPanel;  // [dim][lane]
  float* scores = weighted + dims * kPanel;   // [key][lane]
  HWY_ALIGN float visible[kPanel];
  HWY_ALIGN float inverse_sums[kPanel];
  const float* query_rows[kPanel];
  float* out_rows[kPanel];
  int some = 0, all = job.keys;  // seen by one lane, by every lane
  for (int l = 0; l < static_cast<int>(kPanel); ++l) {
    const int lane = first_lane + std::min(l, lanes - 1);  // lanes past the last repeat it
    const int row = lane / group, head = kv_head * group + lane % group;
    query_rows[l] = job.queries + row * job.query_stride + static_cast<std::size_t>(head) * dims;
    out_rows[l] = job.out + row * job.out_stride + static_cast<std::size_t>(head) * dims;
    const int seen = job.shape.visible_keys(job.positions[row], job.keys);
    visible[l] = static_cast<float>(seen);
    some = std::max(some, seen);
    all = std::min(all, seen);
  }
  pack_columns<kPanel>(query_rows, dims, queries);

  // Scores: rows are keys.
  const float* packed_keys = job.packed_keys + kv_head * job.packed_stride;
  for (int key = 0; key < some; key += kTileRows) {
    const std::size_t held =
        std::min<std::size_t>(kTileRows, job.keys - key);  // in the packed tile
    const std::size_t count = std::min<std::size_t>(held, some - key);
    TileEnds ends;
    ends.end = scores + key * kPanel;
    tile_for<1>(count, kPanel)(packed_keys + static_cast<std::size_t>(key) * dims, held, queries,
                               dims, ends);
  }
  softmax<Weight>(scores, visible, all, some, 1.0f / std::sqrt(static_cast<float>(dims)),
                  inverse_sums);

  // Weighted values: rows are dimensions, and the depth is the keys.
  const float* values = job.values + kv_head * job.value_head_stride;
  for (int dim = 0; dim < dims; dim += kTileRows) {
    TileEnds ends;
    ends.end = weighted + dim * kPanel;
    const std::size_t count = std::min<std::size_t>(kTileRows, dims - dim);
    tile_for<kPerStep<Weight>>(count, kPanel)(values + dim, job.value_stride, scores,
                                              steps<Weight>(some), ends);
  }
  // Adding 0 makes -0 into +0: keys of weight 0 would otherwise show in the sign of a zero.
  for (std::size_t v = 0; v < kPanel; v += kLanes) {
    const VF inverse = hn::LoadU(d, inverse_sums + v);
    for (int dim = 0; dim < dims; ++dim) {
      float* at = weighted + dim * kPanel + v;
      hn::StoreU(fma(hn::LoadU(d, at), inverse, hn::Zero(d)), d, at);
    }
  }
  store_transposed(weighted, dims, lanes, out_rows);
}

}  // namespace HWY_NAMESPACE
}  // namespace umf
HWY_AFTER_NAMESPACE();

#endif  // UMF_CPU_ATTENTION_INL_H
