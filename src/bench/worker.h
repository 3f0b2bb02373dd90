// Who works on a run: processes on any number of machines that share a folder.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <filesystem>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "base/json.h"
#include "bench/worker_watch.h"

namespace umf {

// A file with a count that goes on as long as the process lives, and a watch of the others:
// nobody's clock is compared with anybody else's.
class Heartbeat {
 public:
  // Joins the workers in `folder`. A worker that is silent for six intervals is taken for dead; it
  // beats four times in each, so that whoever looks learns soon. `about` is an object that others
  // find in its file.
  Heartbeat(const std::filesystem::path& folder, Identity self, double interval_seconds,
            Json about = Json::object(), SteadySeconds clock = steady_seconds);
  ~Heartbeat();  // leaves: what it held is free
  Heartbeat(const Heartbeat&) = delete;
  Heartbeat& operator=(const Heartbeat&) = delete;

  const Identity& self() const { return self_; }
  double age() const { return clock_() - began_; }  // seconds since it joined
  double interval_seconds() const { return interval_seconds_; }
  // Time of this process in which its own beats went through.
  double answered_seconds() const { return watch_.answered_seconds(); }
  // A sign of life; they come by themselves, too. One that fails is one of those that may be
  // missed.
  void beat();

  // Nothing when there is no such worker: it left in good order.
  std::optional<WorkerView> look_at(const std::string& id) const;
  bool has_left(const std::string& id) const;
  std::vector<std::string> workers() const { return watch_.workers(); }
  void forget_the_dead() const;  // removes the files of workers that are not alive

 private:
  void keep_beating();
  std::string record() const;

  std::filesystem::path folder_, file_;
  Identity self_;
  double interval_seconds_;
  Json about_;
  SteadySeconds clock_;
  double began_, since_;
  mutable WorkerWatch watch_;
  std::mutex beat_mutex_;
  mutable std::mutex mutex_;
  std::uint64_t beats_ = 0;
  bool folder_is_gone_ = false;
  std::condition_variable wake_;
  bool leaving_ = false;
  std::thread thread_;
};

}  // namespace umf
