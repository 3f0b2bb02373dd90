#include "server/job_queue.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

namespace umf {

JobQueue::JobQueue(int limit)
    : limit_(static_cast<std::size_t>(limit)),
      worker_([this] { work(); }),
      watcher_([this] { watch(); }) {}

JobQueue::~JobQueue() {
  close(std::chrono::seconds(0));
  worker_.join();
  watcher_.join();
}

void JobQueue::submit(std::shared_ptr<Job> job) {
  const std::lock_guard lock(mutex_);
  if (closed_) throw ApiError(503, "the server is shutting down", "", "shutting_down");
  if (waiting_.size() + (running_ ? 1 : 0) > limit_) {
    throw ApiError(429, fmt::format("{} requests are waiting already; try again later", limit_), "",
                   "queue_full");
  }
  waiting_.push_back(std::move(job));
  changed_.notify_all();
}

void JobQueue::abandon(const std::shared_ptr<Job>& job, Cancel reason) {
  job->cancel(reason);
  const std::lock_guard lock(mutex_);
  const auto at = std::find(waiting_.begin(), waiting_.end(), job);
  if (at == waiting_.end()) return;
  waiting_.erase(at);
  job->refuse();
  ++counts_.cancelled;
}

void JobQueue::close(std::chrono::seconds grace) {
  std::unique_lock lock(mutex_);
  closed_ = true;
  for (const auto& job : waiting_)
    job->refuse({503, "the server is shutting down", "", "shutting_down"});
  counts_.cancelled += static_cast<long>(waiting_.size());
  waiting_.clear();
  changed_.notify_all();
  const auto idle = [&] { return !running_; };
  if (changed_.wait_for(lock, grace, idle)) return;
  running_->cancel(Cancel::kShutdown);
  changed_.wait(lock, idle);
}

QueueCounts JobQueue::counts() const {
  const std::lock_guard lock(mutex_);
  QueueCounts counts = counts_;
  counts.waiting = static_cast<int>(waiting_.size());
  counts.running = running_ ? 1 : 0;
  return counts;
}

int JobQueue::retry_after_seconds() const {
  const QueueCounts now = counts();
  const long ended = now.done + now.failed;
  const double pace = ended == 0 ? 1.0 : now.busy_seconds / static_cast<double>(ended);
  return static_cast<int>(std::clamp(std::ceil(pace * (now.waiting + 1) / 2), 1.0, 60.0));
}

void JobQueue::work() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [&] { return closed_ || !waiting_.empty(); });
    if (waiting_.empty()) return;
    running_ = std::move(waiting_.front());
    waiting_.pop_front();
    const std::shared_ptr<Job> job = running_;
    if (job->time_limit().count() > 0) deadline_ = Clock::now() + job->time_limit();
    changed_.notify_all();
    lock.unlock();
    const JobOutcome end = job->run();
    lock.lock();
    account(*job, end);
    running_.reset();
    deadline_.reset();
    changed_.notify_all();
  }
}

// A job that waits for its judge asks nobody whether it is still wanted.
void JobQueue::watch() {
  std::unique_lock lock(mutex_);
  while (!closed_ || running_) {
    if (!deadline_) {
      changed_.wait(lock);
    } else if (const Clock::time_point until = *deadline_; Clock::now() < until) {
      changed_.wait_until(lock, until);
    } else {
      running_->cancel(Cancel::kTimeLimit);
      deadline_.reset();
    }
  }
}

void JobQueue::account(const Job& job, JobOutcome end) {
  counts_.busy_seconds += job.seconds();
  counts_.nfe += job.nfe();
  ++(end == JobOutcome::kDone     ? counts_.done
     : end == JobOutcome::kFailed ? counts_.failed
                                  : counts_.cancelled);
}

}  // namespace umf
