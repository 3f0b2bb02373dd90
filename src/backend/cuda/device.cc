// What the driver sees, and whether we can use it.
#include <cuda_runtime_api.h>
#include <fmt/core.h>

#include <cstdlib>

#include "backend/cuda/cublaslt.h"
#include "backend/cuda/cuda_backend.h"

namespace umf {
namespace {

// What the driver reads when it starts.
void prepare_driver() {
  // As many workers' streams as it can keep apart.
  ::setenv("CUDA_DEVICE_MAX_CONNECTIONS", "32", /*overwrite=*/0);
  // A thread that waits for the device sleeps: its core judges answers meanwhile.
  cudaSetDeviceFlags(cudaDeviceScheduleBlockingSync);
}

}  // namespace

std::string cuda_objection() {
  prepare_driver();
  int count = 0;
  if (const cudaError_t status = cudaGetDeviceCount(&count); status != cudaSuccess) {
    return fmt::format("no usable NVIDIA driver ({})", cudaGetErrorString(status));
  }
  if (count == 0) return "no NVIDIA GPU is visible to this process";
  cudaDeviceProp device{};
  if (cudaGetDeviceProperties(&device, 0) != cudaSuccess) return "the first GPU does not answer";
  if (device.major < 8) {
    return fmt::format("{} has compute capability {}.{}; 8.0 or later is needed", device.name,
                       device.major, device.minor);
  }
  return cublaslt_objection();
}

std::string cuda_fp8_objection() {
  if (std::string objection = cuda_objection(); !objection.empty()) return objection;
  cudaDeviceProp device{};
  cudaGetDeviceProperties(&device, 0);
  if (device.major == 9) return "";
  return fmt::format(
      "{} has compute capability {}.{}; products of 8-bit numbers with a factor per row need 9.0 "
      "(Hopper)",
      device.name, device.major, device.minor);
}

std::uint64_t cuda_memory_in_use() {
  std::size_t free = 0, all = 0;
  return cudaMemGetInfo(&free, &all) == cudaSuccess ? all - free : 0;
}

}  // namespace umf
