#include "backend/cpu/targets.h"
//
#include "backend/cpu/kernels.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backend/cpu/kernels.cc"
#include <hwy/foreach_target.h>  // compiles what follows once per target
//
#include "backend/cpu/attention-inl.h"
#include "backend/cpu/matmul-inl.h"
#include "backend/cpu/peak-inl.h"
#include "backend/cpu/predict-inl.h"
#include "backend/cpu/rows-inl.h"

HWY_BEFORE_NAMESPACE();
namespace umf {
namespace HWY_NAMESPACE {

Kernels make_kernels(const char* name) {
  Kernels table;
  table.name = name;
  table.tile_rows = static_cast<int>(kTileRows);
  table.panel = static_cast<int>(kPanel);
  table.product = table.exact_product = {pack_rows<Exact>, matmul<Exact>};
  table.matmul_scratch = matmul_scratch;
  table.attention_tiles = attention_tiles;
  table.attention_scratch = attention_scratch;
  table.pack_keys = pack_rows<Exact>;
  table.attend = attend<Exact>;
  table.widen = widen;
  table.rms_norm = rms_norm;
  table.rotate = rotate;
  table.gated_silu = gated_silu;
  table.relu = relu;
  table.add_scaled = add_scaled;
  table.predict = predict;
  table.exp = exp_all;
  table.log = log_all;
  table.fma_loop = fma_loop<1>;
  return table;
}

}  // namespace HWY_NAMESPACE
}  // namespace umf
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace umf {

const std::vector<Kernels>& cpu_kernels() {
  static const std::vector<Kernels> kernels = [] {
    std::vector<Kernels> found;
#if HWY_TARGETS & (HWY_AVX3 | HWY_AVX2)
    const std::int64_t here = hwy::SupportedTargets();
#endif
#if HWY_TARGETS & HWY_AVX3
    if (here & HWY_AVX3) found.push_back(N_AVX3::make_kernels("avx512"));
#endif
#if HWY_TARGETS & HWY_AVX2
    if (here & HWY_AVX2) found.push_back(N_AVX2::make_kernels("avx2"));
#endif
#if HWY_TARGETS & HWY_NEON
    // Every arm64 processor: Highway asks for AES as well, which no kernel uses.
    found.push_back(N_NEON::make_kernels("neon"));
#endif
#if HWY_TARGETS & HWY_SCALAR
    found.push_back(N_SCALAR::make_kernels("scalar"));
#endif
    return found;
  }();
  return kernels;
}

}  // namespace umf
#endif  // HWY_ONCE
