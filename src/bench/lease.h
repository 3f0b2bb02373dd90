// Who works on which job: claims that survive every crash and are never held by two.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "bench/worker.h"

namespace umf {

struct Lease {
  std::string job;  // a name for files
  int epoch = 0;    // 1 for the first holder of a job, one more for each who took it over

  auto operator<=>(const Lease&) const = default;
};

struct LeaseView {
  Lease lease;
  std::string holder;  // a worker; empty: somebody is just making it
  double since = 0;    // Unix time by the holder's clock, for people
  double age = 0;      // the holder's, when it took the job
};

// A lease is a file JOB.EPOCH that names its holder; the highest epoch counts. Taking a job, and
// taking it over, is creating the next epoch, which succeeds for one alone. A holder that left or
// is silent for too long holds nothing. Whoever gets a lease must look at the results again: the
// job may have been finished by one who left between the look and the claim. One thread at a time,
// but for holds().
class Leases {
 public:
  Leases(std::filesystem::path folder, const Heartbeat& heartbeat)
      : folder_(std::move(folder)), heartbeat_(heartbeat) {}

  // Jobs that workers hold who may live, this one included. Reads everything.
  std::map<std::string, std::string> held() const;
  // What came of an attempt: a lease, or who has the job. A holder of unknown life may be dead.
  struct Attempt {
    std::optional<Lease> lease;
    Life holder = Life::kDead;
  };
  // Nothing when a worker that may live has it, or got it first.
  std::optional<Lease> claim(const std::string& job);
  // As claim, of a job whose highest epoch is known. Looks at a holder once until look_again().
  Attempt take_over(const Lease& highest);
  void look_again() { looked_at_.clear(); }
  std::set<std::string> holders() const;  // that were looked at since then
  // As claim, of a job that nobody is known to hold: one operation.
  std::optional<Lease> claim_first(const std::string& job);
  // Whether nobody took it over. (Who is not sure writes nothing; and whoever reads results keeps
  // one of each.)
  bool holds(const Lease& lease) const;
  // The highest epoch of each job: one listing.
  std::map<std::string, int> epochs();
  // The job is done and the results say so.
  void retire(const Lease& lease);
  // It was taken over: should the other one leave the job, this one may have it again.
  void forget(const Lease& lease) { own_.erase(lease); }
  // All jobs are done: removes what workers left that are gone.
  void tidy();

 private:
  std::filesystem::path file(const Lease& lease) const;
  std::optional<LeaseView> view_of(const Lease& lease) const;
  Life life_of(const LeaseView& view) const;
  std::optional<Lease> adopt(const Lease& lease);
  std::optional<Lease> make(const Lease& lease);

  std::filesystem::path folder_;
  const Heartbeat& heartbeat_;
  std::set<Lease> own_;                         // that this one knows of
  mutable std::map<Lease, LeaseView> known_;    // what leases said since the last epochs()
  mutable std::map<Lease, double> being_made_;  // since when, in the heartbeat's answered time
  std::map<std::string, Life> looked_at_;       // holders
};

// The highest epoch of each job: one listing.
std::map<std::string, int> highest_epochs(const std::filesystem::path& folder);

// What a lease says; nothing when it was retired. Throws Error where it is something else.
std::optional<LeaseView> read_lease(const std::filesystem::path& folder, const Lease& lease);

// The leases that count, one per job.
std::vector<LeaseView> read_leases(const std::filesystem::path& folder);

}  // namespace umf
