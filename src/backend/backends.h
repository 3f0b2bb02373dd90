// The table of backends: which exist, why one cannot run here, and how to make one.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "backend/backend.h"
#include "backend/device_facts.h"

namespace umf {

struct BackendOptions {
  int threads = 0;     // 0: one per core this process may use
  std::string target;  // instruction set, one of the entry's targets(); "" for the best
  WeightsCopied copied;
  int device = 0;  // one of the entry's devices()
};

struct BackendEntry {
  const char* name;
  const char* summary;
  std::string (*objection)();  // why it cannot run here, or ""
  // What it can run on, by number. Its threads and target may be part of what is told.
  std::vector<DeviceFacts> (*devices)(const BackendOptions& options);
  std::unique_ptr<Backend> (*make)(const BackendOptions& options);
  // The instruction sets that it can be made for here, best first; null where there is no choice.
  std::vector<std::string> (*targets)() = nullptr;
  bool on_host = false;  // has one device, the machine, and can always use it
};

// The cores this process may use: containers and taskset restrict them below the machine's count.
int usable_cores();

// Best first: the first without an objection is the default.
std::span<const BackendEntry> backends();

// The entry of that name; for "auto" the best that can run here, on `options.device` where it has
// such a device. Throws Error with the objection, or with the known names.
const BackendEntry& find_backend(const std::string& name, const BackendOptions& options);

// "0 (NVIDIA H200, 139 GiB, compute capability 9.0), 1 (...)".
std::string text_of(std::span<const DeviceFacts> devices);
std::string text_of(const DeviceFacts& device);

// Throws Error for a device that is not among the entry's or cannot be used, and names those that
// are there.
void require_device(const BackendEntry& entry, const BackendOptions& options, int device);

// `name` as for find_backend(). Throws Error as these do.
std::unique_ptr<Backend> make_backend(const std::string& name, const BackendOptions& options);

// Compares every operation with plain loops on small inputs. Returns "" or what differs.
std::string self_check(Backend& backend);

}  // namespace umf
