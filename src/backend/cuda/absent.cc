// The cuda backend of a build without CUDA: it says how to get one.
#include "backend/cuda/cuda_backend.h"
#include "base/error.h"

namespace umf {

std::string cuda_objection() {
  return "this build has no CUDA (configure with --preset cuda); use the cpu backend";
}

std::string cuda_fp8_objection() { return cuda_objection(); }

std::vector<DeviceFacts> cuda_devices() { return {}; }
std::vector<DeviceFacts> cuda_fp8_devices() { return {}; }

std::uint64_t cuda_memory_in_use(int) { return 0; }

std::unique_ptr<Backend> make_cuda_backend(int, WeightsCopied) {
  throw Error("backend 'cuda': " + cuda_objection());
}

std::unique_ptr<Backend> make_cuda_f32_backend(int, WeightsCopied) {
  throw Error("backend 'cuda-f32': " + cuda_objection());
}

std::unique_ptr<Backend> make_cuda_w8_backend(int, WeightsCopied) {
  throw Error("backend 'cuda-w8': " + cuda_objection());
}

std::unique_ptr<Backend> make_cuda_fp8_backend(int, WeightsCopied) {
  throw Error("backend 'cuda-fp8': " + cuda_objection());
}

}  // namespace umf
