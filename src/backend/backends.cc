#include "backend/backends.h"

#include <fmt/core.h>
#include <sched.h>

#include <algorithm>
#include <utility>
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
  return make_cuda_backend(options.device, options.copied);
}
std::unique_ptr<Backend> make_cuda_f32(const BackendOptions& options) {
  return make_cuda_f32_backend(options.device, options.copied);
}
std::unique_ptr<Backend> make_cuda_w8(const BackendOptions& options) {
  return make_cuda_w8_backend(options.device, options.copied);
}
std::unique_ptr<Backend> make_cuda_fp8(const BackendOptions& options) {
  return make_cuda_fp8_backend(options.device, options.copied);
}
std::vector<DeviceFacts> gpus(const BackendOptions&) { return cuda_devices(); }
std::vector<DeviceFacts> fp8_gpus(const BackendOptions&) { return cuda_fp8_devices(); }

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

// A backend of the host has one device, the machine.
template <auto make>
std::vector<DeviceFacts> this_machine(const BackendOptions& options) {
  return {{.name = make(options)->description()}};
}

constexpr BackendEntry kBackends[] = {
    {"cuda", "NVIDIA GPUs, bf16", cuda_objection, gpus, make_cuda},
    {"cpu", "SIMD kernels and a thread pool", no_objection, this_machine<make_cpu>, make_cpu,
     cpu_targets, /*on_host=*/true},
    {"cpu-bf16", "cpu with products of bf16 numbers: faster where the machine has them",
     no_objection, this_machine<make_cpu_bf16>, make_cpu_bf16, cpu_bf16_targets,
     /*on_host=*/true},
    {"cuda-f32", "NVIDIA GPUs, f32: exact and slow", cuda_objection, gpus, make_cuda_f32},
    {"cuda-w8", "NVIDIA GPUs, bf16 with 8-bit weights: approximate, for passes over few rows",
     cuda_objection, gpus, make_cuda_w8},
    {"cuda-fp8", "NVIDIA GPUs (Hopper), fp8: approximate and fastest", cuda_fp8_objection, fp8_gpus,
     make_cuda_fp8},
    {"reference", "plain loops, for checking the others", no_objection,
     this_machine<make_reference>, make_reference, nullptr, /*on_host=*/true},
};

// The best backend is left out only where it could not be meant: a number beyond its devices is a
// mistake to be told.
std::string objection_to(const BackendEntry& entry, const BackendOptions& options) {
  if (std::string objection = entry.objection(); !objection.empty()) return objection;
  if (entry.on_host) return "";
  const std::vector<DeviceFacts> devices = entry.devices(options);
  const bool known = options.device >= 0 && std::cmp_less(options.device, devices.size());
  return known ? devices[options.device].objection : "";
}

}  // namespace

int usable_cores() {
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) != 0) return 1;
  return std::max(1, CPU_COUNT(&set));
}

std::span<const BackendEntry> backends() { return kBackends; }

const BackendEntry& find_backend(const std::string& name, const BackendOptions& options) {
  std::string known = "auto";
  for (const BackendEntry& entry : kBackends) {
    known += std::string(", ") + entry.name;
    if (name == "auto" && objection_to(entry, options).empty()) return entry;
    if (name != entry.name) continue;
    if (const std::string objection = entry.objection(); !objection.empty())
      throw Error(fmt::format("backend '{}' cannot run here: {}", name, objection));
    return entry;
  }
  throw Error(fmt::format("there is no backend '{}'. Choose one of {}", name, known));
}

std::string text_of(const DeviceFacts& device) {
  std::string text = device.name;
  if (device.memory > 0) text += fmt::format(", {} GiB", device.memory >> 30);
  if (!device.capability.empty()) text += fmt::format(", compute capability {}", device.capability);
  return text;
}

std::string text_of(std::span<const DeviceFacts> devices) {
  std::string text;
  for (std::size_t i = 0; i < devices.size(); ++i)
    text += fmt::format("{}{} ({})", i == 0 ? "" : ", ", i, text_of(devices[i]));
  return text;
}

void require_device(const BackendEntry& entry, const BackendOptions& options, int device) {
  if (entry.on_host && device == 0) return;
  const std::vector<DeviceFacts> devices = entry.devices(options);
  if (device < 0 || std::cmp_greater_equal(device, devices.size()))
    throw Error(fmt::format("backend '{}' has no device {} here; it has {}", entry.name, device,
                            text_of(devices)));
  if (const std::string& objection = devices[device].objection; !objection.empty())
    throw Error(fmt::format("backend '{}' cannot use device {}: {}. It has {}", entry.name, device,
                            objection, text_of(devices)));
}

std::unique_ptr<Backend> make_backend(const std::string& name, const BackendOptions& options) {
  const BackendEntry& entry = find_backend(name, options);
  require_device(entry, options, options.device);
  return entry.make(options);
}

}  // namespace umf
