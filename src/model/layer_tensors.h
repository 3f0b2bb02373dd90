// The tensors of a transformer, all found and checked before any is loaded.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "model/family.h"
#include "model/safetensors.h"

namespace umf {

// What a layer does not have is empty, or has no data.
struct HostLayer {
  HostTensor attention_norm, mlp_norm, attention_out, query_norm, key_norm;
  std::vector<HostTensor> qkv, qkv_bias;
  std::vector<HostTensor> gate_up;
  HostTensor down;
  HostTensor router, router_bias;
  std::vector<std::vector<HostTensor>> experts_gate_up, experts_down;  // by expert
};

struct HostTransformer {
  HostTensor embedding, final_norm;
  std::vector<HostLayer> layers;
};

// Throws Error for a tensor that is missing or of another shape or type, for one that is neither
// the architecture's nor among `also`, and for routers with numbers that are none.
HostTransformer find_tensors(const Architecture& architecture, const TensorNames& names,
                             const Weights& weights, std::span<const std::string> also);

}  // namespace umf
