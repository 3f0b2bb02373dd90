// Highway kernels and our own thread pool: the same bits on AVX-512, AVX2 and scalar fma, for every
// number of threads.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "backend/backend.h"

namespace umf {

// The instruction sets this build has and this machine can run, best first: "avx512", "avx2",
// "scalar".
std::vector<std::string> cpu_targets();

// `target` is one of cpu_targets(), or "" for the best. threads >= 1.
std::unique_ptr<Backend> make_cpu_backend(int threads, const std::string& target);

// `cpu-bf16`: what products multiply is rounded to bf16, weights, the rows before them, and
// attention's weights and values; its scores, all sums and all else are as in `cpu`. Nearly twice
// as fast where the machine has dot products of bf16 pairs ("avx512bf16"), and the same bits where
// it has not.
std::vector<std::string> cpu_bf16_targets();
std::unique_ptr<Backend> make_cpu_bf16_backend(int threads, const std::string& target);

}  // namespace umf
