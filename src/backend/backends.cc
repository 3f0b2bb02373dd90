#include "backend/backends.h"

#include <fmt/core.h>
#include <sched.h>

#include <algorithm>
#include <vector>

#include "backend/cpu/cpu_backend.h"
#include "backend/cuda/cuda_backend.h"
#include "backend/reference/reference_backend.h"
#include "base/error.h"

namespace umf {
namespace {

constexpr int kThreadLimit = 1024;

std::string no_objection() { return ""; }

std::unique_ptr<Backend> make_cuda(const BackendOptions& options) {
  return make_cuda_backend(options.copied);
}
std::unique_ptr<Backend> make_cuda_f32(const BackendOptions& options) {
  return make_cuda_f32_backend(options.copied);
}

std::unique_ptr<Backend> make_cuda_fp8(const BackendOptions& options) {
  return make_cuda_fp8_backend(options.copied);
}

int cpu_threads(const BackendOptions& options) {
  if (options.threads < 0 || options.threads > kThreadLimit) {
    throw Error(fmt::format("--threads must be from 0 (all cores) to {}, not {}", kThreadLimit,
                            options.threads));
  }
  return options.threads > 0 ? options.threads : usable_cores();
}
std::unique_ptr<Backend> make_cpu(const BackendOptions& options) {
  return make_cpu_backend(cpu_threads(options), options.target);
}
std::unique_ptr<Backend> make_cpu_bf16(const BackendOptions& options) {
  return make_cpu_bf16_backend(cpu_threads(options), options.target);
}

std::unique_ptr<Backend> make_reference(const BackendOptions&) { return make_reference_backend(); }

constexpr BackendEntry kBackends[] = {
    {"cuda", "NVIDIA GPUs, bf16", cuda_objection, make_cuda},
    {"cpu", "SIMD kernels and a thread pool", no_objection, make_cpu, cpu_targets},
    {"cpu-bf16", "cpu with products of bf16 numbers: faster where the machine has them",
     no_objection, make_cpu_bf16, cpu_bf16_targets},
    {"cuda-f32", "NVIDIA GPUs, f32: exact and slow", cuda_objection, make_cuda_f32},
    {"cuda-fp8", "NVIDIA GPUs (Hopper), fp8: approximate and fastest", cuda_fp8_objection,
     make_cuda_fp8},
    {"reference", "plain loops, for checking the others", no_objection, make_reference},
};

}  // namespace

int usable_cores() {
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) != 0) return 1;
  return std::max(1, CPU_COUNT(&set));
}

std::span<const BackendEntry> backends() { return kBackends; }

std::unique_ptr<Backend> make_backend(const std::string& name, const BackendOptions& options) {
  std::string known = "auto";
  for (const BackendEntry& entry : kBackends) {
    known += std::string(", ") + entry.name;
    const std::string objection = entry.objection();
    if (name == "auto" && objection.empty()) return entry.make(options);
    if (name != entry.name) continue;
    if (!objection.empty())
      throw Error(fmt::format("backend '{}' cannot run here: {}", name, objection));
    return entry.make(options);
  }
  throw Error(fmt::format("there is no backend '{}'. Choose one of {}", name, known));
}

}  // namespace umf
