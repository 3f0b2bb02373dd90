// Files that hold the matrices of all experts of a layer in one tensor.
#pragma once

#include "model/family.h"
#include "model/safetensors.h"

namespace umf {

// Puts the matrices of single experts in place of such tensors. One of another shape is an Error.
void split_stacks(const TensorNames& names, const Architecture& architecture, Weights& weights);

}  // namespace umf
