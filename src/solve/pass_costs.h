// What simulated rollouts cost where a pass may commit several masks.
#pragma once

#include <span>
#include <vector>

namespace umf {

// How many passes one action takes to fill a window, as a function of the masks that are left: so a
// rollout that is taken up at one of its own states repeats the rest of its passes. Between levels
// the passes are spread evenly. A rollout from any state takes what its levels say, rounded to a
// whole number, at least one (docs/algorithm.md#simulating-parallel-commits).
class PassCosts {
 public:
  // `level_masks`: left at each level, the window first and 0 last. `level_passes`: by level, what
  // going from there to the next takes; finite, not negative, may be fractions.
  PassCosts(std::span<const int> level_masks, std::span<const double> level_passes);

  // To the end.
  int passes_from(int masks) const { return passes_[masks]; }
  // The masks left after the next commits. They take one pass, or more where one level has more
  // passes than masks.
  int masks_after(int masks) const { return next_[masks]; }
  // Whether every pass commits one mask.
  bool commits_one() const;

 private:
  std::vector<int> passes_, next_;  // by masks
};

// The same number of masks in every pass, on average.
PassCosts costs_at(double cells_per_pass, std::span<const int> level_masks);

}  // namespace umf
