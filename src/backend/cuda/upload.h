// Weights on their way from the mapped file to the device: once, in pieces, through page-locked
// memory, so that reading the file and copying go on side by side.
#pragma once

#include <cuda_runtime_api.h>

#include "backend/cuda/memory.h"
#include "backend/cuda/parallel_copy.h"
#include "backend/tensor.h"

namespace umf {

class Uploader {
 public:
  explicit Uploader(cudaStream_t stream);
  ~Uploader();
  Uploader(const Uploader&) = delete;
  Uploader& operator=(const Uploader&) = delete;

  // The numbers of `tensor`, packed, at `to` in `type`. The host's memory has been read on return.
  // `copied` hears of the bytes of all tensors so far.
  void copy(const HostTensor& tensor, DType type, void* to, const WeightsCopied& copied);

 private:
  struct Lane {
    PinnedArray host;
    DeviceArray device;  // numbers of another type wait here for their conversion
    cudaEvent_t free = nullptr;
    explicit Lane();
    ~Lane() { cudaEventDestroy(free); }
  };
  static constexpr int kLanes = 3;
  cudaStream_t stream_;
  Lane lanes_[kLanes];
  int next_ = 0;
  ParallelCopy parallel_copy_;
  std::uint64_t bytes_ = 0;
};

}  // namespace umf
