// The tensors that a family's checkpoint has (docs/models.md#families).
#pragma once

#include <string>
#include <vector>

#include "tiny/safetensors_writer.h"
#include "tiny/tiny_models.h"

namespace umf {

// What a tensor holds decides its distribution.
enum class TinyRole { kWeight, kHead, kNorm, kBias, kRouter, kRouterBias };

struct TinyTensor {
  TensorHeader header;
  TinyRole role;
};

// In the order of the names, as the reference writer leaves them.
std::vector<TinyTensor> tiny_tensors(const TinySpec& spec, const TinyOptions& options);

}  // namespace umf
