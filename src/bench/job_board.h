// Which job is next for this worker: not done, not held by another, not failed just now.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "bench/lease.h"
#include "bench/result_log.h"
#include "bench/run_directory.h"
#include "bench/run_part.h"

namespace umf {

// One problem under one configuration and seed, at the budgets that are still missing.
struct BenchJob {
  int problem = 0, configuration = 0;  // numbers in the manifest
  std::uint64_t seed = 0;
  Lease lease;
  std::vector<long> budgets;
};

struct Tally {  // in results: problems × configurations × seeds × budgets
  int total = 0, done = 0, failed = 0;
};

// A job that is done stays claimed for so many seconds. Network file systems tell what was true a
// minute ago; so whoever looked half a minute ago at most, and finds the job free, knows that
// nobody has done it.
constexpr double kKeptWhenDone = 90, kOldestView = 30;

// One thread at a time.
//
// What others do is looked at seldom enough that all workers together ask the server about as
// often, however many they are. In between, a job that another one has taken is found out by the
// claim; and who waits looks at those alone who hold what is missing.
class JobBoard {
 public:
  // Of the jobs of a part of the run.
  JobBoard(const RunDirectory& run, const Heartbeat& heartbeat, RunPart part,
           SteadySeconds clock = steady_seconds);
  JobBoard(const RunDirectory& run, const Heartbeat& heartbeat,
           SteadySeconds clock = steady_seconds)
      : JobBoard(run, heartbeat, whole(run.manifest()), std::move(clock)) {}

  // Claims the next job. Problems that nobody else is at come first: configurations of one problem
  // share their work inside a process. Nothing when all jobs are done, failed or held.
  std::optional<BenchJob> next();
  // Whether some of what is missing is held by other workers, as of the last next() that found
  // nothing; and whether it is known of all of them that they live.
  bool others_at_work() const { return others_at_work_; }
  bool all_known_to_live() const { return !life_unknown_; }

  void retire(const Lease& lease);  // of a job that is done
  void forget(const Lease& lease);  // of a job that another one took over
  // Seconds until a worker that was given nothing should ask again.
  double until_next_try() const;

  Leases& leases() { return leases_; }
  ResultIndex& results() { return results_; }
  Tally tally() const;  // of the part: others' results may be of what the run has grown by

 private:
  using Place =
      std::pair<int, int>;  // a problem's number, and that of one of the part's configurations
  std::size_t number(const Place& place) const {
    return static_cast<std::size_t>(place.first) * seeded_ + place.second;
  }
  std::string job_name(const Place& place) const;
  std::optional<Place> place_of(int problem, int configuration, std::uint64_t seed) const;
  void count(const ResultKey& key, const Result& result);
  std::vector<long> missing(const Place& place) const;
  void note_change(const ResultKey& key);
  void note(const Place& place);
  void look();
  void look_if_due();
  double until_next_look() const;  // seconds
  bool watches_holders() const;
  std::optional<BenchJob> anywhere();
  std::optional<BenchJob> next_free();
  bool is_own(const std::string& job) const;  // claimed, and not yet retired
  std::optional<BenchJob> next_in(int problem);
  std::optional<BenchJob> help();
  std::optional<BenchJob> checked(const Place& place, const Lease& lease);
  void jump();

  const RunDirectory& run_;
  const Heartbeat& heartbeat_;
  SteadySeconds clock_;
  const RunPart part_;
  const PartKeys keys_;
  const int problems_, seeded_;
  Leases leases_;
  ResultIndex results_;
  std::unordered_map<std::string, int> problem_of_, configuration_of_;
  std::map<std::pair<int, std::uint64_t>, int> seeded_of_;  // by configuration and seed
  int done_ = 0;                                            // results of the part
  std::set<ResultKey> failed_;
  // Failures that were there when this worker started, by their tries: it tries these once more.
  std::map<ResultKey, int> old_failures_;
  std::vector<char> open_;       // by number(): something is missing
  std::vector<int> open_in_;     // by problem: how many of these
  std::map<Place, int> epochs_;  // of others' leases, as of the last look or later
  std::set<int> others_;         // problems of these
  std::set<Lease> own_;
  int start_ = 0;  // the problem to look at first
  int jumps_ = 0, failed_claims_ = 0;
  double looked_at_ = 0, rate_ = 1;  // looks that this worker may take in a second
  long operations_ = 0;              // of the last look
  long workers_ = 1;                 // as of that
  bool waits_ = false;               // found nothing the last time
  bool others_at_work_ = false, life_unknown_ = false;
};

}  // namespace umf
