// A task between the device that does it and the client that waits for it.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <variant>

#include "server/api_error.h"
#include "server/device_task.h"

namespace umf {

struct TextPiece {
  int choice;
  std::string text;
};
struct ChoiceEnd {
  int choice;
  std::string reason;
  nlohmann::ordered_json umf;
};
struct StateNews {
  int choice;
  Json state;
};
struct RolloutNews {
  Json rollout;
};
// The last event of a job is its completion or its error.
using JobEvent = std::variant<TextPiece, ChoiceEnd, StateNews, RolloutNews, Completion, ApiError>;

// For std::visit over events: one function per kind.
template <class... Functions>
struct Overloaded : Functions... {
  using Functions::operator()...;
};

// Why a job is ended before it is done.
enum class Cancel { kNone, kClientGone, kClientSlow, kStopped, kLogFull, kTimeLimit, kShutdown };

enum class JobOutcome { kDone, kFailed, kCancelled };

class Job : public Listener {
 public:
  // A `time_limit` of 0 is none; it counts from the start of the work, not of the waiting, and is
  // the queue's to keep.
  Job(std::unique_ptr<DeviceTask> task, std::chrono::seconds time_limit)
      : task_(std::move(task)), stop_(task_->stop_source()), time_limit_(time_limit) {}

  // The client's side. The next event, or nothing when none came in time.
  std::optional<JobEvent> next(std::chrono::milliseconds patience);

  // Any thread. The first reason stays. Ends also what the task waits for.
  void cancel(Cancel reason);
  std::chrono::seconds time_limit() const { return time_limit_; }

  // The device's side: does the task, reports everything, and ends with one last event.
  JobOutcome run();
  // Instead of run(): with its own reason, or because it was cancelled.
  void refuse(const ApiError& error) { deliver(error); }
  void refuse() { deliver(explanation()); }
  double seconds() const { return seconds_; }  // of run()
  long nfe() const { return nfe_; }

  bool wanted() override { return cancelled_ == Cancel::kNone; }
  void text(int choice, std::string piece) override;
  void finished(int choice, const std::string& reason, const nlohmann::ordered_json& umf) override;
  void state(int choice, Json state) override;
  void rollout(Json event) override;

 protected:
  // Any thread but the client's. Here: to next(), where text and states of a client that reads
  // slowly are joined.
  virtual void deliver(JobEvent event);
  // Of run(), while it runs.
  double seconds_so_far() const {
    return std::chrono::duration<double>(Clock::now() - start_).count();
  }

 private:
  using Clock = std::chrono::steady_clock;
  JobOutcome attempt();
  ApiError explanation() const;

  std::unique_ptr<DeviceTask> task_;
  std::stop_source stop_;  // the task's
  std::chrono::seconds time_limit_;
  Clock::time_point start_{};
  double seconds_ = 0;
  long nfe_ = 0;
  std::atomic<Cancel> cancelled_ = Cancel::kNone;

  std::mutex mutex_;
  std::condition_variable news_;
  std::deque<JobEvent> events_;
};

}  // namespace umf
