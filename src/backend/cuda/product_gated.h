// Gate and up projections of many rows with their activation in one kernel, on compute capability
// 9.0.
#pragma once

#include <cuda_runtime_api.h>

#include "backend/cuda/view.h"

namespace umf {

// Whether the kernel can do this kGatedProduct.
bool has_gated_kernel(const Operation& op);
void launch_gated_kernel(const Operation& op, cudaStream_t stream);

}  // namespace umf
