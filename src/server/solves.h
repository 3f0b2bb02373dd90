// Searches that people watch: each lives on when its viewers leave, and is kept when it is over.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <string>

#include "server/event_log.h"
#include "server/job.h"

namespace umf {

// What a solve found, as a page by itself. Throws ApiError where there is nothing to tell yet.
std::string report_of(const EventLog& log);

class Solve final : public Job {
 public:
  // `begin` is the first event of its log.
  Solve(std::string id, std::string title, std::unique_ptr<DeviceTask> task,
        std::chrono::seconds time_limit, const Json& begin);

  const std::string id, title;
  const std::int64_t created;  // seconds since 1970
  const EventLog& log() const { return log_; }
  const char* phase() const;  // waiting, running or over

 private:
  void deliver(JobEvent event) override;

  EventLog log_;
};

// Every method may be called from several threads.
class Solves {
 public:
  void add(const std::shared_ptr<Solve>& solve);
  // Throws ApiError 404.
  std::shared_ptr<Solve> find(const std::string& id) const;
  // The newest first: [{"id","title","created","phase"}].
  Json list() const;

 private:
  void make_room();

  mutable std::mutex mutex_;
  std::deque<std::shared_ptr<Solve>> solves_;  // the oldest first
};

}  // namespace umf
