#include "bench/job_board.h"

#include <set>
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
  for (const long budget : entry.recorded()) {
    const ResultKey key{run_.manifest().ids[problem], entry.name, budget};
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
  std::map<std::pair<int, int>, std::string> holders;
  // Problems that somebody else is at: with a job that is done, too, for it is about to claim the
  // next one there.
  std::set<int> others;
  for (const auto& [job, holder] : leases_.held()) {
    const auto place = Manifest::parse_job_name(job);
    if (!place) continue;
    holders[*place] = holder;
    if (holder != self_) others.insert(place->first);
  }
  others_at_work_ = false;
  for (const bool helping : {false, true}) {
    for (int p = first_open_; p < std::ssize(run_.manifest().ids); ++p) {
      if (others.contains(p) != helping) continue;
      bool done = true;
      for (int c = 0; c < std::ssize(run_.manifest().configurations); ++c) {
        if (missing(p, c).empty()) continue;
        done = false;
        if (const auto holder = holders.find({p, c}); holder != holders.end()) {
          others_at_work_ |= holder->second != self_;
          continue;
        }
        if (auto job = claim(p, c)) return job;
        if (helping) continue;
        others.insert(p);  // somebody came first
        break;
      }
      if (done && p == first_open_) ++first_open_;
    }
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
    tally.total += static_cast<int>(run_.manifest().ids.size() * entry.recorded().size());
  for (const auto& [key, result] : results_.all()) ++(result.settled() ? tally.done : tally.failed);
  return tally;
}

}  // namespace umf
