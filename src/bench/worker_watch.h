// Which workers of a run live: by a count of beats that each writes into a file of its own.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "bench/identity.h"

namespace umf {

// So many heartbeats without a beat, and a worker is taken for dead.
constexpr double kBeatsMissed = 6;

// A clock that never jumps, in seconds from some moment on.
using SteadySeconds = std::function<double()>;
double steady_seconds();

// Time in which something of our own went through. A server that pauses, or a process that was
// frozen, stops it: of the time between two answers no more than `most` seconds count.
class AnsweredTime {
 public:
  AnsweredTime(double most, SteadySeconds clock);
  void answered();
  double seconds() const { return seconds_; }

 private:
  double most_;
  SteadySeconds clock_;
  double last_, seconds_ = 0;
};

enum class Life {
  kAlive,    // it was seen to beat, or its process is running on this machine
  kUnknown,  // watched for too short a time to tell
  kDead,     // its process has ended on this machine, or it was silent for too long
};
const char* name_of(Life life);  // "alive", "unknown", "dead"

// A worker as its file tells.
struct WorkerView {
  Identity who;
  Json about;            // an object: what the worker was told to say of itself, as "devices"
  double since = 0;      // Unix time by its own clock, for people
  double age = 0;        // seconds since then at its last beat, by its own clock
  double heartbeat = 0;  // seconds
  Life life = Life::kUnknown;
  double silence = 0;  // seconds in which the watcher could have seen a beat, and did not

  // One whose life is unknown may hold what it holds.
  bool may_live() const { return life != Life::kDead; }
};

// One who watches workers. No clock of another machine and no time of a file is asked: what counts
// is whether a file changed between two looks, and how much time went by for the watcher in which
// the file system answered it. May be used from several threads.
class WorkerWatch {
 public:
  // Nobody is taken for dead before six times `patience` seconds, the watcher's own heartbeat.
  WorkerWatch(std::filesystem::path folder, Identity self, double patience,
              double most_between_answers, SteadySeconds clock = steady_seconds);

  // The file system has just answered us.
  void answered();
  double answered_seconds() const;
  // Nothing when there is no such worker: it left in good order.
  std::optional<WorkerView> look_at(const std::string& id);
  // Those who have a file, by name.
  std::vector<std::string> workers() const;

 private:
  struct Seen {
    std::string bytes;
    double at = 0;  // in answered time
    bool beat = false;
  };

  std::filesystem::path folder_;
  Identity self_;
  double patience_;
  mutable std::mutex mutex_;
  AnsweredTime time_;
  std::map<std::string, Seen> seen_;
};

}  // namespace umf
