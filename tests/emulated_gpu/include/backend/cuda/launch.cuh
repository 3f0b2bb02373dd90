// One kernel after the other.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>

#include "runtime.h"

namespace umf {

inline void wait_for_last() {}
inline void let_next_begin() {}

template <class... Parameters, class... Arguments>
void launch_early(void (*kernel)(Parameters...), dim3 grid, int threads, std::size_t shared,
                  cudaStream_t stream, Arguments&&... arguments) {
  emulated::launch([=] { kernel(static_cast<Parameters>(arguments)...); }, grid, dim3(threads),
                   shared, stream);
}

}  // namespace umf
