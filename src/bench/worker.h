// Who works on a run: processes on any number of machines that share a folder.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <filesystem>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "base/json.h"

namespace umf {

// A process, told apart from every other one that ever was.
struct Identity {
  std::string id;       // for file names: host, pid and a random part
  std::string host;     // for people
  std::string machine;  // this start of this kernel and this space of pids; names may repeat
  long pid = 0;
  std::string started;  // of the pid, in the kernel's ticks: pids come again
};
Identity this_process();

// Whether a process of this same machine has ended. Of other machines nothing is known: false.
bool has_ended(const Identity& process, const Identity& self);

struct WorkerView {
  Identity who;
  double since = 0;    // Unix time
  double silence = 0;  // seconds since its last heartbeat
  bool alive = true;
};

// A file that is touched as long as the process lives. Times are the file system's own, so that the
// clocks of the machines need not agree.
class Heartbeat {
 public:
  // Joins the workers in `folder`. A worker that is silent for six intervals is taken for dead.
  Heartbeat(const std::filesystem::path& folder, Identity self, double interval_seconds);
  ~Heartbeat();  // leaves: what it held is free
  Heartbeat(const Heartbeat&) = delete;
  Heartbeat& operator=(const Heartbeat&) = delete;

  const Identity& self() const { return self_; }
  // Nothing when there is no such worker: it left in good order.
  std::optional<WorkerView> look_at(const std::string& id) const;

 private:
  void beat();

  std::filesystem::path folder_, file_;
  Identity self_;
  double interval_seconds_;
  std::mutex mutex_;
  std::condition_variable wake_;
  bool leaving_ = false;
  std::thread thread_;
};

// A worker as its file tells, by a clock that says `now` (Unix time, of the file system).
std::optional<WorkerView> read_worker(const std::filesystem::path& file, const Identity& self,
                                      double now);

}  // namespace umf
