#include "bench/job_board.h"

#include <set>
#include <utility>

namespace umf {

JobBoard::JobBoard(const RunDirectory& run, const Heartbeat& heartbeat, RunPart part)
    : run_(run),
      part_(std::move(part)),
      keys_(run.manifest(), part_),
      self_(heartbeat.self().id),
      leases_(run.leases(), heartbeat),
      results_(run) {
  results_.refresh();
  for (const auto& [key, result] : results_.all()) {
    if (!result.settled()) old_failures_[key] = result.tries;
  }
}

std::vector<long> JobBoard::missing(int problem, const Strand& strand) const {
  const Manifest::Entry& entry = run_.manifest().configurations[strand.configuration];
  std::vector<long> budgets;
  for (const long budget : strand.budgets) {
    const ResultKey key{run_.manifest().ids[problem], entry.name, budget, strand.seed};
    const Result* result = results_.find(key);
    const auto old = old_failures_.find(key);
    const bool try_again =
        result != nullptr && old != old_failures_.end() && old->second == result->tries;
    if (result == nullptr || (!result->settled() && try_again)) budgets.push_back(budget);
  }
  return budgets;
}

std::optional<BenchJob> JobBoard::next() {
  results_.refresh();
  const std::map<std::string, std::string> holders = leases_.held();
  // Problems that somebody else is at: with a job that is done, too, for it is about to claim the
  // next one there.
  std::set<int> others;
  for (const auto& [job, holder] : holders) {
    const auto place = Manifest::parse_job_name(job);
    if (place && holder != self_) others.insert(place->first);
  }
  others_at_work_ = false;
  for (const bool helping : {false, true}) {
    for (std::size_t i = first_open_; i < part_.problems.size(); ++i) {
      const int problem = part_.problems[i];
      if (others.contains(problem) != helping) continue;
      bool done = true;
      for (const Strand& strand : part_.strands) {
        if (missing(problem, strand).empty()) continue;
        done = false;
        const std::string job =
            run_.manifest().job_name(problem, strand.configuration, strand.seed);
        if (const auto holder = holders.find(job); holder != holders.end()) {
          others_at_work_ |= holder->second != self_;
          continue;
        }
        if (auto claimed = claim(problem, strand)) return claimed;
        if (helping) continue;
        others.insert(problem);  // somebody came first
        break;
      }
      if (done && i == first_open_) ++first_open_;
    }
  }
  return std::nullopt;
}

std::optional<BenchJob> JobBoard::claim(int problem, const Strand& strand) {
  auto lease = leases_.claim(run_.manifest().job_name(problem, strand.configuration, strand.seed));
  if (!lease) {
    others_at_work_ = true;
    return std::nullopt;
  }
  results_.refresh();  // it may have been finished between the look and the claim
  BenchJob job{problem, strand.configuration, strand.seed, *lease, missing(problem, strand)};
  if (!job.budgets.empty()) return job;
  leases_.retire(job.lease);
  return std::nullopt;
}

Tally JobBoard::tally() const {
  Tally tally{.total = static_cast<int>(part_.results())};
  // Other workers' may be of what the run has grown by.
  for (const auto& [key, result] : results_.all()) {
    if (keys_.has(key)) ++(result.settled() ? tally.done : tally.failed);
  }
  return tally;
}

}  // namespace umf
