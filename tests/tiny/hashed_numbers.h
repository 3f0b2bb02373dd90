// Numbers that only look random: the logits of scripted models, apart because tests are not
// optimised and these are asked for by the million.
#pragma once

#include <span>

#include "base/random.h"

namespace umf {

// out[i] = 4 u, with u between 0 and 1 from the noise of `key` at (position, i).
void hashed_numbers(const NoiseKey& key, int position, std::span<float> out);

}  // namespace umf
