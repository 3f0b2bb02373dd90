// The plain values that cross the backend seam: host tensors, activations, predictions.
#pragma once

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "base/random.h"
#include "base/token.h"

namespace umf {

// kF8 (one sign, four exponent, three mantissa bits) is how an approximate backend holds what the
// products inside layers multiply; no file and no other operation has it. The types from kQ4_0 on
// are GGUF's blocks (blocks.h): weights alone, and rows are whole blocks.
enum class DType : std::uint8_t {
  kF32,
  kF16,
  kBF16,
  kF8,
  kQ4_0,
  kQ4_1,
  kQ5_0,
  kQ5_1,
  kQ8_0,
  kQ4_K,
  kQ5_K,
  kQ6_K
};

struct DTypeFacts {
  std::string_view name;
  int block_elements, block_bytes;
};
inline constexpr DTypeFacts kDTypes[] = {
    {"F32", 1, 4},    {"F16", 1, 2},      {"BF16", 1, 2},     {"F8_E4M3", 1, 1},
    {"Q4_0", 32, 18}, {"Q4_1", 32, 20},   {"Q5_0", 32, 22},   {"Q5_1", 32, 24},
    {"Q8_0", 32, 34}, {"Q4_K", 256, 144}, {"Q5_K", 256, 176}, {"Q6_K", 256, 210},
};
constexpr const DTypeFacts& facts_of(DType type) { return kDTypes[static_cast<int>(type)]; }

constexpr std::string_view name_of(DType type) { return facts_of(type).name; }
constexpr bool is_quantised(DType type) { return type >= DType::kQ4_0; }
// Whether blocks have a minimum, which their numbers are counted from, beside their factor.
constexpr bool has_minimum(DType type) {
  return type == DType::kQ4_1 || type == DType::kQ5_1 || type == DType::kQ4_K ||
         type == DType::kQ5_K;
}
// Of a block; a number of a plain type is a block of its own.
constexpr int block_elements(DType type) { return facts_of(type).block_elements; }
constexpr std::size_t block_bytes(DType type) { return facts_of(type).block_bytes; }
// Of a row, which is whole blocks.
constexpr std::size_t row_bytes(DType type, int cols) {
  return static_cast<std::size_t>(cols) / block_elements(type) * block_bytes(type);
}
// Of a number of a plain type: a quantised one has no bytes of its own.
constexpr std::size_t size_of(DType type) {
  assert(!is_quantised(type));
  return block_bytes(type);
}

// A row-major matrix in a mapped file (a vector has one row). The memory outlives every handle that
// a backend makes from it; `data` is aligned to the element size and no more (blocks: to nothing).
struct HostTensor {
  const std::byte* data = nullptr;
  DType type = DType::kF32;
  int rows = 0, cols = 0;
};

// Called while weights are copied to a device, with the bytes copied so far.
using WeightsCopied = std::function<void(std::uint64_t bytes)>;

// Memory of a backend that holds activations; given back when the last owner goes.
using Memory = std::shared_ptr<void>;

// Activations: `rows` x `cols` numbers, row-major, rows `stride` numbers apart, in the memory of
// the backend that allocated them. A view: copying it copies no numbers.
struct Matrix {
  Memory memory;
  std::size_t offset = 0;  // of the first element, in elements
  int rows = 0, cols = 0, stride = 0;
  DType type = DType::kF32;
  std::size_t scales = 0;  // kF8: where the rows' factors (f32) stand in `memory`, in factors

  Matrix columns(int first, int count) const {
    return {memory, offset + first, rows, count, stride, type, scales};
  }
  Matrix row_range(int first, int count) const {
    return {
        memory,        offset + static_cast<std::size_t>(first) * stride, count, cols, stride, type,
        scales + first};
  }
};

// Which keys a query may see. `block` is the block length of kBlockCausal.
enum class AttentionKind : std::uint8_t { kFull, kCausal, kBlockCausal };

struct AttentionShape {
  int heads = 0, kv_heads = 0, head_dim = 0;
  AttentionKind kind = AttentionKind::kFull;
  int block = 1;
  bool operator==(const AttentionShape&) const = default;

