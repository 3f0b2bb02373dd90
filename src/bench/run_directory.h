// The folder of a run: what is measured, written down once, and where everything lies.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/json.h"
#include "bench/pool.h"
#include "bench/result.h"

namespace umf {

// What `config.json` fixes: problems × configurations × budgets.
struct Manifest {
  Json json;  // everything needed to repeat the run
  std::string dataset_kind;
  std::vector<std::string> ids;
  int left_out = 0;  // malformed problems of the data set
  struct Entry {
    std::string name;
    std::vector<long> budgets;  // that are reported, ascending
    std::optional<Pool> pool = std::nullopt;
    int window = 0;  // 0: not known
    // All that have a result, ascending: those of the pool's steps, too.
    std::vector<long> recorded() const;
  };
  std::vector<Entry> configurations;

  int jobs() const { return static_cast<int>(ids.size() * configurations.size()); }
  // A file name for a problem and a configuration, by number.
  static std::string job_name(int problem, int configuration);
  // Problem and configuration of such a name; nothing for another one.
  static std::optional<std::pair<int, int>> parse_job_name(std::string_view name);
};

// Throws Error naming `where`.
Manifest parse_manifest(Json json, const std::string& where);

class RunDirectory {
 public:
  // Makes the folder with `manifest`, or joins the run that is there. Throws Error when that is
  // another run, and names the difference; or when there is none and `must_exist`.
  static RunDirectory start(const std::filesystem::path& folder, const Json& manifest,
                            bool must_exist);
  // For those who only look.
  static RunDirectory open(const std::filesystem::path& folder);

  const Manifest& manifest() const { return manifest_; }
  std::filesystem::path file(const std::string& name) const { return folder_ / name; }
  std::filesystem::path results() const { return folder_ / "results"; }
  std::filesystem::path leases() const { return folder_ / "leases"; }
  std::filesystem::path workers() const { return folder_ / "workers"; }
  std::filesystem::path trace(const std::string& job, long budget) const;

  // The checkpoint of a search that `worker` goes on with: what an earlier holder of the job left
  // is copied, so that one who was taken for dead and is not writes into a file that nobody reads.
  std::filesystem::path adopt_checkpoint(const std::string& job, long budget,
                                         const std::string& worker) const;
  void remove_checkpoints(const std::string& prefix = "") const;  // of jobs that are done
  // Removes drafts of the run's files whose writers are not the processes of these workers.
  void remove_drafts(const std::vector<std::string>& workers) const;

 private:
  RunDirectory(std::filesystem::path folder, Manifest manifest)
      : folder_(std::move(folder)), manifest_(std::move(manifest)) {}
  std::vector<std::filesystem::path> checkpoints(const std::string& prefix) const;

  std::filesystem::path folder_;
  Manifest manifest_;
};

}  // namespace umf
