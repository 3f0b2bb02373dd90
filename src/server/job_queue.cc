#include "server/job_queue.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

namespace umf {

JobQueue::JobQueue(int limit, int devices)
    : limit_(static_cast<std::size_t>(limit)), devices_(devices) {
  counts_.devices.resize(devices);
  for (int device = 0; device < devices; ++device)
    workers_.emplace_back([this, device] { work(device); });
  watcher_ = std::thread([this] { watch(); });
}

JobQueue::~JobQueue() {
  close(std::chrono::seconds(0));
  for (std::thread& worker : workers_) worker.join();
  watcher_.join();
}

void JobQueue::submit(std::shared_ptr<Job> job) {
  const std::lock_guard lock(mutex_);
  if (closed_) throw ApiError(503, "the server is shutting down", "", "shutting_down");
  if (waiting_.size() + running() >= limit_ + devices_.size()) {
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
  const auto idle = [&] { return running() == 0; };
  if (changed_.wait_for(lock, grace, idle)) return;
  for (const Running& device : devices_) {
    if (device.job) device.job->cancel(Cancel::kShutdown);
  }
  changed_.wait(lock, idle);
}

QueueCounts JobQueue::counts() const {
  const std::lock_guard lock(mutex_);
  QueueCounts counts = counts_;
  counts.waiting = static_cast<int>(waiting_.size());
  counts.running = static_cast<int>(running());
  for (std::size_t i = 0; i < devices_.size(); ++i)
    counts.devices[i].running = devices_[i].job ? 1 : 0;
  return counts;
}

std::size_t JobQueue::running() const {
  return std::ranges::count_if(devices_,
                               [](const Running& device) { return device.job != nullptr; });
}

int JobQueue::retry_after_seconds() const {
  const QueueCounts now = counts();
  const long ended = now.done + now.failed;
  const double pace = ended == 0 ? 1.0 : now.busy_seconds / static_cast<double>(ended);
  return static_cast<int>(
      std::clamp(std::ceil(pace * (now.waiting + 1) / 2 / std::ssize(now.devices)), 1.0, 60.0));
}

void JobQueue::work(int device) {
  Running& own = devices_[device];
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [&] { return closed_ || !waiting_.empty(); });
    if (waiting_.empty()) return;
    own.job = std::move(waiting_.front());
    waiting_.pop_front();
    const std::shared_ptr<Job> job = own.job;
    if (job->time_limit().count() > 0) own.deadline = Clock::now() + job->time_limit();
    changed_.notify_all();
    lock.unlock();
    const JobOutcome end = job->run(device);
    lock.lock();
    account(device, end);
    own = {};
    changed_.notify_all();
  }
}

// A job that waits for its judge asks nobody whether it is still wanted.
void JobQueue::watch() {
  std::unique_lock lock(mutex_);
  while (!closed_ || running() > 0) {
    Running* const next = first_deadline();
    if (!next) {
      changed_.wait(lock);
    } else if (const Clock::time_point until = *next->deadline; Clock::now() < until) {
      changed_.wait_until(lock, until);
    } else {
      next->job->cancel(Cancel::kTimeLimit);
      next->deadline.reset();
    }
  }
}

JobQueue::Running* JobQueue::first_deadline() {
  Running* first = nullptr;
  for (Running& device : devices_) {
    if (device.deadline && (!first || *device.deadline < *first->deadline)) first = &device;
  }
  return first;
}

void JobQueue::account(int device, JobOutcome end) {
  const Job& job = *devices_[device].job;
  DeviceCounts& own = counts_.devices[device];
  ++own.jobs;
  own.busy_seconds += job.seconds();
  own.nfe += job.nfe();
  counts_.busy_seconds += job.seconds();
  counts_.nfe += job.nfe();
  ++(end == JobOutcome::kDone     ? counts_.done
     : end == JobOutcome::kFailed ? counts_.failed
                                  : counts_.cancelled);
}

}  // namespace umf
