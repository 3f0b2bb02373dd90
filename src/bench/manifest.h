// What a run measures: problems × configurations × budgets × seeds, as its config.json fixes them.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/json.h"
#include "bench/pool.h"

namespace umf {

struct Manifest {
  Json json;  // everything needed to repeat the run
  std::string dataset_kind;
  std::vector<std::string> ids;
  std::vector<std::string> fingerprints;  // of the problems; none: an earlier version's run
  std::vector<std::string> devices;       // the kinds that it runs on; none: all give the same bits
  int left_out = 0;                       // malformed problems of the data set
  struct Entry {
    std::string name;
    std::vector<long> budgets;  // that are reported, ascending
    std::optional<Pool> pool = std::nullopt;
    int window = 0;                          // 0: not known
    std::uint64_t seed = 0;                  // with which the configuration is described
    std::vector<std::uint64_t> seeds = {0};  // that are searched with, ascending
    // Of everything that its results depend on but the problem, the budget and the seed.
    std::string fingerprint = {};
    // All that have a result, ascending: those of the pool's steps, too.
    std::vector<long> recorded() const;
  };
  std::vector<Entry> configurations;

  // A file name for a problem and a configuration, by number.
  static std::string job_name(int problem, int configuration);
  // The same for one of its seeds: of that it is described with the plain name.
  std::string job_name(int problem, int configuration, std::uint64_t seed) const;
  // Problem and configuration of such a name; nothing for another one.
  static std::optional<std::pair<int, int>> parse_job_name(std::string_view name);
  // The seed of a job of that configuration, by its name.
  std::uint64_t seed_of_job(std::string_view name, int configuration) const;

  // What a result was made for: "CONFIGURATION/PROBLEM", a fingerprint of each.
  std::string made_for(int problem, int configuration) const;
  // What whoever reads results has to know of them, by configuration and by problem.
  struct Known {
    std::map<std::string, std::uint64_t> seeds;
    std::map<std::string, std::string> configurations, problems;  // fingerprints
    // Throws Error naming `where` for a result that was made for something else. Names that are
    // not known are taken: workers that came later know more.
    void require_own(const std::string& id, const std::string& configuration,
                     const std::string& made_for, const std::string& where) const;
  };
  Known known() const;
};

// Tells texts apart, in 16 digits.
std::string short_digest(std::string_view text);

// A manifest as it stands in files: with its kind, and as if it had been read.
Json sealed(Json manifest);
// Throws Error naming `where`.
Manifest parse_manifest(Json json, const std::string& where);

}  // namespace umf
