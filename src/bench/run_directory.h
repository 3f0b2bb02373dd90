// The folder of a run: what is measured, written down as it grows, and where everything lies.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "base/json.h"
#include "bench/manifest.h"
#include "bench/result.h"

namespace umf {

class RunDirectory {
 public:
  // Makes the folder with `manifest`, or joins the run that is there, if it is this one as it began
  // or as it was at any time. Throws Error when that is another run, and names the difference; when
  // there is none and `must_exist`; or when it is made on other devices, unless they may be mixed.
  static RunDirectory start(const std::filesystem::path& folder, const Json& manifest,
                            bool must_exist, bool mix_devices = false);
  // Adds to the run that is there what `manifest` has beyond it. Throws Error when there is none,
  // or it cannot be added. Of several who extend at once each one's part is added.
  static RunDirectory extend(const std::filesystem::path& folder, const Json& manifest,
                             bool mix_devices = false);
  // For those who only look.
  static RunDirectory open(const std::filesystem::path& folder);

  const Manifest& manifest() const { return manifest_; }
  // As it was when it got each of its configurations: the first that has it describes it.
  std::vector<Manifest> history() const;
  const std::filesystem::path& folder() const { return folder_; }
  std::filesystem::path file(const std::string& name) const { return folder_ / name; }
  std::filesystem::path results() const { return folder_ / "results"; }
  std::filesystem::path leases() const { return folder_ / "leases"; }
  std::filesystem::path workers() const { return folder_ / "workers"; }
  // The traces, checkpoints and results of `job` are called by it (Manifest::job_name).
  std::filesystem::path trace(const std::string& job, long budget) const;

  // The checkpoint of a search that `worker` goes on with: what an earlier holder of the job left
  // is copied, so that one who was taken for dead and is not writes into a file that nobody reads.
  // With `of_any_budget` also what was begun before the run got this one.
  std::filesystem::path adopt_checkpoint(const std::string& job, long budget,
                                         const std::string& worker,
                                         bool of_any_budget = false) const;
  void remove_checkpoints(const std::string& prefix = "") const;  // of jobs that are done
  // Removes drafts of the run's files whose writers are not the processes of these workers.
  void remove_drafts(const std::vector<std::string>& workers) const;

 private:
  RunDirectory(std::filesystem::path folder, Manifest manifest, int extensions)
      : folder_(std::move(folder)), manifest_(std::move(manifest)), extensions_(extensions) {}
  static RunDirectory grow(const std::filesystem::path& folder, const Json& own,
                           const std::function<Json(const RunDirectory&)>& grown);
  std::vector<std::filesystem::path> checkpoints(const std::string& prefix) const;

  std::filesystem::path folder_;
  Manifest manifest_;
  int extensions_ = 0;  // the manifest is that of so many
};

}  // namespace umf
