#include "model/expert_stacks.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include "base/error.h"

namespace umf {
namespace {

// Splits one tensor, (experts, rows, columns), into those that `name_of` says.
template <class NameOf>
void split_stack(const std::string& stack, int experts, Weights& weights, const NameOf& name_of) {
  const auto found = weights.tensors().find(stack);
  if (found == weights.tensors().end()) return;
  const auto& shape = found->second.shape;
  if (shape.size() != 3 || shape.front() != experts) {
    throw Error(
        fmt::format("{}: tensor '{}' has shape [{}], but the configuration says that there "
                    "are {} experts",
                    weights.where(), stack, fmt::join(shape, ", "), experts));
  }
  std::vector<std::string> parts;
  for (int expert = 0; expert < experts; ++expert) parts.push_back(name_of(expert));
  weights.split(stack, parts);
}

}  // namespace

void split_stacks(const TensorNames& names, const Architecture& a, Weights& weights) {
  if (!a.mixture) return;
  const int experts = a.mixture->routing.experts;
  const ExpertNames& e = names.experts;
  for (int layer = 0; layer < a.layers; ++layer) {
    const std::string prefix = fmt::format("{}{}.", names.layer, layer);
    const auto named = [&](const std::string& matrix) {
      return [&, matrix](int n) { return fmt::format("{}{}{}.{}", prefix, e.expert, n, matrix); };
    };
    const auto split = [&](const std::string& stack, const std::string& matrix) {
      if (!stack.empty()) split_stack(prefix + stack, experts, weights, named(matrix));
    };
    split(e.stacked_gate, e.gate);
    split(e.stacked_up, e.up);
    split(e.stacked_down, e.down);
    if (e.stacked_gate_up.empty() || !weights.contains(prefix + e.stacked_gate_up)) continue;
    const std::string both = "gate_up";
    split(e.stacked_gate_up, both);
    for (int n = 0; n < experts; ++n)
      weights.split(named(both)(n), {named(e.gate)(n), named(e.up)(n)});
  }
}

}  // namespace umf
