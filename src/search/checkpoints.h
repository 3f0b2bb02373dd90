// The places of a rollout where a search may branch: mask counts, from many to few.
#pragma once

#include <span>
#include <string_view>
#include <vector>

namespace umf {

// The published schedule, in thousandths of the window.
inline constexpr int kPaperRatios[] = {900, 800, 700, 600, 500, 400, 200};

// "0.9,0.8,0.25" in thousandths. Throws Error unless every ratio lies between 0 and 1, has at most
// three decimals and is below the one before.
std::vector<int> parse_ratios(std::string_view text);

// The masks left at each checkpoint, strictly falling, all between 0 and `window` exclusively.
// Integers throughout, so that no platform rounds differently. With blocks a checkpoint moves to
// the end of the block it falls into; 0, or a block as long as the window, means no blocks.
std::vector<int> checkpoint_targets(int window, std::span<const int> ratios_in_thousandths,
                                    int block_length);

// The largest target below `masks`; 0 when none is left.
int next_target(std::span<const int> targets, int masks);

}  // namespace umf
