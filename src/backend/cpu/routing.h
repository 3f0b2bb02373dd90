// From a router's scores to the experts of one row.
#pragma once

#include <span>

#include "backend/cpu/kernels.h"

namespace umf {

// The experts that a row goes to, ascending, from its scores, of which nothing is left. `choice` is
// room for as many numbers; `bias` may be null. All in f32 and in one order, so that every machine
// chooses alike.
void choose_experts(const Kernels& kernels, const Routing& routing, const float* bias,
                    std::span<float> scores, std::span<float> choice,
                    std::span<ExpertShare> chosen);

}  // namespace umf
