#include "bench/status.h"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>

#include "base/utc.h"
#include "bench/lease.h"
#include "bench/result_log.h"
#include "bench/table.h"

namespace umf {
namespace {

using Ordered = nlohmann::ordered_json;

// The pace is taken from the last so many results: earlier workers may be gone.
constexpr std::size_t kRecent = 200;
// Lines that go on stand under what the first says behind its state.
constexpr std::string_view kUnderState = "         ";

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
std::pair<std::string, std::string> names_of(const std::string& job, const Manifest& manifest) {
  const auto place = Manifest::parse_job_name(job);
  if (!place || place->first >= std::ssize(manifest.ids) ||
      place->second >= std::ssize(manifest.configurations))
    return {"?", "?"};
  return {manifest.ids[place->first], manifest.configurations[place->second].name};
}

Ordered jobs_json(const RunDirectory& run) {
  const Identity self = this_process();
  Ordered jobs = Ordered::array();
  for (const LeaseView& view : read_leases(run.leases())) {
    const auto worker = read_worker(run.workers() / (view.holder + ".json"), self, unix_time());
    if (!worker) continue;  // left in good order: nobody holds it
    const auto [id, configuration] = names_of(view.lease.job, run.manifest());
    jobs.push_back({{"id", id},
                    {"configuration", configuration},
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
  ResultIndex results(run.results());
  results.refresh();
  int total = 0, done = 0, judged = 0, running = 0, stale = 0;
  for (const Manifest::Entry& entry : run.manifest().configurations)
    total += static_cast<int>(run.manifest().ids.size() * entry.recorded().size());
  Ordered failures = Ordered::array();
  for (const auto& [key, result] : results.all()) {
    if (result.settled()) {
      ++done;
      judged += result.passed.has_value();
    } else {
      failures.push_back({{"id", key.id},
                          {"configuration", key.configuration},
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
  text = wrapped(text, kUnderState);
  for (const Ordered& job : status["jobs"]) {
    text +=
        wrapped(fmt::format("{:<8} {} {}, {} pid {}, for {:.0f} s", job["state"].get<std::string>(),
                            job["id"].get<std::string>(), job["configuration"].get<std::string>(),
                            job["host"].get<std::string>(), job["pid"].get<long>(),
                            std::max(0.0, unix_time() - job["since"].get<double>())),
                kUnderState);
  }
  for (const Ordered& failure : status["failures"]) {
    text += wrapped(
        fmt::format("{:<8} {} {} at {}: {}", failure["status"].get<std::string>(),
                    failure["id"].get<std::string>(), failure["configuration"].get<std::string>(),
                    failure["budget"].get<long>(), failure["why"].get<std::string>()),
        kUnderState);
  }
  return text;
}

}  // namespace umf
