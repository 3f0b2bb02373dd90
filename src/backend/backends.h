// The table of backends: which exist, why one cannot run here, and how to make one.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "backend/backend.h"

namespace umf {

struct BackendOptions {
  int threads = 0;     // 0: one per core this process may use
  std::string target;  // instruction set, one of the entry's targets(); "" for the best
  WeightsCopied copied;
};

struct BackendEntry {
  const char* name;
  const char* summary;
  std::string (*objection)();  // why it cannot run here, or ""
  std::unique_ptr<Backend> (*make)(const BackendOptions& options);
  // The instruction sets that it can be made for here, best first; null where there is no choice.
  std::vector<std::string> (*targets)() = nullptr;
};

// The cores this process may use: containers and taskset restrict them below the machine's count.
int usable_cores();

// Best first: the first without an objection is the default.
std::span<const BackendEntry> backends();

// `name` is one of the table, or "auto". Throws Error with the objection, or with the known names.
std::unique_ptr<Backend> make_backend(const std::string& name, const BackendOptions& options);

// Compares every operation with plain loops on small inputs. Returns "" or what differs.
std::string self_check(Backend& backend);

}  // namespace umf
