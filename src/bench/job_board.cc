#include "bench/job_board.h"

#include <fmt/core.h>

#include <algorithm>

namespace umf {

namespace {

// Names that all workers of a run together look up in a second, and one at most.
constexpr double kLooksPerSecond = 120, kLooksOfOne = 40;
// A look costs three listings and what has changed; so many failed claims are as dear.
constexpr long kListings = 6, kClaimsPerLook = 4;
// Names of a holder: the sign of life and the results. Who waits looks at everybody no more often
// than every so many heartbeats.
constexpr long kNamesOfHolder = 2;
constexpr double kBeatsBetweenLooks = 2;

std::unordered_map<std::string, int> numbered(const std::vector<std::string>& names) {
  std::unordered_map<std::string, int> numbers;
  for (const std::string& name : names) numbers.emplace(name, static_cast<int>(numbers.size()));
  return numbers;
}

std::vector<std::string> names_of(const std::vector<Manifest::Entry>& entries) {
  std::vector<std::string> names;
  for (const Manifest::Entry& entry : entries) names.push_back(entry.name);
  return names;
}

}  // namespace

JobBoard::JobBoard(const RunDirectory& run, const Heartbeat& heartbeat, RunPart part,
                   SteadySeconds clock)
    : run_(run),
      heartbeat_(heartbeat),
      clock_(std::move(clock)),
      part_(std::move(part)),
      keys_(run.manifest(), part_),
      problems_(static_cast<int>(run.manifest().ids.size())),
      seeded_(static_cast<int>(part_.configurations.size())),
      leases_(run.leases(), heartbeat),
      results_(run, BadLines::kAreWarnings),
      problem_of_(numbered(run.manifest().ids)),
      configuration_of_(numbered(names_of(run.manifest().configurations))),
      open_(static_cast<std::size_t>(problems_) * seeded_),
      open_in_(problems_) {
  for (int s = 0; s < seeded_; ++s)
    seeded_of_[{part_.configurations[s].configuration, part_.configurations[s].seed}] = s;
  results_.refresh();
  for (const auto& [key, result] : results_.all()) {
    if (!result.settled()) old_failures_[key] = result.tries;
    count(key, result);
  }
  for (const int p : part_.problems) {
    for (int s = 0; s < seeded_; ++s) note({p, s});
  }
  results_.notify([this](const ResultKey& key) { note_change(key); });
  look();
}

std::vector<long> JobBoard::missing(const Place& place) const {
  const SeededConfiguration& seeded = part_.configurations[place.second];
  const Manifest::Entry& entry = run_.manifest().configurations[seeded.configuration];
  std::vector<long> budgets;
  for (const long budget : seeded.budgets) {
    const ResultKey key{run_.manifest().ids[place.first], entry.name, budget, seeded.seed};
    const Result* result = results_.find(key);
    const auto old = old_failures_.find(key);
    const bool try_again =
        result != nullptr && old != old_failures_.end() && old->second == result->tries;
    if (result == nullptr || (!result->settled() && try_again)) budgets.push_back(budget);
  }
  return budgets;
}

void JobBoard::note_change(const ResultKey& key) {
  if (!keys_.has(key)) return;
  count(key, *results_.find(key));
  const auto place =
      place_of(problem_of_.at(key.id), configuration_of_.at(key.configuration), key.seed);
  if (place) note(*place);
}

// A result that is settled stays so; others may be replaced.
void JobBoard::count(const ResultKey& key, const Result& result) {
  if (!keys_.has(key)) return;
  if (!result.settled()) {
    failed_.insert(key);
    return;
  }
  ++done_;
  failed_.erase(key);
}

std::string JobBoard::job_name(const Place& place) const {
  const SeededConfiguration& seeded = part_.configurations[place.second];
  return run_.manifest().job_name(place.first, seeded.configuration, seeded.seed);
}

// Nothing for what is not of the part.
std::optional<JobBoard::Place> JobBoard::place_of(int problem, int configuration,
                                                  std::uint64_t seed) const {
  const auto seeded = seeded_of_.find({configuration, seed});
  return seeded == seeded_of_.end() ? std::nullopt : std::optional(Place(problem, seeded->second));
}

void JobBoard::note(const Place& place) {
  char& open = open_[number(place)];
  const char now = missing(place).empty() ? 0 : 1;
  open_in_[place.first] += now - open;
  open = now;
}

void JobBoard::look() {
  looked_at_ = clock_();  // what comes while it looks may not be seen
  const long before = results_.operations();
  const auto present = heartbeat_.workers();
  const std::set<std::string> workers(present.begin(), present.end());
  // A listing may be older than a file; who is not in it is asked for by name.
  results_.refresh(
      [&](const std::string& id) { return !workers.contains(id) && heartbeat_.has_left(id); });
  epochs_.clear();
  others_.clear();
  for (const auto& [job, epoch] : leases_.epochs()) {
    const auto named = Manifest::parse_job_name(job);
    if (!named || own_.contains({job, epoch})) continue;
    others_.insert(named->first);
    // Later workers may hold jobs of problems and configurations that this one does not know.
    const auto [problem, configuration] = *named;
    if (problem >= problems_ || configuration >= std::ssize(run_.manifest().configurations))
      continue;
    const auto seed = run_.manifest().seed_of_job(job, configuration);
    if (const auto place = place_of(problem, configuration, seed)) epochs_[*place] = epoch;
  }
  operations_ = kListings + results_.operations() - before;
  workers_ = std::max<long>(1, std::ssize(workers));
  rate_ = std::min(kLooksOfOne, kLooksPerSecond / static_cast<double>(workers_));
  failed_claims_ = 0;
}

void JobBoard::retire(const Lease& lease) {
  leases_.retire(lease);
  own_.erase(lease);
}

void JobBoard::forget(const Lease& lease) {
  leases_.forget(lease);
  own_.erase(lease);
  waits_ = false;
}

double JobBoard::until_next_look() const { return looked_at_ + operations_ / rate_ - clock_(); }

// All who may be waiting look at all who hold something.
double JobBoard::until_next_try() const {
  const long holders = std::ssize(leases_.holders());
  const long waiting = std::max(1L, workers_ - holders);
  return static_cast<double>(kNamesOfHolder * holders * waiting) / kLooksPerSecond;
}

bool JobBoard::watches_holders() const {
  const double pause = kBeatsBetweenLooks * heartbeat_.interval_seconds();
  return waits_ && (until_next_look() > 0 || clock_() - looked_at_ < pause);
}

void JobBoard::look_if_due() {
  const bool many_failed = failed_claims_ >= std::max(2L, operations_ / kClaimsPerLook);
  if (many_failed || until_next_look() <= 0 || clock_() - looked_at_ > kOldestView) look();
}

std::optional<BenchJob> JobBoard::next() {
  others_at_work_ = life_unknown_ = false;
  std::optional<BenchJob> job;
  if (watches_holders())
    results_.refresh_known(leases_.holders());
  else
    job = anywhere();
  if (!job) job = help();
  waits_ = !job;
  return job;
}

std::optional<BenchJob> JobBoard::anywhere() {
  const double before = looked_at_;
  look_if_due();
  auto job = next_free();
  if (job || looked_at_ != before) return job;
  look();
  return next_free();
}

// Of problems that nobody else is at, as far as known.
std::optional<BenchJob> JobBoard::next_free() {
  for (int i = 0; i < problems_; ++i) {
    const int problem = (start_ + i) % problems_;
    if (open_in_[problem] == 0 || others_.contains(problem)) continue;
    if (auto job = next_in(problem)) return job;
    if (!others_.contains(problem)) continue;  // the rest of it is our own
    jump();  // somebody came first, and may well be the first at the next ones, too
    look_if_due();
    i = -1;
  }
  return std::nullopt;
}

bool JobBoard::is_own(const std::string& job) const {
  const auto lease = own_.lower_bound({job, 0});
  return lease != own_.end() && lease->job == job;
}

std::optional<BenchJob> JobBoard::next_in(int problem) {
  for (int s = 0; s < seeded_; ++s) {
    const Place place{problem, s};
    if (!open_[number(place)]) continue;
    const std::string name = job_name(place);
    if (is_own(name)) continue;
    if (const auto lease = leases_.claim_first(name)) {
      if (auto job = checked(place, *lease)) return job;
      continue;
    }
    ++failed_claims_;
    epochs_[place] = std::max(1, epochs_[place]);
    others_.insert(problem);
    return std::nullopt;
  }
  return std::nullopt;
}

// Workers that begin together would otherwise fail at each other's problems one by one.
void JobBoard::jump() {
  const std::string name = fmt::format("{} {}", heartbeat_.self().id, ++jumps_);
  start_ = static_cast<int>(std::hash<std::string>{}(name) % problems_);
}

// What is left is of problems that others are at, or were.
std::optional<BenchJob> JobBoard::help() {
  leases_.look_again();
  for (int i = 0; i < problems_; ++i) {
    const int problem = (start_ + i) % problems_;
    if (open_in_[problem] == 0) continue;
    for (int s = 0; s < seeded_; ++s) {
      const Place place{problem, s};
      if (!open_[number(place)]) continue;
      const std::string name = job_name(place);
      if (is_own(name)) continue;
      const auto known = epochs_.find(place);
      const Leases::Attempt attempt =
          known == epochs_.end() ? Leases::Attempt{leases_.claim_first(name), Life::kUnknown}
                                 : leases_.take_over({name, known->second});
      if (attempt.lease) {
        if (auto job = checked(place, *attempt.lease)) return job;
        continue;
      }
      others_at_work_ = true;
      life_unknown_ = life_unknown_ || attempt.holder == Life::kUnknown;
    }
  }
  return std::nullopt;
}

// It may have been finished between the look and the claim.
std::optional<BenchJob> JobBoard::checked(const Place& place, const Lease& lease) {
  if (lease.epoch > 1)
    results_.refresh_all();
  else if (clock_() - looked_at_ > kOldestView)
    look();
  const SeededConfiguration& seeded = part_.configurations[place.second];
  BenchJob job{place.first, seeded.configuration, seeded.seed, lease, missing(place)};
  if (job.budgets.empty()) {
    leases_.retire(lease);
    return std::nullopt;
  }
  own_.insert(lease);
  start_ = place.first;
  return job;
}

Tally JobBoard::tally() const {
  return {.total = static_cast<int>(part_.results()),
          .done = done_,
          .failed = static_cast<int>(failed_.size())};
}

}  // namespace umf
