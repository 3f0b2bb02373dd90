// What kernels are given: matrices as plain pointers, and the record of one operation.
#pragma once

#include <cstddef>
#include <cstdint>

#include "backend/tensor.h"

namespace umf {

// A Matrix on the device without its owner.
struct View {
  void* data = nullptr;
  DType type = DType::kF32;
  int rows = 0, cols = 0, stride = 0;  // in elements
  float* scales = nullptr;             // kF8: one factor per row
  bool operator==(const View&) const = default;
};

inline View view_of(const Matrix& m) {
  if (!m.memory) return {};
  const bool scaled = m.type == DType::kF8;
  return {static_cast<std::byte*>(m.memory.get()) + m.offset * size_of(m.type),
          m.type,
          m.rows,
          m.cols,
          m.stride,
          scaled ? static_cast<float*>(m.memory.get()) + m.scales : nullptr};
}

enum class OperationKind : std::uint8_t {
  kCopyRows,  // out[i] = in[integers[i]]: embed and gather
  kPutRows,   // out[integers[i]] = in[i]: scatter
  kNorm,
  kNormHeads,  // every head of `out` by itself, in place
  kNarrow,     // out = in as kF8
  kProduct,
  kGatedProduct,  // of gate and up, activated; `room` may hold what is not
  kRotate,
  kAttend,
  kGatedSilu,
  kRelu,
  kRoute,               // in's rows to experts; `out` is room for scores
  kExpertProduct,       // out[place] = in[the place's row, or the place] W^T with W of its expert
  kGatedExpertProduct,  // the same of gate and up, activated
  kExpertSum,           // out[row] += the weighted sum of in[place] over the row's places
};

// Where rows go (mixtures.h). A row's places and weights stand at row * chosen, experts ascending.
struct RoutesView {
  int* experts = nullptr;    // of each of a row's places
  float* weights = nullptr;  // the same
  int* places = nullptr;     // the same: where it stands among the places of all experts
  int* rows = nullptr;       // of each place
  int* first = nullptr;      // place of each expert, and one behind the last
  bool operator==(const RoutesView&) const = default;
};

// One operation of a forward pass. Two passes whose operations are equal do the same work on the
// same memory, and differ at most in the numbers that stand there: a recording can be replayed.
struct Operation {
  OperationKind kind = OperationKind::kCopyRows;
  View in, keys, values, out, room;
  const void* weight = nullptr;     // (out.cols, in.cols) of a product; gains; cosines and sines
  DType weight_type = DType::kF32;  // of a product's weight
  bool weight_is_new = false;       // made on the device by what was started just before
  const void* bias = nullptr;       // in the type of `out`
  const float* weight_scales = nullptr;  // product of kF8: one factor per output
  bool add = false;                      // product: out += instead of out =
  float eps = 0;
  int head_dim = 0;
  int rotated = 0;  // kRotate: of a head's numbers
  AttentionShape shape;
  const int* integers = nullptr;  // tokens, rows or positions, on the device
  Routing routing;                // of mixtures
  RoutesView routes;
  bool by_rows = false;  // kExpertProduct: `in` has a row per row, not one per place
  bool operator==(const Operation&) const = default;
};

}  // namespace umf
