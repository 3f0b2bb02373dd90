// Which instruction sets Highway compiles our kernels for. Included before any Highway header.
#pragma once

// Same bits everywhere needs fused multiply-add: SSE and the like are left out, and below AVX2
// stands the scalar target with std::fma. The finer steps above AVX-512 would change no bit and
// little speed.
#define HWY_DISABLED_TARGETS                                                         \
  ((1LL << 4) | (1LL << 5) | (1LL << 6) | (1LL << 7)       /* steps above AVX-512 */ \
   | (1LL << 11) | (1LL << 12) | (1LL << 13) | (1LL << 14) /* SSE4, SSSE3, SSE2 */   \
   | (1LL << 23) | (1LL << 24) | (1LL << 25) | (1LL << 26) | (1LL << 27) /* SVE: sizeless */)
// The fallback is HWY_SCALAR, not its 128-bit emulation, whatever the compiler.
#define HWY_BROKEN_EMU128 1
// All targets, also when the compiler's own flags allow the best one.
#define HWY_COMPILE_ALL_ATTAINABLE
