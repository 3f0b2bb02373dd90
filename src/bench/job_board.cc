#include "bench/job_board.h"

#include <utility>

namespace umf {

JobBoard::JobBoard(const RunDirectory& run, const Heartbeat& heartbeat)
    : run_(run),
      self_(heartbeat.self().id),
      leases_(run.leases(), heartbeat),
      results_(run.results()) {
  results_.refresh();
  for (const auto& [key, result] : results_.all()) {
    if (!result.settled()) old_failures_[key] = result.tries;
  }
}

std::vector<long> JobBoard::missing(int problem, int configuration) const {
  const Manifest::Entry& entry = run_.manifest().configurations[configuration];
  std::vector<long> budgets;
  for (const long budget : entry.budgets) {
    const ResultKey key{run_.manifest().ids[problem], entry.name, budget};
    const Result* result = results_.find(key);
    const auto old = old_failures_.find(key);
    const bool try_again =
        result != nullptr && old != old_failures_.end() && old->second == result->tries;
    if (result == nullptr || (!result->settled() && try_again)) budgets.push_back(budget);
  }
  return budgets;
}

// Problems that others are at come last: whoever has one shares walks between its configurations.
std::optional<BenchJob> JobBoard::next() {
  results_.refresh();
  const auto held = leases_.held();
  others_at_work_ = false;
  std::vector<std::pair<int, int>> shared;  // problem, configuration
  const Manifest& manifest = run_.manifest();
  for (int p = first_open_; p < static_cast<int>(manifest.ids.size()); ++p) {
    std::vector<int> open;
    bool busy = false, done = true;
    for (int c = 0; c < static_cast<int>(manifest.configurations.size()); ++c) {
      const auto holder = held.find(Manifest::job_name(p, c));
      const bool another = holder != held.end() && holder->second != self_;
      busy |= another;  // with a job that is done, too: it is about to claim the next one here
      if (missing(p, c).empty()) continue;
      done = false;
      if (holder == held.end()) open.push_back(c);
      others_at_work_ |= another;
    }
    if (done && p == first_open_) ++first_open_;
    for (const int c : open) {
      if (!busy) {
        if (auto job = claim(p, c)) return job;
        busy = true;  // somebody came first
      } else {
        shared.emplace_back(p, c);
      }
    }
  }
  for (const auto& [problem, configuration] : shared) {
    if (auto job = claim(problem, configuration)) return job;
  }
  return std::nullopt;
}

std::optional<BenchJob> JobBoard::claim(int problem, int configuration) {
  auto lease = leases_.claim(Manifest::job_name(problem, configuration));
  if (!lease) {
    others_at_work_ = true;
    return std::nullopt;
  }
  results_.refresh();  // it may have been finished between the look and the claim
  BenchJob job{problem, configuration, *lease, missing(problem, configuration)};
  if (!job.budgets.empty()) return job;
  leases_.retire(job.lease);
  return std::nullopt;
}

Tally JobBoard::tally() const {
  Tally tally;
  for (const Manifest::Entry& entry : run_.manifest().configurations)
    tally.total += static_cast<int>(run_.manifest().ids.size() * entry.budgets.size());
  for (const auto& [key, result] : results_.all()) ++(result.settled() ? tally.done : tally.failed);
  return tally;
}

}  // namespace umf
