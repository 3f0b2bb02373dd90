#include "bench/status.h"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <thread>
#include <utility>

#include "bench/lease.h"
#include "bench/run_part.h"
#include "bench/table.h"
#include "bench/views.h"

namespace umf {
namespace {

using Ordered = nlohmann::ordered_json;

// Between two looks longer than this, the program may have been frozen.
constexpr double kMostBetweenLooks = 10;
constexpr double kFirstPause = 0.05, kLongestPause = 1;
// Lines that go on stand under what the first says behind its state.
constexpr std::string_view kUnderState = "         ";

using Workers = std::map<std::string, WorkerView>;

Workers look_at_all(WorkerWatch& watch) {
  Workers workers;
  for (const std::string& id : watch.workers()) {
    if (auto view = watch.look_at(id)) workers.emplace(id, *std::move(view));
  }
  return workers;
}

const char* state_of(Life life) {
  if (life == Life::kAlive) return "running";
  return life == Life::kDead ? "stale" : "unknown";
}

struct JobNames {
  std::string id = "?", configuration = "?";
  Ordered seed = nullptr;
};

// Null where the configuration has one alone.
Ordered seed_json(const Manifest::Entry& entry, std::uint64_t seed) {
  return entry.seeds.size() > 1 ? Ordered(seed) : Ordered(nullptr);
}

std::string seed_text(const Ordered& one) {
  const Ordered seed = one.value("seed", Ordered(nullptr));
  return seed.is_null() ? "" : fmt::format(" seed {}", seed.get<std::uint64_t>());
}

Ordered job_json(const LeaseView& lease, const WorkerView& worker, const JobNames& names) {
  return {{"id", names.id},
          {"configuration", names.configuration},
          {"seed", names.seed},
          {"state", state_of(worker.life)},
          {"worker", worker.who.id},
          {"host", worker.who.host},
          {"pid", worker.who.pid},
          {"since", lease.since},
          {"seconds", std::max(0.0, worker.age - lease.age)},
          {"silent_seconds", worker.silence}};
}

// Names of the problem and the configuration, where something of the job is missing.
std::optional<JobNames> open_job(const std::string& job, const Manifest& manifest,
                                 const ResultIndex& results) {
  const auto place = Manifest::parse_job_name(job);
  if (!place || place->first >= std::ssize(manifest.ids) ||
      place->second >= std::ssize(manifest.configurations))
    return JobNames{};
  const std::string& id = manifest.ids[place->first];
  const Manifest::Entry& entry = manifest.configurations[place->second];
  const std::uint64_t seed = manifest.seed_of_job(job, place->second);
  for (const long budget : entry.recorded()) {
    const Result* result = results.find({id, entry.name, budget, seed});
    if (result == nullptr || !result->settled())
      return JobNames{id, entry.name, seed_json(entry, seed)};
  }
  return std::nullopt;
}

// What is held: jobs that are done keep their lease for a while, and who left holds nothing.
Ordered jobs_json(const RunDirectory& run, const ResultIndex& results, const Workers& workers) {
  Ordered jobs = Ordered::array();
  for (const auto& [job, epoch] : highest_epochs(run.leases())) {
    if (job == kViewsJob) continue;
    const auto names = open_job(job, run.manifest(), results);
    if (!names) continue;
    const auto lease = read_lease(run.leases(), {job, epoch});
    if (!lease) continue;
    const auto worker = workers.find(lease->holder);
    if (worker != workers.end()) jobs.push_back(job_json(*lease, worker->second, *names));
  }
  return jobs;
}

// A worker's own pace, by its own clock; nothing before its first result.
Ordered per_hour(const WorkerView& worker, int done) {
  return done > 0 && worker.age > 0 ? Ordered(3600 * done / worker.age) : Ordered(nullptr);
}

Ordered workers_json(const Workers& workers, const ResultIndex& results, const Ordered& jobs) {
  std::map<std::string, int> done, held;
  for (const auto& [key, result] : results.all()) done[result.worker] += result.settled();
  for (const Ordered& job : jobs) ++held[job["worker"].get<std::string>()];
  Ordered list = Ordered::array();
  for (const auto& [id, worker] : workers)
    list.push_back({{"id", id},
                    {"host", worker.who.host},
                    {"pid", worker.who.pid},
                    {"life", name_of(worker.life)},
                    {"seconds", worker.age},
                    {"silent_seconds", worker.silence},
                    {"jobs", held[id]},
                    {"done", done[id]},
                    {"per_hour", per_hour(worker, done[id])},
                    {"about", worker.about}});
  return list;
}

Ordered failure_json(const Result& result, const Manifest& manifest) {
  const auto entry =
      std::ranges::find(manifest.configurations, result.key.configuration, &Manifest::Entry::name);
  return {{"id", result.key.id},
          {"configuration", result.key.configuration},
          {"seed", seed_json(*entry, result.key.seed)},
          {"budget", result.key.budget},
          {"status", name_of(result.status)},
          {"tries", result.tries},
          {"why", result.why}};
}

int count(const Ordered& jobs, const char* state) {
  return static_cast<int>(
      std::ranges::count_if(jobs, [&](const Ordered& job) { return job["state"] == state; }));
}

// Of the workers that live, together; nothing while there is none, or too little to tell.
std::optional<double> pace(const Ordered& workers) {
  double sum = 0;
  for (const Ordered& worker : workers) {
    if (worker["life"] != name_of(Life::kDead) && !worker["per_hour"].is_null())
      sum += worker["per_hour"].get<double>();
  }
  return sum > 0 ? std::optional(sum) : std::nullopt;
}

}  // namespace

RunWatch::RunWatch(RunDirectory run)
    : run_(std::move(run)),
      self_(this_process()),
      results_(run_, BadLines::kAreWarnings),
      watch_(run_.workers(), self_, 0, kMostBetweenLooks) {}

// What a line of results means depends on what the run is known to be: they are read anew.
void RunWatch::follow() {
  RunDirectory now = RunDirectory::open(run_.folder());
  if (now.manifest().json == run_.manifest().json) return;
  run_ = std::move(now);
  results_ = ResultIndex(run_, BadLines::kAreWarnings);
}

Ordered RunWatch::look() {
  follow();
  const Manifest& manifest = run_.manifest();
  results_.refresh();
  results_.sync();  // what is said to be done stays done
  const Workers workers = look_at_all(watch_);
  watch_.answered();
  const RunPart all = whole(manifest);
  const PartKeys keys(manifest, all);
  const int total = static_cast<int>(all.results());
  int done = 0, judged = 0;
  Ordered failures = Ordered::array();
  for (const auto& [key, result] : results_.all()) {
    if (!keys.has(key)) continue;
    done += result.settled();
    judged += result.settled() && result.passed.has_value();
    if (!result.settled()) failures.push_back(failure_json(result, manifest));
  }
  const Ordered jobs = jobs_json(run_, results_, workers);
  const Ordered at_work = workers_json(workers, results_, jobs);
  const int left = total - done - static_cast<int>(failures.size());
  const auto rate = pace(at_work);
  return {{"total", total},
          {"done", done},
          {"judged", judged},
          {"failed", failures.size()},
          {"left", left},
          {"left_out", manifest.left_out},
          {"running", count(jobs, "running")},
          {"stale", count(jobs, "stale")},
          {"unknown", count(jobs, "unknown")},
          {"complete", done == total},
          {"per_hour", rate ? Ordered(*rate) : Ordered(nullptr)},
          {"seconds_left", rate ? Ordered(3600 * left / *rate) : Ordered(nullptr)},
          {"devices", manifest.devices},
          {"mixed_devices", manifest.devices.size() > 1},
          {"workers", at_work},
          {"jobs", jobs},
          {"failures", failures},
          {"warnings", results_.warnings()}};
}

namespace {

// Nothing where it is not known yet.
std::optional<Left> left_of(const Ordered& status) {
  const auto some = [&](Life life) {
    return std::ranges::any_of(
        status["workers"], [&](const Ordered& worker) { return worker["life"] == name_of(life); });
  };
  if (status["complete"].get<bool>()) return Left::kNothing;
  if (status["left"] == 0) return Left::kFailures;
  if (some(Life::kAlive)) return Left::kOthers;
  return some(Life::kUnknown) ? std::nullopt : std::optional(Left::kFree);
}

Ordered look_until(const RunDirectory& run, const std::function<bool(const Ordered&)>& enough) {
  RunWatch watch(run);
  for (double pause = kFirstPause;; pause = std::min(1.5 * pause, kLongestPause)) {
    Ordered status = watch.look();
    if (enough(status)) return status;
    std::this_thread::sleep_for(std::chrono::duration<double>(pause));
  }
}

}  // namespace

Ordered run_status(const RunDirectory& run, double patience) {
  const double until = steady_seconds() + patience;
  return look_until(run, [&](const Ordered& status) {
    return status["unknown"] == 0 || steady_seconds() >= until;
  });
}

std::pair<Ordered, Left> run_status_and_left(const RunDirectory& run) {
  Ordered status = look_until(run, [](const Ordered& one) { return left_of(one).has_value(); });
  const Left left = *left_of(status);
  return {std::move(status), left};
}

std::string status_line(const Ordered& status) {
  std::string text = fmt::format(
      "{} of {} done, {} of them judged, {} left, {} failed; {} running, {} stale",
      status["done"].get<int>(), status["total"].get<int>(), status["judged"].get<int>(),
      status["left"].get<int>(), status["failed"].get<int>(), status["running"].get<int>(),
      status["stale"].get<int>());
  if (const int unknown = status["unknown"]; unknown > 0)
    text += fmt::format(", {} not heard of yet", unknown);
  if (!status["per_hour"].is_null())
    text += fmt::format("; {:.1f} per hour", status["per_hour"].get<double>());
  if (!status["seconds_left"].is_null())
    text += fmt::format(", {:.0f} min left", status["seconds_left"].get<double>() / 60);
  if (const int left_out = status["left_out"]; left_out > 0)
    text += fmt::format("; {} malformed problems left out", left_out);
  return text;
}

std::vector<std::string> troubles_of(const Ordered& status) {
  std::vector<std::string> lines;
  if (status.value("mixed_devices", false)) {
    std::string kinds;
    for (const Ordered& device : status["devices"])
      kinds += (kinds.empty() ? "" : "; ") + device.get<std::string>();
    lines.push_back("mixed devices, whose results differ in the last bits: " + kinds);
  }
  for (const Ordered& failure : status["failures"]) {
    lines.push_back(fmt::format("{:<8} {} {}{} at {}: {}", failure["status"].get<std::string>(),
                                failure["id"].get<std::string>(),
                                failure["configuration"].get<std::string>(), seed_text(failure),
                                failure["budget"].get<long>(), failure["why"].get<std::string>()));
  }
  for (const Ordered& warning : status["warnings"])
    lines.push_back(fmt::format("warning: {}", warning.get<std::string>()));
  return lines;
}

std::string status_text(const Ordered& status) {
  std::string text = wrapped(status_line(status), kUnderState);
  for (const Ordered& job : status["jobs"]) {
    const std::string line = fmt::format(
        "{:<8} {} {}{}, {} pid {}, for {:.0f} s", job["state"].get<std::string>(),
        job["id"].get<std::string>(), job["configuration"].get<std::string>(), seed_text(job),
        job["host"].get<std::string>(), job["pid"].get<long>(), job["seconds"].get<double>());
    text += wrapped(line, kUnderState);
  }
  for (const std::string& trouble : troubles_of(status)) text += wrapped(trouble, kUnderState);
  return text;
}

}  // namespace umf
