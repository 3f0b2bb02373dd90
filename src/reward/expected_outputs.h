// What canonical solutions return: computed once in the sandbox, remembered on disk.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/json.h"
#include "sandbox/sandbox.h"

namespace umf {

struct ExpectedOutputs {
  Json values;                  // one per input, as python/evalplus_expected.py packs them
  std::vector<double> seconds;  // that each call took
};

// A canonical solution and a list of inputs.
struct ReferenceRun {
  std::string task_id, entry_point, source;
  std::string inputs;  // JSON text
};

// Files in `folder`, named by what they depend on; a damaged file is computed anew. An empty folder
// name: nothing is kept.
class ExpectedOutputsCache {
 public:
  explicit ExpectedOutputsCache(std::filesystem::path folder) : folder_(std::move(folder)) {}
  // In $XDG_CACHE_HOME/umf or ~/.cache/umf.
  static ExpectedOutputsCache of_user();

  // Throws Error where the canonical solution itself fails, or the sandbox does. `most_ms` as
  // JudgeTools have it.
  ExpectedOutputs get(const ReferenceRun& run, Sandbox& sandbox, int most_ms = 0) const;
  std::filesystem::path path_of(const ReferenceRun& run) const;

 private:
  std::filesystem::path folder_;
};

}  // namespace umf
