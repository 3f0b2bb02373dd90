// By which angles the numbers of a head are turned, for every backend alike
// (docs/models.md#rotation).
#pragma once

#include <vector>

#include "backend/tensor.h"

namespace umf {

// One per pair of rotated numbers, rounded to f32: the angle at position p is p times it.
std::vector<float> rotation_frequencies(const RotationShape& shape);

// What cos and sin at the position are multiplied by.
double rotation_size(const RotationShape& shape, int position);

}  // namespace umf
