// Products of gate and up projections with their activation: as one kernel where that has the bits
// of the two and is faster.
#pragma once

#include <cuda_runtime_api.h>

#include <map>

#include "backend/cuda/memory.h"
#include "backend/cuda/product.h"
#include "backend/cuda/view.h"

namespace umf {

class GatedProducts {
 public:
  GatedProducts(Products& products, DevicePool& pool, cudaStream_t stream)
      : products_(products), pool_(pool), stream_(stream) {}

  void prepare(const Operation& op);  // as Products does
  void launch(const Operation& op);   // prepared

 private:
  void launch_both(const Operation& op);
  bool is_faster(const Operation& op, int rows);

  Products& products_;
  DevicePool& pool_;
  cudaStream_t stream_;
  std::map<ProductShape, bool> fused_;  // whether it is one kernel
};

}  // namespace umf
