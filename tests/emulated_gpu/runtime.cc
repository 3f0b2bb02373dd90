#include "runtime.h"

#include <cuda.h>
#include <stdlib.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <map>
#include <mutex>
#include <utility>
#include <vector>

#include "block.h"

// The toolkit's own names for what is behind its handles.
struct CUgraph_st {
  std::vector<std::function<void()>> steps;
};
struct CUgraphExec_st : CUgraph_st {};
struct CUstream_st {
  CUgraph_st* recorded = nullptr;  // while the stream is being recorded
};
struct CUevent_st {
  std::chrono::steady_clock::time_point when;
};
struct CUmemPoolHandle_st {};

namespace umf::emulated {
namespace {

constexpr int kDevices = 2;
constexpr std::size_t kMemory = std::size_t{16} << 30;  // bytes of a device

thread_local int own_device = 0;
thread_local cudaError_t last_error = cudaSuccess;

cudaError_t ended(cudaError_t status) {
  if (status != cudaSuccess) last_error = status;
  return status;
}

// Memory of devices: whose it is, and how much.
class Memories {
 public:
  cudaError_t allocate(void** data, std::size_t bytes) {
    const std::lock_guard lock(mutex_);
    if (used_[own_device] + bytes > kMemory) return ended(cudaErrorMemoryAllocation);
    // 256 bytes are what the runtime promises.
    if (::posix_memalign(data, 256, std::max<std::size_t>(bytes, 1)) != 0)
      return ended(cudaErrorMemoryAllocation);
    std::memset(*data, 0xFF, bytes);  // NaN: nobody may count on zeros
    used_[own_device] += bytes;
    blocks_[*data] = {own_device, bytes};
    return cudaSuccess;
  }
  cudaError_t free(void* data) {
    if (!data) return cudaSuccess;
    const std::lock_guard lock(mutex_);
    const auto found = blocks_.find(data);
    if (found == blocks_.end()) return ended(cudaErrorInvalidValue);
    used_[found->second.device] -= found->second.bytes;
    blocks_.erase(found);
    ::free(data);
    return cudaSuccess;
  }
  std::size_t used() {
    const std::lock_guard lock(mutex_);
    return used_[own_device];
  }

 private:
  struct Entry {
    int device;
    std::size_t bytes;
  };
  std::mutex mutex_;
  std::map<void*, Entry> blocks_;
  std::size_t used_[kDevices] = {};
};

Memories& memories() {
  static auto* const all = new Memories;  // outlives every destructor that frees
  return *all;
}

}  // namespace

void run_on(cudaStream_t stream, std::function<void()> work) {
  if (stream && stream->recorded)
    stream->recorded->steps.push_back(std::move(work));
  else
    work();
}

void launch(std::function<void()> kernel, dim3 grid, dim3 block, std::size_t shared_bytes,
            cudaStream_t stream) {
  run_on(stream, [=] { run_grid(kernel, grid, block, shared_bytes); });
}

}  // namespace umf::emulated

using umf::emulated::ended;
using umf::emulated::kDevices;
using umf::emulated::kMemory;
using umf::emulated::memories;
using umf::emulated::own_device;
using umf::emulated::run_on;

// Devices.
cudaError_t cudaGetDeviceCount(int* count) { return *count = kDevices, cudaSuccess; }
cudaError_t cudaGetDevice(int* device) { return *device = own_device, cudaSuccess; }
cudaError_t cudaSetDevice(int device) {
  if (device < 0 || device >= kDevices) return ended(cudaErrorInvalidDevice);
  return own_device = device, cudaSuccess;
}
cudaError_t cudaInitDevice(int device, unsigned, unsigned) {
  return device < kDevices ? cudaSuccess : ended(cudaErrorInvalidDevice);
}
cudaError_t cudaGetDeviceFlags(unsigned* flags) {
  return *flags = cudaDeviceScheduleBlockingSync, cudaSuccess;
}
cudaError_t cudaGetDeviceProperties(cudaDeviceProp* facts, int device) {
  if (device < 0 || device >= kDevices) return ended(cudaErrorInvalidDevice);
  *facts = {};
  std::strcpy(facts->name, "emulated GPU");
  facts->major = 8;
  facts->totalGlobalMem = kMemory;
  facts->multiProcessorCount = 2;
  facts->l2CacheSize = 1 << 20;
  return cudaSuccess;
}
cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int) {
  switch (attribute) {
    case cudaDevAttrComputeCapabilityMajor:
      return *value = 8, cudaSuccess;
    case cudaDevAttrComputeCapabilityMinor:
      return *value = 0, cudaSuccess;
    case cudaDevAttrMultiProcessorCount:
      return *value = 2, cudaSuccess;
    case cudaDevAttrMaxSharedMemoryPerBlockOptin:
      return *value = umf::emulated::kSharedLimit, cudaSuccess;
    default:
      return ended(cudaErrorInvalidValue);
  }
}
cudaError_t cudaDeviceSynchronize() { return cudaSuccess; }
cudaError_t cudaGetLastError() { return std::exchange(umf::emulated::last_error, cudaSuccess); }
const char* cudaGetErrorString(cudaError_t status) {
  return status == cudaErrorMemoryAllocation ? "out of memory" : "refused by the emulated GPU";
}
cudaError_t cudaGetDriverEntryPointByVersion(const char*, void** function, unsigned,
                                             unsigned long long,
                                             cudaDriverEntryPointQueryResult* result) {
  *function = nullptr;
  if (result) *result = cudaDriverEntryPointSymbolNotFound;
  return ended(cudaErrorNotSupported);
}

