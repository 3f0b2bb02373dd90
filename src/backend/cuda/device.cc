#include "backend/cuda/device.h"

#include <cuda.h>
#include <cuda_runtime_api.h>
#include <dlfcn.h>
#include <fmt/core.h>

#include <algorithm>
#include <cstdlib>

#include "backend/cuda/check.h"
#include "backend/cuda/cublaslt.h"
#include "backend/cuda/cuda_backend.h"

namespace umf {
namespace {

// What the driver reads when it starts: as many workers' streams as it can keep apart.
void prepare_driver() { ::setenv("CUDA_DEVICE_MAX_CONNECTIONS", "32", /*overwrite=*/0); }

DeviceFacts facts_of(int device) {
  cudaDeviceProp properties{};
  if (cudaGetDeviceProperties(&properties, device) != cudaSuccess) {
    cudaGetLastError();
    return {.name = "a GPU", .objection = fmt::format("GPU {} does not answer", device)};
  }
  DeviceFacts facts{.name = properties.name,
                    .capability = fmt::format("{}.{}", properties.major, properties.minor),
                    .memory = properties.totalGlobalMem,
                    .processors = properties.multiProcessorCount};
  if (properties.major < 8)
    facts.objection = fmt::format("{} has compute capability {}; 8.0 or later is needed",
                                  facts.name, facts.capability);
  return facts;
}

// Why no device will do: the first one's reason.
std::string objection_of(const std::vector<DeviceFacts>& devices) {
  if (devices.empty()) return "no NVIDIA GPU is visible to this process";
  const bool usable = std::ranges::any_of(
      devices, [](const DeviceFacts& device) { return device.objection.empty(); });
  return usable ? "" : devices.front().objection;
}

// Whether the process has started the device. Where the driver does not tell: no.
bool is_in_use(int device) {
  using State = decltype(&cuDevicePrimaryCtxGetState);
  static const State state = []() -> State {  // not by the runtime, which might start a device
    void* const driver = ::dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    return driver ? reinterpret_cast<State>(::dlsym(driver, "cuDevicePrimaryCtxGetState"))
                  : nullptr;
  }();
  unsigned flags = 0;
  int active = 0;
  return state != nullptr && state(device, &flags, &active) == CUDA_SUCCESS && active != 0;
}

// The device to come back to, or -1.
int make_current(int device, cudaError_t& status) {
  int before = -1;
  status = cudaGetDevice(&before);
  if (status != cudaSuccess || before == device) return -1;
  const bool comes_back = is_in_use(before);
  status = cudaSetDevice(device);
  return status == cudaSuccess && comes_back ? before : -1;
}

}  // namespace

int current_device() {
  int device = 0;
  check(cudaGetDevice(&device), "asking for the thread's GPU");
  return device;
}

int current_capability() {
  int major = 0;
  check(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, current_device()),
        "asking for the compute capability");
  return major;
}

void start_device(int device) {
  // A thread that waits for the device sleeps: its core judges answers meanwhile.
  check(cudaInitDevice(device, cudaDeviceScheduleBlockingSync, cudaInitDeviceFlagsAreValid),
        "starting a GPU");
}

DeviceScope::DeviceScope(int device) {
  cudaError_t status = cudaSuccess;
  before_ = make_current(device, status);
  check(status, "choosing a GPU");
}

DeviceScope::DeviceScope(int device, const std::nothrow_t&) noexcept {
  cudaError_t status = cudaSuccess;
  before_ = make_current(device, status);
}

DeviceScope::~DeviceScope() {
  if (before_ >= 0) cudaSetDevice(before_);
}

std::vector<DeviceFacts> cuda_devices() {
  prepare_driver();
  int count = 0;
  if (cudaGetDeviceCount(&count) != cudaSuccess) return {};
  std::vector<DeviceFacts> devices;
  for (int device = 0; device < count; ++device) devices.push_back(facts_of(device));
  return devices;
}

std::vector<DeviceFacts> cuda_fp8_devices() {
  std::vector<DeviceFacts> devices = cuda_devices();
  for (DeviceFacts& device : devices) {
    if (!device.objection.empty() || device.capability.starts_with("9.")) continue;
    device.objection = fmt::format(
        "{} has compute capability {}; products of 8-bit numbers with a factor per row need 9.0 "
        "(Hopper)",
        device.name, device.capability);
  }
  return devices;
}

std::string cuda_objection() {
  prepare_driver();
  int count = 0;
  if (const cudaError_t status = cudaGetDeviceCount(&count); status != cudaSuccess)
    return fmt::format("no usable NVIDIA driver ({})", cudaGetErrorString(status));
  const std::string objection = objection_of(cuda_devices());
  return objection.empty() ? cublaslt_objection() : objection;
}

std::string cuda_fp8_objection() {
  const std::string objection = cuda_objection();
  return objection.empty() ? objection_of(cuda_fp8_devices()) : objection;
}

std::uint64_t cuda_memory_in_use(int device) {
  const DeviceScope scope(device, std::nothrow);
  std::size_t free = 0, all = 0;
  return cudaMemGetInfo(&free, &all) == cudaSuccess ? all - free : 0;
}

}  // namespace umf
