// How far a run is, from its directory alone. Writes nothing.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <utility>
#include <vector>

#include "bench/identity.h"
#include "bench/result_log.h"
#include "bench/run_directory.h"
#include "bench/worker_watch.h"

namespace umf {

// One look after another: who lives is known by what has changed in between. Each is at the run as
// it then is: others may extend it meanwhile.
class RunWatch {
 public:
  explicit RunWatch(RunDirectory run);

  // {"total","done","judged","failed","left","left_out","running","stale","unknown","complete",
  // "per_hour","seconds_left",
  // "workers":[{"id","host","pid","life","seconds","silent_seconds","jobs","done","per_hour",
  //             "about"}],
  // "devices","mixed_devices",
  // "jobs":[{"id","configuration","seed","state","worker","host","pid","since","seconds",
  //          "silent_seconds"}],
  // "failures":[{"id","configuration","seed","budget","status","tries","why"}],"warnings":[...]}
  // Counts are results, problem × configuration × budget, but for running, stale and unknown, which
  // are jobs. "life" is a name_of(Life); a job of one of unknown life is "unknown", of a dead one
  // "stale". "seconds" are by the worker's own clock at its last beat; "since" is Unix time by that
  // clock, for people. "about" is what the worker says of itself.
  nlohmann::ordered_json look();

 private:
  void follow();

  RunDirectory run_;
  Identity self_;
  ResultIndex results_;
  WorkerWatch watch_;
};

// Looks until it is known whether those live who hold jobs, for about `patience` seconds at most.
nlohmann::ordered_json run_status(const RunDirectory& run, double patience);

enum class Left {
  kNothing,   // the run is complete
  kFailures,  // all was tried
  kOthers,    // somebody who lives is at work
  kFree,      // and nobody is
};
// Looks until that is known: for six heartbeats of those who have not left, where they are silent.
std::pair<nlohmann::ordered_json, Left> run_status_and_left(const RunDirectory& run);

std::string status_text(const nlohmann::ordered_json& status);
std::string status_line(const nlohmann::ordered_json& status);  // its first: how far the run is
// What failed and what could not be read, a text each.
std::vector<std::string> troubles_of(const nlohmann::ordered_json& status);

}  // namespace umf
