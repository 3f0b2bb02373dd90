// What of a run a worker, or a reader, is concerned with.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "bench/manifest.h"
#include "bench/result.h"

namespace umf {

// One configuration with one of its seeds: with a problem, a job.
struct SeededConfiguration {
  int configuration = 0;  // number in the manifest
  std::uint64_t seed = 0;
  std::vector<long> budgets;  // that have a result, ascending
};

// Problems × configurations with a seed. A run may have grown beyond the command that a worker was
// started with: it works off what that names.
struct RunPart {
  std::vector<int> problems;  // numbers in the manifest, ascending
  std::vector<SeededConfiguration> configurations;

  long results() const;
};

RunPart whole(const Manifest& manifest);
// What the problems and configurations by these names are concerned with.
RunPart part_of(const Manifest& manifest, const std::set<std::string>& ids,
                const std::set<std::string>& configurations);

// Whether a result is of a part.
class PartKeys {
 public:
  PartKeys(const Manifest& manifest, const RunPart& part);
  bool has(const ResultKey& key) const;

 private:
  std::unordered_set<std::string> ids_;
  std::map<std::pair<std::string, std::uint64_t>, std::vector<long>> budgets_;
};

}  // namespace umf
