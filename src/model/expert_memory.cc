#include "model/expert_memory.h"

#include <fmt/core.h>

namespace umf {

ExpertMemory expert_memory(const Checkpoint& checkpoint) {
  const Architecture& a = checkpoint.architecture;
  ExpertMemory memory;
  for (int layer = 0; layer < a.layers; ++layer) {
    if (!a.has_experts(layer)) continue;
    const std::string prefix =
        fmt::format("{}{}.{}", checkpoint.names.layer, layer, checkpoint.names.experts.expert);
    const auto& tensors = checkpoint.weights.tensors();
    for (auto at = tensors.lower_bound(prefix);
         at != tensors.end() && at->first.starts_with(prefix); ++at)
      memory.bytes += at->second.bytes.size();
  }
  memory.active_parameters = checkpoint.weights.parameters();
  const Routing& routing = a.mixture->routing;
  const std::uint64_t idle =
      3ull * a.hidden * a.mixture->width * (routing.experts - routing.chosen);
  for (int layer = 0; layer < a.layers; ++layer)
    if (a.has_experts(layer)) memory.active_parameters -= idle;
  return memory;
}

}  // namespace umf
