// The kernels of cpu-bf16: those of cpu, with products of numbers rounded to bf16.
#include "backend/cpu/targets.h"
//
#include "backend/cpu/kernels.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backend/cpu/bf16_kernels.cc"
#include <hwy/foreach_target.h>  // compiles what follows once per target
//
#include "backend/cpu/attention-inl.h"
#include "backend/cpu/matmul-inl.h"
#include "backend/cpu/peak-inl.h"

HWY_BEFORE_NAMESPACE();
namespace umf {
namespace HWY_NAMESPACE {

template <class Numbers>
Kernels with_products_of(Kernels table) {
  using Row = Activation<Numbers>;
  table.product = {pack_rows<Numbers>, matmul<Numbers>};
  table.step_keys = static_cast<int>(kPerStep<Row>);
  table.pack_values = pack_values<Row>;
  table.attend = attend<Numbers>;
  table.fma_loop = fma_loop<kPerStep<Row>>;
  return table;
}

Kernels rounding(const Kernels& table) { return with_products_of<RoundedToBf16>(table); }

#if UMF_CPU_PAIRS
Kernels pairing(const Kernels& exact) {
  Kernels table = with_products_of<Bf16Pairs>(exact);
  table.name = "avx512bf16";
  table.has_small = weights_have_small;
  table.product_with_small = rounding(exact).product;
  return table;
}
#endif

}  // namespace HWY_NAMESPACE
}  // namespace umf
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace umf {

const std::vector<Kernels>& cpu_bf16_kernels() {
  static const std::vector<Kernels> kernels = [] {
    std::vector<Kernels> found;
    for (const Kernels& exact : cpu_kernels()) {
#if HWY_TARGETS & HWY_AVX3
      if (exact.name == "avx512" && __builtin_cpu_supports("avx512bf16"))
        found.push_back(N_AVX3::pairing(exact));
      if (exact.name == "avx512") found.push_back(N_AVX3::rounding(exact));
#endif
#if HWY_TARGETS & HWY_AVX2
      if (exact.name == "avx2") found.push_back(N_AVX2::rounding(exact));
#endif
#if HWY_TARGETS & HWY_NEON
      if (exact.name == "neon") found.push_back(N_NEON::rounding(exact));
#endif
#if HWY_TARGETS & HWY_SCALAR
      if (exact.name == "scalar") found.push_back(N_SCALAR::rounding(exact));
#endif
    }
    return found;
  }();
  return kernels;
}

}  // namespace umf
#endif  // HWY_ONCE
