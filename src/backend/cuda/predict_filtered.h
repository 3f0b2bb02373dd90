// Predictions from the most probable tokens alone (top-p, top-k).
#pragma once

#include "backend/cuda/kernels.h"

namespace umf {

void launch_predict_filtered(const View& logits, const int* positions,
                             const DeviceSampling& sampling, Prediction* out, cudaStream_t stream);

}  // namespace umf
