// Attention kernels that need bf16, 64 or 128 numbers per head, and aligned rows.
#pragma once

#include "backend/cuda/kernels.h"

namespace umf {

void launch_attention_mma(const Operation& op, cudaStream_t stream);
// Compute capability 9.0 and 128 numbers per head.
void launch_attention_wgmma(const Operation& op, cudaStream_t stream);

}  // namespace umf
