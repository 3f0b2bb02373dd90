// GGUF's quantised blocks as numbers.
#pragma once

#include <cstddef>
#include <span>

#include "backend/tensor.h"

namespace umf {

// The numbers of out.size() / block_elements(type) blocks, bit for bit those of ggml. The products
// of every format are exact in f32 (a factor of 11 bits, a group's of at most 8 and an element
// together have at most 24), so that nothing is rounded but the addition of the minimum: in
// whatever order the factors meet, and fused or not, the bits are the same.
void dequantise(DType type, const std::byte* blocks, std::span<float> out);

}  // namespace umf
