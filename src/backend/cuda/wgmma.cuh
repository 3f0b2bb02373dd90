// Hopper's own instructions: products of a group of four warps, bulk copies of tiles, barriers that
// count bytes. For sm_90a alone.
#pragma once

#include <cuda.h>

#include <cstdint>

namespace umf {

// How tiles of 16-bit numbers stand in shared memory for products and copies: in panels of 64
// columns, whose rows of 128 bytes have their 16-byte chunks permuted by the row modulo 8.
inline constexpr int kPanelColumns = 64, kPanelRowBytes = 128;

// The descriptor of an operand: 128-byte rows, permuted, in groups of eight rows 1024 bytes apart.
// `panel` is the distance of panels in bytes, for operands that have several.
__device__ inline std::uint64_t operand(std::uint32_t address, std::uint32_t panel) {
  constexpr std::uint64_t kPermuted = std::uint64_t{1} << 62;
  constexpr std::uint64_t kRowGroups = std::uint64_t{1024 >> 4} << 32;
  return kPermuted | kRowGroups | std::uint64_t{panel >> 4} << 16 | (address & 0x3FFFF) >> 4;
}

__device__ inline void products_begin() {
  asm volatile("wgmma.fence.sync.aligned;\n" ::: "memory");
}
__device__ inline void products_commit() {
  asm volatile("wgmma.commit_group.sync.aligned;\n" ::: "memory");
}
template <int kLeft>
__device__ inline void products_wait() {
  asm volatile("wgmma.wait_group.sync.aligned %0;\n" ::"n"(kLeft) : "memory");
}

// The instruction up to d, of which a thread holds 64 values, and these as its operands.
#define UMF_PRODUCT                                                                  \
  "wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16 {"                          \
  "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "           \
  "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, " \
  "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, " \
  "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63}"
#define UMF_PRODUCT_OPERANDS(d)                                                                   \
  "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]), "+f"(d[7]), \
      "+f"(d[8]), "+f"(d[9]), "+f"(d[10]), "+f"(d[11]), "+f"(d[12]), "+f"(d[13]), "+f"(d[14]),    \
      "+f"(d[15]), "+f"(d[16]), "+f"(d[17]), "+f"(d[18]), "+f"(d[19]), "+f"(d[20]), "+f"(d[21]),  \
      "+f"(d[22]), "+f"(d[23]), "+f"(d[24]), "+f"(d[25]), "+f"(d[26]), "+f"(d[27]), "+f"(d[28]),  \
      "+f"(d[29]), "+f"(d[30]), "+f"(d[31]), "+f"(d[32]), "+f"(d[33]), "+f"(d[34]), "+f"(d[35]),  \
      "+f"(d[36]), "+f"(d[37]), "+f"(d[38]), "+f"(d[39]), "+f"(d[40]), "+f"(d[41]), "+f"(d[42]),  \
      "+f"(d[43]), "+f"(d[44]), "+f"(d[45]), "+f"(d[46]), "+f"(d[47]), "+f"(d[48]), "+f"(d[49]),  \
      "+f"(d[50]), "+f"(d[51]), "+f"(d[52]), "+f"(d[53]), "+f"(d[54]), "+f"(d[55]), "+f"(d[56]),  \
      "+f"(d[57]), "+f"(d[58]), "+f"(d[59]), "+f"(d[60]), "+f"(d[61]), "+f"(d[62]), "+f"(d[63])

// d (64 x 128) = or += a (64 x 16) b^T: both in shared memory, their rows along the inner index.
__device__ inline void product_shared(float (&d)[64], std::uint64_t a, std::uint64_t b, bool add) {
  asm volatile("{\n.reg .pred p;\nsetp.ne.b32 p, %66, 0;\n" UMF_PRODUCT
               ", %64, %65, p, 1, 1, 0, 0;\n}\n"
               : UMF_PRODUCT_OPERANDS(d)
               : "l"(a), "l"(b), "r"(static_cast<int>(add)));
}

// d (64 x 128) += a (64 x 16) b: a in registers, b in shared memory with its rows along the
// outputs.
__device__ inline void product_registers(float (&d)[64], const std::uint32_t (&a)[4],
                                         std::uint64_t b) {
  asm volatile(UMF_PRODUCT ", {%64, %65, %66, %67}, %68, 1, 1, 1, 1;\n"
               : UMF_PRODUCT_OPERANDS(d)
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b));
}

#undef UMF_PRODUCT
#undef UMF_PRODUCT_OPERANDS

__device__ inline void barrier_init(std::uint32_t barrier, int arrivals) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;\n" ::"r"(barrier), "r"(arrivals));
}
__device__ inline void barrier_init_done() {
  asm volatile("fence.mbarrier_init.release.cluster;\nfence.proxy.async;\n" ::: "memory");
}
__device__ inline void barrier_expect(std::uint32_t barrier, std::uint32_t bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;\n" ::"r"(barrier), "r"(bytes)
               : "memory");
}
__device__ inline void barrier_arrive(std::uint32_t barrier) {
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];\n" ::"r"(barrier) : "memory");
}
// Waits until the barrier has completed the phase of this parity.
__device__ inline void barrier_wait(std::uint32_t barrier, std::uint32_t parity) {
  std::uint32_t done = 0;
  while (done == 0) {
    asm volatile(
        "{\n.reg .pred p;\nmbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\n"
        "selp.u32 %0, 1, 0, p;\n}\n"
        : "=r"(done)
        : "r"(barrier), "r"(parity)
        : "memory");
  }
}

// A box of a tensor to shared memory; the barrier counts its bytes. Zeros outside the tensor.
__device__ inline void copy_box(std::uint32_t to, const CUtensorMap& map, int column, int row,
                                std::uint32_t barrier) {
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%3, "
      "%4}], [%2];\n" ::"r"(to),
      "l"(reinterpret_cast<std::uint64_t>(&map)), "r"(barrier), "r"(column), "r"(row)
      : "memory");
}

template <int kCount>
__device__ inline void take_registers() {
  asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;\n" ::"n"(kCount));
}
template <int kCount>
__device__ inline void give_registers() {
  asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;\n" ::"n"(kCount));
}

}  // namespace umf
