#include "sandbox/kept_waiting.h"

#include <algorithm>
#include <utility>

namespace umf {
namespace {

constexpr double kIdle = 1e-3;  // seconds of a process that only looked whether there is something
// A wait that may follow a sleep: some neighbours, each for as long as a kernel lets it run.
constexpr double kOneWait = 0.03;

}  // namespace

const KeptWaiting::Known& KeptWaiting::known(const ThreadUse& thread) const {
  static const Known kNew;
  const auto found = threads_.find(thread.id);
  if (found == threads_.end() || thread.ran_seconds < found->second.use.ran_seconds) return kNew;
  return found->second;
}

double KeptWaiting::ran(const ProcessUse& process) const {
  const auto found = cpu_seconds_.find(process.pid);
  if (found == cpu_seconds_.end() || process.cpu_seconds < found->second)
    return process.cpu_seconds;
  return process.cpu_seconds - found->second;
}

// The kernel counts a wait when it is over: of one that lasts, looks tell. Who was runnable at both
// ends of a stretch and has not run or slept in between waited for all of it. What is then counted
// in the end began before those looks, in the room that was left.
// `waited`: what of it was not its own doing.
KeptWaiting::Known KeptWaiting::after(const ThreadUse& now, const Stretch& stretch,
                                      double& waited) const {
  const Known& before = known(now);
  const ThreadUse& then = before.use;
  const double ran = now.ran_seconds - then.ran_seconds;
  const double told = now.waited_seconds - then.waited_seconds;
  Known after{.use = now};
  if (then.runnable && now.runnable && ran == 0 && told == 0 && now.slept == then.slept) {
    after.waiting = before.waiting + stretch.seconds;
    after.room = before.room;
    waited = stretch.seconds;
  } else {
    const double free = std::max(0.0, stretch.seconds - ran);
    waited = std::clamp(told - before.waiting, 0.0, free + before.room);
    const double others = std::max(0.0, stretch.ran - ran);
    after.room = stretch.crowded ? 0 : std::max(0.0, free - waited - others);
  }
  const double owed = before.owed + kOneWait * static_cast<double>(now.slept - then.slept);
  after.owed = std::max(0.0, owed - waited);
  // Whoever ran since it slept has queued. The last sleep may not be over.
  if (now.slept != then.slept)
    after.owed = std::min(after.owed, kOneWait);
  else if (ran > 0)
    after.owed = 0;
  waited = std::max(0.0, waited - owed);
  return after;
}

// Whether two processes of programs ran, or would have liked to.
bool KeptWaiting::crowded(const std::vector<ProcessUse>& processes, const Stretch& stretch) const {
  const auto wants = [&](const ProcessUse& process) {
    double wanted = ran(process);
    for (const ThreadUse& thread : process.threads) {
      double waited;
      after(thread, stretch, waited);
      wanted += waited;
    }
    return process.program && wanted > kIdle;
  };
  return std::count_if(processes.begin(), processes.end(), wants) > 1;
}

void KeptWaiting::look(double now, const std::vector<ProcessUse>& processes) {
  Stretch stretch{.seconds = now - last_};
  for (const ProcessUse& process : processes) stretch.ran += ran(process);
  stretch.crowded = crowded(processes, stretch);
  double longest = 0;
  std::unordered_map<int, double> cpu_seconds;
  std::unordered_map<int, Known> threads;
  for (const ProcessUse& process : processes) {
    cpu_seconds[process.pid] = process.cpu_seconds;
    for (const ThreadUse& thread : process.threads) {
      double waited;
      threads[thread.id] = after(thread, stretch, waited);
      const double others =
          std::max(0.0, stretch.ran - (thread.ran_seconds - this->known(thread).use.ran_seconds));
      longest = std::max(longest, waited - others);
    }
  }
  cpu_seconds_ = std::move(cpu_seconds);
  threads_ = std::move(threads);
  if (longest > 0 && !stretch.crowded) {
    waits_.push_back({last_, total_});
    total_ = std::min(total_ + longest, now - begin_);
  }
  last_ = now;
}

double KeptWaiting::since(double begin) const {
  const auto first =
      std::lower_bound(waits_.begin(), waits_.end(), begin,
                       [](const Wait& wait, double time) { return wait.begin < time; });
  return first == waits_.end() ? 0 : total_ - first->before;
}

}  // namespace umf
