// Jobs for the server's devices, one at a time for each, in the order in which they came.
#pragma once

#include <chrono>
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "server/job.h"

namespace umf {

struct DeviceCounts {
  int running = 0;
  long jobs = 0, nfe = 0;  // of jobs that have ended, however
  double busy_seconds = 0;
};

struct QueueCounts {
  int waiting = 0, running = 0;
  long done = 0, failed = 0, cancelled = 0;  // cancelled: the client left, or time ran out
  long nfe = 0;
  double busy_seconds = 0;  // of all devices together
  std::vector<DeviceCounts> devices;
};

class JobQueue {
 public:
  // At most `limit` jobs wait, not counting those that run: as many as there are devices.
  explicit JobQueue(int limit, int devices = 1);
  ~JobQueue();
  JobQueue(const JobQueue&) = delete;
  JobQueue& operator=(const JobQueue&) = delete;

  // Throws ApiError 429 when too many wait, 503 when the queue is closed.
  void submit(std::shared_ptr<Job> job);
  // A waiting job goes, a running one ends at its next pass or in the middle of its judging.
  void abandon(const std::shared_ptr<Job>& job, Cancel reason);
  // What waits is refused; what runs may go on for `grace` and is then cancelled. Returns when
  // nothing runs.
  void close(std::chrono::seconds grace);

  QueueCounts counts() const;
  // How long a client that was refused should wait: what is queued at the pace so far.
  int retry_after_seconds() const;

 private:
  using Clock = std::chrono::steady_clock;
  struct Running {  // on one device; no job: it is idle
    std::shared_ptr<Job> job;
    std::optional<Clock::time_point> deadline;  // until the job is cancelled
  };
  void work(int device);
  void watch();
  std::size_t running() const;
  Running* first_deadline();
  void account(int device, JobOutcome end);

  const std::size_t limit_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::shared_ptr<Job>> waiting_;
  std::vector<Running> devices_;
  bool closed_ = false;
  QueueCounts counts_;
  std::vector<std::thread> workers_;  // one per device
  std::thread watcher_;
};

}  // namespace umf
