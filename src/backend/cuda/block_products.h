// Products with quantised weights. They stay blocks in memory; how a product reads them depends on
// its rows, and its bits do not.
#pragma once

#include <cuda_runtime_api.h>

#include <functional>
#include <map>
#include <utility>
#include <vector>

#include "backend/cuda/memory.h"
#include "backend/cuda/product.h"
#include "backend/cuda/view.h"

namespace umf {

// Outputs whose weights are in bf16 at a time, at most. The same for every number of rows.
int outputs_at_once(int inputs);

// The bits are those of bf16 weights with the blocks' numbers, rounded: with many rows the weights
// of one product are put in bf16 in memory that all products share, and multiplied by the library.
// With few rows the way there and back would count; a kernel that reads blocks by itself is taken
// where it gives the same bits and is faster, both by measurement.
class BlockProducts {
 public:
  BlockProducts(Products& products, DevicePool& pool, cudaStream_t stream)
      : products_(products), pool_(pool), stream_(stream) {}

  // Before the first launch of such a shape. Waits for the device. `largest` is how many numbers
  // the largest weight has that will come.
  void prepare(const Operation& op, std::size_t largest);
  void launch(const Operation& op);  // prepared

 private:
  // A kernel that reads blocks; none: through bf16.
  using Way = std::function<void(const Operation&, cudaStream_t)>;
  using Key = std::pair<ProductShape, DType>;

  static Key key_of(const Operation& op);
  Way choose(const Operation& op, const ProductShape& shape);
  // use(product of bf16) for every part of the weight, which is in bf16 then.
  template <class Use>
  void for_parts(const Operation& op, const Use& use);

  Products& products_;
  DevicePool& pool_;
  cudaStream_t stream_;
  std::map<Key, Way> chosen_;
  std::vector<DeviceArray> scratch_;  // the last is used; recordings may refer to those before
};

}  // namespace umf
