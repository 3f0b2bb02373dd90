// CUDA's status codes become Errors.
#pragma once

#include <cuda_runtime_api.h>

#include <string>

#include "base/error.h"

namespace umf {

inline void check(cudaError_t status, const char* what) {
  if (status == cudaSuccess) return;
  // The runtime remembers it, too, and would tell it of the next kernel, where the device is still
  // usable.
  cudaGetLastError();
  std::string message = std::string("cuda: ") + what + " failed: " + cudaGetErrorString(status);
  if (status == cudaErrorMemoryAllocation) {
    message +=
        ". Use fewer models or shorter windows, free the GPU's memory, or pass --backend cpu";
  }
  throw Error(message);
}

}  // namespace umf