  // One past the last key that the query at `position` sees, among keys 0 .. length-1.
  int visible_keys(int position, int length) const {
    switch (kind) {
      case AttentionKind::kCausal:
        return position + 1 < length ? position + 1 : length;
      case AttentionKind::kBlockCausal: {
        const int end = (position / block + 1) * block;
        return end < length ? end : length;
      }
      case AttentionKind::kFull:
        break;
    }
    return length;
  }
};

// Frequencies for texts longer than those that a model was first trained on (YaRN). Numbers that
// turn `fast` times or more within `length` positions are turned as ever, those that turn `slow`
// times or less by their frequency over `factor`, and those between by something between.
struct RotationStretch {
  double factor = 1;
  int length = 0;
  double fast = 32, slow = 1;
  bool whole_pairs = true;  // what is between begins and ends with a pair, not inside of one
  bool operator==(const RotationStretch&) const = default;
};

// Rotated numbers grow with the position p: by the factor 1 + share * ln(1 + floor(p / length)).
struct RotationGrowth {
  double share = 0;
  int length = 1;
  bool operator==(const RotationGrowth&) const = default;
};

// Which numbers of a head are turned with its position: the first `rotated` (0: all of them), the
// first half of these paired with the second, by frequencies of base `theta`.
struct RotationShape {
  int head_dim = 0;
  double theta = 0;
  int rotated = 0;
  std::optional<RotationStretch> stretch = {};
  std::optional<RotationGrowth> growth = {};

  int width() const { return rotated > 0 ? rotated : head_dim; }
};

// How a router's scores of the experts become a choice and its weights
// (docs/models.md#mixtures-of-experts). Ties go to the lowest.
struct Routing {
  int experts = 0, chosen = 0;
  bool sigmoid = false;     // every score by itself; otherwise a softmax over all experts
  bool normalised = false;  // the weights of the chosen are divided by their sum
  float scale = 1;          // and multiplied by this
  // Of so many groups of consecutive experts those with the best two experts are kept, and no
  // others are chosen from.
  int groups = 1, kept_groups = 1;
  bool operator==(const Routing&) const = default;
};

// An expert that a row goes to, and its part in the result.
struct ExpertShare {
  int expert = 0;
  float weight = 0;
  bool operator==(const ExpertShare&) const = default;
};

// The widths of a transformer, by which a backend decides how to compute it.
struct ModelShape {
  int hidden = 0, mlp = 0, vocabulary = 0;
  AttentionShape attention;
};

// How logits become a prediction (docs/models.md#predictions). Applied in this order: `never`,
// `bias`, then the candidate; then the scores.
struct Sampling {
  float temperature = 0;  // 0: the most probable token; otherwise a draw, by Gumbel noise
  float top_p = 1;        // of the tempered probabilities; 1 keeps all
  int top_k = 0;          // 0 keeps all
  // Scores from the tempered and filtered probabilities (Dream), or from the plain softmax (LLaDA).
  bool tempered_scores = false;
  std::vector<Token> never;                   // can neither be chosen nor hold probability
  std::vector<std::pair<Token, float>> bias;  // added to the logit before the temperature
  std::vector<Token> last;         // may be chosen, but hold no probability: confidence 0
  NoiseKey noise;                  // used when temperature > 0
  bool plain_probability = false;  // whether the prediction's `probability` is wanted
};

// What the model says about one position, as the strategies need it.
struct Prediction {
  Token token = 0;
  float confidence = 0;  // probability of `token`
  float margin = 0;      // largest minus second largest probability
  float entropy = 0;     // -sum p ln(p + 1e-10)
  // Of `token` at temperature 1 among all that may be chosen, unfiltered, `last` ones included: how
  // sure the model is, however the token was drawn. 0 where it is not wanted.
  float probability = 0;
  bool operator==(const Prediction&) const = default;
};

}  // namespace umf
