// Which attention kernel runs. The choice depends on the model and the GPU alone, never on the
// rows.
#include "backend/cuda/attention_fast.h"
#include "backend/cuda/device.h"
#include "backend/cuda/dispatch.cuh"

namespace umf {
namespace {

bool is_hopper() { return current_capability() == 9; }

}  // namespace

bool has_fast_attention(const Operation& op) {
  const bool dims = op.shape.head_dim == 64 || op.shape.head_dim == 128;
  return op.in.type == DType::kBF16 && dims && is_wide(op.in) && is_wide(op.keys) &&
         is_wide(op.values) && is_wide(op.out);
}

void launch_fast_attention(const Operation& op, cudaStream_t stream) {
  if (op.shape.head_dim == 128 && is_hopper())
    launch_attention_wgmma(op, stream);
  else
    launch_attention_mma(op, stream);
}

}  // namespace umf
