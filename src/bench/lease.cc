#include "bench/lease.h"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/files.h"
#include "base/utc.h"

namespace umf {
namespace {

// JOB.EPOCH; nothing for other files, such as unfinished ones.
std::optional<Lease> parse_name(const std::string& name) {
  const std::size_t dot = name.rfind('.');
  if (dot == std::string::npos) return std::nullopt;
  Lease lease{name.substr(0, dot), 0};
  const char *begin = name.data() + dot + 1, *end = name.data() + name.size();
  const auto [stop, failure] = std::from_chars(begin, end, lease.epoch);
  if (failure != std::errc() || stop != end || lease.epoch < 1) return std::nullopt;
  return lease;
}

std::string name_of(const Lease& lease) { return fmt::format("{}.{}", lease.job, lease.epoch); }

}  // namespace

std::map<std::string, int> highest_epochs(const std::filesystem::path& folder) {
  std::map<std::string, int> epochs;
  for (const std::string& name : names_in(folder)) {
    if (const auto lease = parse_name(name))
      epochs[lease->job] = std::max(epochs[lease->job], lease->epoch);
  }
  return epochs;
}

std::optional<LeaseView> read_lease(const std::filesystem::path& folder, const Lease& lease) {
  const std::filesystem::path file = folder / name_of(lease);
  const auto text = read_if_there(file);
  if (!text) return std::nullopt;
  const Json json = Json::parse(*text, nullptr, false);
  // Empty, a part, or zeros where a network file system has the size and not yet the bytes.
  if (json.is_discarded()) return LeaseView{lease, ""};
  if (!json.is_object() || !json.contains("worker") || !json["worker"].is_string() ||
      json["worker"] == "" || !json.contains("since") || !json["since"].is_number() ||
      !json.value("age", Json(0.0)).is_number()) {
    throw Error(fmt::format("'{}' is not a lease; remove it", file.string()));
  }
  return LeaseView{lease, json["worker"], json["since"], json.value("age", 0.0)};
}

std::vector<LeaseView> read_leases(const std::filesystem::path& folder) {
  std::vector<LeaseView> views;
  for (const auto& [job, epoch] : highest_epochs(folder)) {
    if (auto view = read_lease(folder, {job, epoch})) views.push_back(*std::move(view));
  }
  return views;
}

std::filesystem::path Leases::file(const Lease& lease) const { return folder_ / name_of(lease); }

std::map<std::string, int> Leases::epochs() {
  known_.clear();  // one that was retired may have been made anew by somebody else
  return highest_epochs(folder_);
}

std::optional<LeaseView> Leases::view_of(const Lease& lease) const {
  const auto known = known_.find(lease);
  if (known != known_.end()) return known->second;
  auto view = read_lease(folder_, lease);
  if (view && !view->holder.empty()) known_.emplace(lease, *view);
  return view;
}

// Of its holder. A lease that stays empty was left so by one who died in between.
Life Leases::life_of(const LeaseView& view) const {
  if (view.holder == heartbeat_.self().id) return Life::kAlive;
  if (!view.holder.empty()) {
    const auto worker = heartbeat_.look_at(view.holder);
    return worker ? worker->life : Life::kDead;
  }
  const double now = heartbeat_.answered_seconds();
  const double since = being_made_.try_emplace(view.lease, now).first->second;
  const bool waits = now - since < kBeatsMissed * heartbeat_.interval_seconds();
  return waits ? Life::kUnknown : Life::kDead;
}

std::map<std::string, std::string> Leases::held() const {
  std::map<std::string, std::string> jobs;
  std::map<std::string, Life> lives;
  for (const LeaseView& view : read_leases(folder_)) {
    const auto known = view.holder.empty() ? lives.end() : lives.find(view.holder);
    const Life life = known == lives.end() ? life_of(view) : known->second;
    if (!view.holder.empty()) lives[view.holder] = life;
    if (life != Life::kDead) jobs[view.lease.job] = view.holder;
  }
  return jobs;
}

// One that we have and do not know of would be held for ever.
std::optional<Lease> Leases::adopt(const Lease& lease) {
  return own_.insert(lease).second ? std::optional(lease) : std::nullopt;
}

std::optional<Lease> Leases::make(const Lease& lease) {
  const Json json = {
      {"worker", heartbeat_.self().id}, {"since", unix_time()}, {"age", heartbeat_.age()}};
  if (!make_file(file(lease), json.dump() + "\n")) {
    // Over a network the answer may have been lost and the request repeated: then it is ours.
    known_.erase(lease);
    const auto there = view_of(lease);
    if (!there || there->holder != heartbeat_.self().id) return std::nullopt;
  }
  return adopt(lease);
}

std::optional<Lease> Leases::claim_first(const std::string& job) { return make({job, 1}); }

std::optional<Lease> Leases::claim(const std::string& job) {
  Lease highest{job, 0};
  while (is_there(file({job, highest.epoch + 1}))) ++highest.epoch;
  look_again();
  return highest.epoch == 0 ? claim_first(job) : take_over(highest).lease;
}

Leases::Attempt Leases::take_over(const Lease& highest) {
  const auto current = view_of(highest);
  if (!current) return {std::nullopt, Life::kUnknown};  // retired meanwhile
  if (current->holder == heartbeat_.self().id) return {adopt(highest), Life::kAlive};
  const auto known = looked_at_.find(current->holder);
  const Life life = known == looked_at_.end() ? life_of(*current) : known->second;
  if (!current->holder.empty()) looked_at_[current->holder] = life;
  if (life != Life::kDead) return {std::nullopt, life};
  // Retired by who has left since, and made anew?
  known_.erase(highest);
  const auto now = view_of(highest);
  if (!now || now->holder != current->holder) return {std::nullopt, Life::kUnknown};
  auto lease = make({highest.job, highest.epoch + 1});
  return {lease, lease ? Life::kDead : Life::kUnknown};
}

std::set<std::string> Leases::holders() const {
  std::set<std::string> ids;
  for (const auto& [id, life] : looked_at_) ids.insert(id);
  return ids;
}

bool Leases::holds(const Lease& lease) const {
  const auto view = read_lease(folder_, lease);
  return view && view->holder == heartbeat_.self().id &&
         !is_there(file({lease.job, lease.epoch + 1}));
}

void Leases::tidy() {
  const auto held_jobs = held();
  for (const auto& [job, epoch] : highest_epochs(folder_)) {
    if (!held_jobs.contains(job)) retire({job, epoch});
  }
  heartbeat_.forget_the_dead();
}

void Leases::retire(const Lease& lease) {
  // From below, so that the highest counts to the last.
  for (int epoch = 1; epoch <= lease.epoch; ++epoch) {
    ::unlink(file({lease.job, epoch}).c_str());
    own_.erase({lease.job, epoch});
    known_.erase({lease.job, epoch});
    being_made_.erase({lease.job, epoch});
  }
}

}  // namespace umf
