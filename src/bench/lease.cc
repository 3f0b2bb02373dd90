#include "bench/lease.h"

#include <fmt/core.h>

#include <charconv>
#include <chrono>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/files.h"

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

std::map<std::string, int> highest_epochs(const std::filesystem::path& folder) {
  std::map<std::string, int> epochs;
  std::error_code failure;
  for (const auto& entry : std::filesystem::directory_iterator(folder, failure)) {
    if (const auto lease = parse_name(entry.path().filename()))
      epochs[lease->job] = std::max(epochs[lease->job], lease->epoch);
  }
  // Whoever carries a run elsewhere may leave empty folders behind.
  if (failure == std::errc::no_such_file_or_directory) return {};
  if (failure) throw Error(fmt::format("cannot read '{}': {}", folder.string(), failure.message()));
  return epochs;
}

// Nothing when it was retired in the meantime.
std::optional<LeaseView> read_lease(const std::filesystem::path& file, const Lease& lease) {
  std::string text;
  try {
    text = read_file(file);
  } catch (const Error&) {
    if (std::filesystem::exists(file)) throw;
    return std::nullopt;
  }
  const Json json = parse_json(text, file.string());
  if (!json.is_object() || !json.contains("worker") || !json["worker"].is_string() ||
      !json.contains("since") || !json["since"].is_number()) {
    throw Error(fmt::format("'{}' is not a lease; remove it", file.string()));
  }
  return LeaseView{lease, json["worker"], json["since"]};
}

}  // namespace

std::vector<LeaseView> read_leases(const std::filesystem::path& folder) {
  std::vector<LeaseView> views;
  for (const auto& [job, epoch] : highest_epochs(folder)) {
    if (auto view = read_lease(folder / fmt::format("{}.{}", job, epoch), {job, epoch}))
      views.push_back(*std::move(view));
  }
  return views;
}

std::filesystem::path Leases::file(const std::string& job, int epoch) const {
  return folder_ / fmt::format("{}.{}", job, epoch);
}

std::map<std::string, std::string> Leases::held() const {
  std::map<std::string, std::string> jobs;
  std::map<std::string, bool> alive;
  for (const LeaseView& view : read_leases(folder_)) {
    const auto known = alive.find(view.holder);
    if (known == alive.end()) {
      const auto worker = heartbeat_.look_at(view.holder);
      alive[view.holder] = worker && worker->alive;
    }
    if (alive[view.holder]) jobs[view.lease.job] = view.holder;
  }
  return jobs;
}

std::optional<Lease> Leases::claim(const std::string& job) const {
  int epoch = 0;
  while (std::filesystem::exists(file(job, epoch + 1))) ++epoch;
  if (epoch > 0) {
    const auto current = read_lease(file(job, epoch), {job, epoch});
    const auto holder = current ? heartbeat_.look_at(current->holder) : std::nullopt;
    if (holder && holder->alive) return std::nullopt;
  }
  const double now =
      std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
  const Json json = {{"worker", heartbeat_.self().id}, {"since", now}};
  if (!create_file(file(job, epoch + 1), json.dump() + "\n")) return std::nullopt;
  return Lease{job, epoch + 1};
}

bool Leases::holds(const Lease& lease) const {
  return std::filesystem::exists(file(lease.job, lease.epoch)) &&
         !std::filesystem::exists(file(lease.job, lease.epoch + 1));
}

void Leases::tidy() const {
  const auto held_jobs = held();
  for (const LeaseView& view : read_leases(folder_)) {
    if (!held_jobs.contains(view.lease.job)) retire(view.lease);
  }
  heartbeat_.forget_the_dead();
}

void Leases::retire(const Lease& lease) const {
  // From below, so that the highest counts to the last.
  for (int epoch = 1; epoch <= lease.epoch; ++epoch) {
    std::error_code gone;
    std::filesystem::remove(file(lease.job, epoch), gone);
  }
}

}  // namespace umf
