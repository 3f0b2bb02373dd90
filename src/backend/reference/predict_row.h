// From one row of logits to one prediction, in double precision, as the definition reads.
#pragma once

#include <span>

#include "backend/tensor.h"

namespace umf {

// `position` is the noise position of the row. See Sampling for the order of the steps.
Prediction predict_row(std::span<const float> logits, int position, const Sampling& sampling);

}  // namespace umf
