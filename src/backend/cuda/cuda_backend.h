// NVIDIA GPUs. In a build without CUDA absent.cc stands in and says so.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "backend/backend.h"
#include "backend/device_facts.h"

namespace umf {

// Why the cuda backends cannot run here, or "".
std::string cuda_objection();

// The same for the approximate one, which needs products of 8-bit numbers.
std::string cuda_fp8_objection();

// Those that this process sees, by number; objections included.
std::vector<DeviceFacts> cuda_devices();
std::vector<DeviceFacts> cuda_fp8_devices();

// Memory of a GPU that is taken, in bytes; 0 without one.
std::uint64_t cuda_memory_in_use(int device);

// Backends on one device. Each may be used on any thread, whatever device that thread spoke to
// before, and next to backends on other devices.
// bf16 weights and activations, sums and logits in f32.
std::unique_ptr<Backend> make_cuda_backend(int device = 0, WeightsCopied copied = {});
// f32 throughout: slow, and as close to the other backends as they are to each other.
std::unique_ptr<Backend> make_cuda_f32_backend(int device = 0, WeightsCopied copied = {});
// As bf16, but inside layers weights are GGUF's Q8_0, half as many bytes to read: as a file of such
// blocks, but for embeddings and heads. Not exact.
std::unique_ptr<Backend> make_cuda_w8_backend(int device = 0, WeightsCopied copied = {});
// As bf16, but inside layers 8-bit weights with a factor per output are multiplied with 8-bit
// activations that have a factor per row, and experts are as in cuda-w8: not exact, so it never
// stands in for another.
std::unique_ptr<Backend> make_cuda_fp8_backend(int device = 0, WeightsCopied copied = {});

}  // namespace umf
