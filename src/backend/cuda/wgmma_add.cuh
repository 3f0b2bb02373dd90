// Products of a group of four warps with 16 to 256 columns, added to what is there.
#pragma once

#include <cstdint>

namespace umf {

#define UMF_SUMS_8(d, i)                                                                      \
  "+f"(d[i]), "+f"(d[i + 1]), "+f"(d[i + 2]), "+f"(d[i + 3]), "+f"(d[i + 4]), "+f"(d[i + 5]), \
      "+f"(d[i + 6]), "+f"(d[i + 7])
#define UMF_SUMS_16(d, i) UMF_SUMS_8(d, i), UMF_SUMS_8(d, i + 8)
#define UMF_SUMS_32(d, i) UMF_SUMS_16(d, i), UMF_SUMS_16(d, i + 16)
#define UMF_SUMS_64(d, i) UMF_SUMS_32(d, i), UMF_SUMS_32(d, i + 32)
#define UMF_SUMS_128(d, i) UMF_SUMS_64(d, i), UMF_SUMS_64(d, i + 64)

// d (64 x columns) += a (64 x 16) b^T, rows of b along the depth in shared memory; a stands there,
// too, or in registers.
#define UMF_PRODUCT_ADD(COUNT, INSTRUCTION, A, B, C, D, E)                                 \
  __device__ inline void product_add(float(&d)[COUNT], std::uint64_t a, std::uint64_t b) { \
    asm volatile(INSTRUCTION ", " A ", " B ", 1, 1, 1, 0, 0;\n"                            \
                 : UMF_SUMS_##COUNT(d, 0)                                                  \
                 : "l"(a), "l"(b));                                                        \
  }                                                                                        \
  __device__ inline void product_add(float(&d)[COUNT], const std::uint32_t(&a)[4],         \
                                     std::uint64_t b) {                                    \
    asm volatile(INSTRUCTION ", {" A ", " B ", " C ", " D "}, " E ", 1, 1, 1, 0;\n"        \
                 : UMF_SUMS_##COUNT(d, 0)                                                  \
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b));                    \
  }

UMF_PRODUCT_ADD(8,
                "wgmma.mma_async.sync.aligned.m64n16k16.f32.bf16.bf16 {"
                "%0, %1, %2, %3, %4, %5, %6, %7}",
                "%8", "%9", "%10", "%11", "%12")
UMF_PRODUCT_ADD(16,
                "wgmma.mma_async.sync.aligned.m64n32k16.f32.bf16.bf16 {"
                "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15}",
                "%16", "%17", "%18", "%19", "%20")
UMF_PRODUCT_ADD(32,
                "wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16 {"
                "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
                "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31}",
                "%32", "%33", "%34", "%35", "%36")
UMF_PRODUCT_ADD(64,
                "wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16 {"
                "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
                "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, "
                "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, "
                "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63}",
                "%64", "%65", "%66", "%67", "%68")

UMF_PRODUCT_ADD(128,
                "wgmma.mma_async.sync.aligned.m64n256k16.f32.bf16.bf16 {"
                "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, "
                "%18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, %32, %33, "
                "%34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, %48, %49, "
                "%50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63, %64, %65, "
                "%66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, %79, %80, %81, "
                "%82, %83, %84, %85, %86, %87, %88, %89, %90, %91, %92, %93, %94, %95, %96, %97, "
                "%98, %99, %100, %101, %102, %103, %104, %105, %106, %107, %108, %109, %110, "
                "%111, %112, %113, %114, %115, %116, %117, %118, %119, %120, %121, %122, %123, "
                "%124, %125, %126, %127}",
                "%128", "%129", "%130", "%131", "%132")

#undef UMF_PRODUCT_ADD
#undef UMF_SUMS_8
#undef UMF_SUMS_16
#undef UMF_SUMS_32
#undef UMF_SUMS_64
#undef UMF_SUMS_128

}  // namespace umf
