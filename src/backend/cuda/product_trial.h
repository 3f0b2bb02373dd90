// One product done in several ways, with the same noise as input: which of them give the bits of
// the first, and how long they take.
#pragma once

#include <cuda_runtime_api.h>

#include <functional>
#include <optional>

#include "backend/cuda/memory.h"
#include "backend/cuda/view.h"

namespace umf {

class ProductTrial {
 public:
  static constexpr int kComparedRows = 256;
  // Does the product, if it can.
  using Way = std::function<bool(const Operation&)>;

  // Of `op` with `rows` rows. `room` is memory that may be written to, larger than the cache.
  ProductTrial(const Operation& op, int rows, const DeviceArray& room, DevicePool& pool,
               cudaStream_t stream);

  // The operation that ways are tried with.
  const Operation& tried() const { return tried_; }
  // The bits that are wanted: `usual` does the product of kComparedRows rows.
  void expect(const Way& usual);
  // Milliseconds of a way that gives these bits. Waits for the device.
  std::optional<float> time(const Way& way);

 private:
  void clear(const DeviceArray& out, int rows);
  float fastest(const Way& way);

  const DeviceArray& room_;
  cudaStream_t stream_;
  int rows_;
  std::size_t out_row_;  // bytes
  DeviceArray in_, out_, expected_, different_, scales_;
  Operation wanted_, tried_;
};

}  // namespace umf
