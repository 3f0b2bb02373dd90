// Kernels of instructions that come with compute capability 9.0: the emulated GPU has 8.0.
#include "backend/cuda/attention_fast.h"
#include "backend/cuda/product_few.h"
#include "backend/cuda/product_gated.h"
#include "base/error.h"

namespace umf {

void launch_attention_wgmma(const Operation&, cudaStream_t) {
  throw Error("the emulated GPU has no wgmma");
}

std::vector<int> few_rows_kernels(const Operation&, int) { return {}; }
void launch_few_rows_product(const Operation&, int, cudaStream_t) {
  throw Error("the emulated GPU has no wgmma");
}

bool has_gated_kernel(const Operation&) { return false; }
void launch_gated_kernel(const Operation&, cudaStream_t) {
  throw Error("the emulated GPU has no wgmma");
}

}  // namespace umf
