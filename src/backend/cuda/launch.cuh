// Kernels that begin while the one before them on the stream ends (compute capability 9.0): what
// they can do without its results, and being started at all, then takes no time of its own.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <utility>

#include "backend/cuda/check.h"
#include "backend/cuda/device.h"

namespace umf {

// Behind this, everything that was started before is done and seen. Such a kernel calls it in every
// thread that reads or writes what others read or write, weights aside.
__device__ inline void wait_for_last() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.wait;\n" ::: "memory");
#endif
}
// The next kernel may take the processors that this one leaves free.
__device__ inline void let_next_begin() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.launch_dependents;\n" ::: "memory");
#endif
}

struct Start {
  bool early = true;
  int cluster = 1;  // blocks that share their memory
};

template <class... Parameters, class... Arguments>
void launch(const Start& start, void (*kernel)(Parameters...), dim3 grid, int threads,
            std::size_t shared, cudaStream_t stream, Arguments&&... arguments) {
  cudaLaunchAttribute attributes[2] = {};
  cudaLaunchConfig_t config{};
  config.gridDim = grid;
  config.blockDim = dim3(threads);
  config.dynamicSmemBytes = shared;
  config.stream = stream;
  config.attrs = attributes;
  if (start.early && current_capability() >= 9) {
    cudaLaunchAttribute& early = attributes[config.numAttrs++];
    early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    early.val.programmaticStreamSerializationAllowed = 1;
  }
  if (start.cluster > 1) {
    cudaLaunchAttribute& cluster = attributes[config.numAttrs++];
    cluster.id = cudaLaunchAttributeClusterDimension;
    cluster.val.clusterDim = {static_cast<unsigned>(start.cluster), 1, 1};
  }
  check(cudaLaunchKernelEx(&config, kernel, static_cast<Parameters>(arguments)...),
        "starting a kernel");
}
template <class... Parameters, class... Arguments>
void launch_early(void (*kernel)(Parameters...), dim3 grid, int threads, std::size_t shared,
                  cudaStream_t stream, Arguments&&... arguments) {
  launch({}, kernel, grid, threads, shared, stream, std::forward<Arguments>(arguments)...);
}

}  // namespace umf
