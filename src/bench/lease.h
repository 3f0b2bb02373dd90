// Who works on which job: claims that survive every crash and are never held by two.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "bench/worker.h"

namespace umf {

struct Lease {
  std::string job;  // a name for files
  int epoch = 0;    // 1 for the first holder of a job, one more for each who took it over
};

struct LeaseView {
  Lease lease;
  std::string holder;  // a worker
  double since = 0;    // Unix time
};

// A lease is a file JOB.EPOCH that names its holder; the highest epoch counts. Taking a job, and
// taking it over, is creating the next epoch, which succeeds for one alone. A holder that left or
// is silent for too long holds nothing. Whoever gets a lease must look at the results again: the
// job may have been finished by one who left between the look and the claim.
class Leases {
 public:
  Leases(std::filesystem::path folder, const Heartbeat& heartbeat)
      : folder_(std::move(folder)), heartbeat_(heartbeat) {}

  // Jobs that living workers hold, this one included.
  std::map<std::string, std::string> held() const;
  // Nothing when a living worker has it, or got it first.
  std::optional<Lease> claim(const std::string& job) const;
  // Whether nobody took it over. (Who is not sure writes nothing; and whoever reads results keeps
  // one of each.)
  bool holds(const Lease& lease) const;
  // The job is done and the results say so.
  void retire(const Lease& lease) const;

 private:
  std::filesystem::path file(const std::string& job, int epoch) const;

  std::filesystem::path folder_;
  const Heartbeat& heartbeat_;
};

// The leases that count, one per job.
std::vector<LeaseView> read_leases(const std::filesystem::path& folder);

}  // namespace umf
