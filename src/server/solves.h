// Searches that people watch: each lives on when its viewers leave, and is kept when it is over.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "report/report.h"
#include "server/event_log.h"
#include "server/job.h"

namespace umf {

class Solve final : public Job {
 public:
  // `begin` is the first event of its log.
  Solve(std::string id, std::string title, std::unique_ptr<DeviceTask> task,
        std::chrono::seconds time_limit, const Json& begin);

  const std::string id, title;
  const std::int64_t created;  // seconds since 1970
  const EventLog& log() const { return log_; }
  const char* phase() const;  // waiting, running or over
  const std::string& search() const { return solved_.search; }
  const std::vector<std::string>& models() const { return solved_.models; }
  // What it found, as a page by itself. Throws ApiError 409 where there is no answer, or none yet.
  std::string report() const;

 private:
  void deliver(JobEvent event) override;
  void spent(const nlohmann::ordered_json& search) override { spent_ = search; }
  void keep(const Completion& completion);
  void end_without_answer(const ApiError& error);

  EventLog log_;
  nlohmann::ordered_json spent_;  // null before the search's end
  // What the report needs beside the log's rollouts. Not changed after the end of the log, and
  // before it only where the solution stands, which is not there without an answer.
  SolvedProblem solved_;
};

// Every method may be called from several threads.
class Solves {
 public:
  void add(const std::shared_ptr<Solve>& solve);
  // Throws ApiError 404.
  std::shared_ptr<Solve> find(const std::string& id) const;
  // The newest first: [{"id","title","created","phase","search","models"}].
  Json list() const;

 private:
  void make_room();

  mutable std::mutex mutex_;
  std::deque<std::shared_ptr<Solve>> solves_;  // the oldest first
};

}  // namespace umf
