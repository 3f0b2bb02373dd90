// What the driver sees. The kernels are not written yet, so the backend always objects.
#include <cuda_runtime_api.h>
#include <fmt/core.h>

#include "backend/cuda/cuda_backend.h"
#include "base/error.h"

namespace umf {

std::string cuda_objection() {
  int count = 0;
  if (const cudaError_t status = cudaGetDeviceCount(&count); status != cudaSuccess) {
    return fmt::format("no usable NVIDIA driver ({})", cudaGetErrorString(status));
  }
  if (count == 0) return "no NVIDIA GPU is visible to this process";
  cudaDeviceProp device{};
  if (cudaGetDeviceProperties(&device, 0) != cudaSuccess) return "the first GPU does not answer";
  return fmt::format(
      "found {} ({} GiB), but this version has no CUDA kernels yet; use the cpu backend",
      device.name, device.totalGlobalMem >> 30);
}

std::unique_ptr<Backend> make_cuda_backend() { throw Error("backend 'cuda': " + cuda_objection()); }

}  // namespace umf
