// NVIDIA GPUs. In a build without CUDA absent.cc stands in and says so.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "backend/backend.h"

namespace umf {

// Why the cuda backends cannot run here, or "".
std::string cuda_objection();

// Memory of the GPU that is taken, in bytes; 0 without one.
std::uint64_t cuda_memory_in_use();

// bf16 weights and activations, sums and logits in f32.
std::unique_ptr<Backend> make_cuda_backend(WeightsCopied copied = {});
// f32 throughout: slow, and as close to the other backends as they are to each other.
std::unique_ptr<Backend> make_cuda_f32_backend(WeightsCopied copied = {});

}  // namespace umf
