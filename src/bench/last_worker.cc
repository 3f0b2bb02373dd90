#include "bench/last_worker.h"

#include <algorithm>
#include <chrono>
#include <thread>

#include "base/files.h"
#include "bench/run_part.h"
#include "bench/views.h"

namespace umf {
namespace {

// Those who only look stay for moments: nobody need wait long to know that one of them is gone.
constexpr double kHeartbeat = 1;
constexpr double kPause = 0.1, kMostBetweenLooks = 10;

bool somebody_is_dead(const Heartbeat& heartbeat) {
  return std::ranges::any_of(heartbeat.workers(), [&](const std::string& id) {
    const auto worker = heartbeat.look_at(id);
    return worker && !worker->may_live();
  });
}

bool somebody_lives(const RunDirectory& run) {
  WorkerWatch watch(run.workers(), this_process(), 0, kMostBetweenLooks);
  return std::ranges::any_of(watch.workers(), [&](const std::string& id) {
    const auto worker = watch.look_at(id);
    return worker && worker->life == Life::kAlive;
  });
}

}  // namespace

bool is_complete(const RunDirectory& run, const ResultIndex& results) {
  const RunDirectory now = RunDirectory::open(run.folder());
  const RunPart all = whole(now.manifest());
  const PartKeys keys(now.manifest(), all);
  return all.results() == std::ranges::count_if(results.all(), [&](const auto& one) {
           return one.second.settled() && keys.has(one.first);
         });
}

void clear_away(const RunDirectory& run, Leases& leases, const Heartbeat& heartbeat) {
  run.remove_checkpoints();
  leases.tidy();
  run.remove_drafts(heartbeat.workers());
}

LastSteps finish_for_killed_worker(const RunDirectory& run, double patience) {
  if (names_in(run.workers()).empty() || somebody_lives(run)) return LastSteps::kNotLeft;
  ResultIndex results(run, BadLines::kAreWarnings);
  const double until = steady_seconds() + patience;
  const Heartbeat heartbeat(run.workers(), this_process(), kHeartbeat);
  Leases leases(run.leases(), heartbeat);
  SharedViews views(run, leases);
  while (!views.finish(results)) {
    if (steady_seconds() >= until) return LastSteps::kNotKnown;
    std::this_thread::sleep_for(std::chrono::duration<double>(kPause));
  }
  // Who had the views may also have left in good order just now.
  const bool written = views.has_written() && somebody_is_dead(heartbeat);
  clear_away(run, leases, heartbeat);
  return written ? LastSteps::kTaken : LastSteps::kNotLeft;
}

}  // namespace umf