// Memory.
cudaError_t cudaMalloc(void** data, size_t bytes) { return memories().allocate(data, bytes); }
cudaError_t cudaFree(void* data) { return memories().free(data); }
cudaError_t cudaMallocHost(void** data, size_t bytes) {
  return (*data = ::malloc(bytes)) ? cudaSuccess : ended(cudaErrorMemoryAllocation);
}
cudaError_t cudaFreeHost(void* data) { return ::free(data), cudaSuccess; }
cudaError_t cudaHostRegister(void*, size_t, unsigned) { return cudaSuccess; }
cudaError_t cudaHostUnregister(void*) { return cudaSuccess; }
cudaError_t cudaHostGetDevicePointer(void** seen, void* host, unsigned) {
  *seen = host;
  return cudaSuccess;
}
cudaError_t cudaMemGetInfo(size_t* free, size_t* all) {
  *all = kMemory;
  *free = kMemory - memories().used();
  return cudaSuccess;
}
cudaError_t cudaMemPoolCreate(cudaMemPool_t* pool, const cudaMemPoolProps*) {
  return *pool = new CUmemPoolHandle_st, cudaSuccess;
}
cudaError_t cudaMemPoolDestroy(cudaMemPool_t pool) {
  delete pool;
  return cudaSuccess;
}
cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t, cudaMemPoolAttr, void*) { return cudaSuccess; }
cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t, cudaMemPoolAttr, void* value) {
  *static_cast<std::uint64_t*>(value) = 0;  // what is freed goes back at once
  return cudaSuccess;
}
cudaError_t cudaMemPoolTrimTo(cudaMemPool_t, size_t) { return cudaSuccess; }
cudaError_t cudaMallocFromPoolAsync(void** data, size_t bytes, cudaMemPool_t, cudaStream_t) {
  return memories().allocate(data, bytes);
}
cudaError_t cudaFreeAsync(void* data, cudaStream_t) { return memories().free(data); }
cudaError_t cudaMemcpyAsync(void* to, const void* from, size_t bytes, cudaMemcpyKind,
                            cudaStream_t stream) {
  run_on(stream, [=] { std::memmove(to, from, bytes); });
  return cudaSuccess;
}
cudaError_t cudaMemcpy(void* to, const void* from, size_t bytes, cudaMemcpyKind kind) {
  return cudaMemcpyAsync(to, from, bytes, kind, nullptr);
}
cudaError_t cudaMemsetAsync(void* to, int value, size_t bytes, cudaStream_t stream) {
  run_on(stream, [=] { std::memset(to, value, bytes); });
  return cudaSuccess;
}

// Streams, events, recordings.
cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned) {
  return *stream = new CUstream_st, cudaSuccess;
}
cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  delete stream;
  return cudaSuccess;
}
cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  return stream && stream->recorded ? ended(cudaErrorStreamCaptureUnsupported) : cudaSuccess;
}
cudaError_t cudaStreamWaitEvent(cudaStream_t, cudaEvent_t, unsigned) { return cudaSuccess; }
cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode) {
  return stream->recorded = new CUgraph_st, cudaSuccess;
}
cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* graph) {
  return *graph = std::exchange(stream->recorded, nullptr), cudaSuccess;
}
cudaError_t cudaGraphInstantiate(cudaGraphExec_t* made, cudaGraph_t graph, unsigned long long) {
  return *made = new CUgraphExec_st{*graph}, cudaSuccess;
}
cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
  delete graph;
  return cudaSuccess;
}
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t graph) {
  delete graph;
  return cudaSuccess;
}
cudaError_t cudaGraphLaunch(cudaGraphExec_t graph, cudaStream_t) {
  for (const auto& step : graph->steps) step();
  return cudaSuccess;
}
cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned) {
  return *event = new CUevent_st, cudaSuccess;
}
cudaError_t cudaEventCreate(cudaEvent_t* event) { return cudaEventCreateWithFlags(event, 0); }
cudaError_t cudaEventDestroy(cudaEvent_t event) {
  delete event;
  return cudaSuccess;
}
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t) {
  return event->when = std::chrono::steady_clock::now(), cudaSuccess;
}
cudaError_t cudaEventQuery(cudaEvent_t) { return cudaSuccess; }
cudaError_t cudaEventSynchronize(cudaEvent_t) { return cudaSuccess; }
cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t from, cudaEvent_t to) {
  *milliseconds = std::chrono::duration<float, std::milli>(to->when - from->when).count();
  return cudaSuccess;
}
