// The CUDA runtime for a GPU that is emulated: work on a stream is done when it is asked for, and
// kept where the stream is being recorded.
#pragma once

#include <cuda_runtime_api.h>

#include <functional>

namespace umf::emulated {

void launch(std::function<void()> kernel, dim3 grid, dim3 block, std::size_t shared_bytes = 0,
            cudaStream_t stream = nullptr);
// Now, or with every replay of what is recorded.
void run_on(cudaStream_t stream, std::function<void()> work);

}  // namespace umf::emulated
