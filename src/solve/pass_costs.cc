#include "solve/pass_costs.h"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace umf {
namespace {

// By masks, from 0 to the window.
std::vector<double> exact_passes(std::span<const int> level_masks,
                                 std::span<const double> level_passes) {
  std::vector<double> passes = {0};
  for (std::size_t level = level_passes.size(); level-- > 0;) {
    const int top = level_masks[level], bottom = level_masks[level + 1];
    const double below = passes.back();
    for (int masks = bottom + 1; masks <= top; ++masks)
      passes.push_back(below + level_passes[level] * (masks - bottom) / (top - bottom));
  }
  return passes;
}

// The masks at which so many passes are left, as nearly as whole masks can say it; the fewest where
// several do.
int masks_with(const std::vector<double>& exact, int passes) {
  const auto above = std::ranges::lower_bound(exact, passes);
  const auto masks = static_cast<int>(above - exact.begin());
  return masks > 0 && passes - exact[masks - 1] < exact[masks] - passes ? masks - 1 : masks;
}

}  // namespace

PassCosts::PassCosts(std::span<const int> level_masks, std::span<const double> level_passes) {
  assert(level_masks.size() == level_passes.size() + 1);
  const std::vector<double> exact = exact_passes(level_masks, level_passes);
  passes_ = next_ = {0};
  for (int masks = 1; masks <= level_masks.front(); ++masks) {
    passes_.push_back(std::max(1, static_cast<int>(std::lround(exact[masks]))));
    int next = std::min(masks_with(exact, passes_[masks] - 1), masks - 1);
    while (passes_[next] == passes_[masks]) --next;
    next_.push_back(next);
  }
}

bool PassCosts::commits_one() const {
  for (int masks = 0; masks < static_cast<int>(passes_.size()); ++masks)
    if (passes_[masks] != masks) return false;
  return true;
}

PassCosts costs_at(double cells_per_pass, std::span<const int> level_masks) {
  std::vector<double> passes;
  for (std::size_t level = 0; level + 1 < level_masks.size(); ++level)
    passes.push_back((level_masks[level] - level_masks[level + 1]) / cells_per_pass);
  return {level_masks, passes};
}

}  // namespace umf
