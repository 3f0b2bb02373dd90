// AttentionShape::visible_keys, on the device.
#pragma once

#include "backend/tensor.h"

namespace umf {

__device__ inline int visible(const AttentionShape& shape, int position, int keys) {
  int end = keys;
  if (shape.kind == AttentionKind::kCausal) end = position + 1;
  if (shape.kind == AttentionKind::kBlockCausal) end = (position / shape.block + 1) * shape.block;
  return end < keys ? end : keys;
}

}  // namespace umf
