// Products of few rows on compute capability 9.0, with weights in bf16 or in blocks.
#pragma once

#include <cuda_runtime_api.h>

#include <vector>

#include "backend/cuda/view.h"

namespace umf {

// The kernels worth a trial for so many rows: none where they cannot do this product.
std::vector<int> few_rows_kernels(const Operation& op, int rows);
void launch_few_rows_product(const Operation& op, int kernel, cudaStream_t stream);

}  // namespace umf
