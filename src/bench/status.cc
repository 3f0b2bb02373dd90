#include "bench/status.h"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>

#include "bench/lease.h"
#include "bench/result_log.h"
#include "bench/run_part.h"

namespace umf {
namespace {

using Ordered = nlohmann::ordered_json;

// The pace is taken from the last so many results: earlier workers may be gone.
constexpr std::size_t kRecent = 200;

double unix_time() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

// Results per second; nothing while there are too few to tell.
std::optional<double> pace(const ResultIndex& results, bool running) {
  std::vector<double> finished;
  for (const auto& [key, result] : results.all()) {
    if (result.settled()) finished.push_back(result.finished);
  }
  if (finished.size() < 2) return std::nullopt;
  std::sort(finished.begin(), finished.end(), std::greater<>());
  finished.resize(std::min(finished.size(), kRecent));
  const double until = running ? unix_time() : finished.front();
  if (until <= finished.back()) return std::nullopt;
  return (static_cast<double>(finished.size()) - 1) / (until - finished.back());
}

// "00012-003": a problem and a configuration, by number.
struct JobNames {
  std::string id = "?", configuration = "?";
  Ordered seed = nullptr;
};

// Null where the configuration has one alone.
Ordered seed_json(const Manifest::Entry& entry, std::uint64_t seed) {
  return entry.seeds.size() > 1 ? Ordered(seed) : Ordered(nullptr);
}

JobNames names_of(const std::string& job, const Manifest& manifest) {
  const auto place = Manifest::parse_job_name(job);
  if (!place || place->first >= std::ssize(manifest.ids) ||
      place->second >= std::ssize(manifest.configurations))
    return {};
  const Manifest::Entry& entry = manifest.configurations[place->second];
  return {manifest.ids[place->first], entry.name,
          seed_json(entry, manifest.seed_of_job(job, place->second))};
}

std::string seed_text(const Ordered& seed) {
  return seed.is_null() ? "" : fmt::format(" seed {}", seed.get<std::uint64_t>());
}

Ordered jobs_json(const RunDirectory& run) {
  const Identity self = this_process();
  Ordered jobs = Ordered::array();
  for (const LeaseView& view : read_leases(run.leases())) {
    const auto worker = read_worker(run.workers() / (view.holder + ".json"), self, unix_time());
    if (!worker) continue;  // left in good order: nobody holds it
    const JobNames names = names_of(view.lease.job, run.manifest());
    jobs.push_back({{"id", names.id},
                    {"configuration", names.configuration},
                    {"seed", names.seed},
                    {"state", worker->alive ? "running" : "stale"},
                    {"host", worker->who.host},
                    {"pid", worker->who.pid},
                    {"since", view.since},
                    {"silent_seconds", worker->silence}});
  }
  return jobs;
}

}  // namespace

Ordered run_status(const RunDirectory& run) {
  ResultIndex results(run);
  results.refresh();
  const Manifest& manifest = run.manifest();
  const RunPart all = whole(manifest);
  const PartKeys keys(manifest, all);
  const int total = static_cast<int>(all.results());
  int done = 0, judged = 0, running = 0, stale = 0;
  Ordered failures = Ordered::array();
  for (const auto& [key, result] : results.all()) {
    if (!keys.has(key)) continue;
    if (result.settled()) {
      ++done;
      judged += result.passed.has_value();
    } else {
      failures.push_back(
          {{"id", key.id},
           {"configuration", key.configuration},
           {"seed", seed_json(*std::ranges::find(manifest.configurations, key.configuration,
                                                 &Manifest::Entry::name),
                              key.seed)},
           {"budget", key.budget},
           {"status", name_of(result.status)},
           {"tries", result.tries},
           {"why", result.why}});
    }
  }
  const Ordered jobs = jobs_json(run);
  for (const Ordered& job : jobs) ++(job["state"] == "running" ? running : stale);
  const int left = total - done - static_cast<int>(failures.size());
  Ordered per_hour = nullptr, seconds_left = nullptr;
  if (const auto per_second = pace(results, running > 0)) {
    per_hour = *per_second * 3600;
    if (running > 0) seconds_left = left / *per_second;
  }
  return {{"total", total},
          {"done", done},
          {"judged", judged},
          {"failed", failures.size()},
          {"left", left},
          {"left_out", run.manifest().left_out},
          {"running", running},
          {"stale", stale},
          {"complete", done == total},
          {"per_hour", per_hour},
          {"seconds_left", seconds_left},
          {"devices", manifest.devices},
          {"mixed_devices", manifest.devices.size() > 1},
          {"jobs", jobs},
          {"failures", failures}};
}

std::string status_text(const Ordered& status) {
  std::string text = fmt::format(
      "{} of {} done, {} of them judged, {} left, {} failed; {} running, {} stale",
      status["done"].get<int>(), status["total"].get<int>(), status["judged"].get<int>(),
      status["left"].get<int>(), status["failed"].get<int>(), status["running"].get<int>(),
      status["stale"].get<int>());
  if (!status["per_hour"].is_null())
    text += fmt::format("; {:.1f} per hour", status["per_hour"].get<double>());
  if (!status["seconds_left"].is_null())
    text += fmt::format(", {:.0f} min left", status["seconds_left"].get<double>() / 60);
  if (const int left_out = status["left_out"]; left_out > 0)
    text += fmt::format("; {} malformed problems left out", left_out);
  text += "\n";
  if (status["mixed_devices"].get<bool>()) {
    text += "mixed devices, whose results differ in the last bits:\n";
    for (const Ordered& device : status["devices"])
      text += fmt::format("         {}\n", device.get<std::string>());
  }
  for (const Ordered& job : status["jobs"]) {
    text +=
        fmt::format("{:<8} {} {}{}, {} pid {}, for {:.0f} s\n", job["state"].get<std::string>(),
                    job["id"].get<std::string>(), job["configuration"].get<std::string>(),
                    seed_text(job["seed"]), job["host"].get<std::string>(), job["pid"].get<long>(),
                    std::max(0.0, unix_time() - job["since"].get<double>()));
  }
  for (const Ordered& failure : status["failures"]) {
    text += fmt::format("{:<8} {} {}{} at {}: {}\n", failure["status"].get<std::string>(),
                        failure["id"].get<std::string>(),
                        failure["configuration"].get<std::string>(), seed_text(failure["seed"]),
                        failure["budget"].get<long>(), failure["why"].get<std::string>());
  }
  return text;
}

}  // namespace umf
