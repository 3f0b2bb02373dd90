#include "base/task_threads.h"

#include <utility>

namespace umf {

TaskThreads::TaskThreads(int count, std::size_t most_waiting) : most_waiting_(most_waiting) {
  for (int i = 0; i < count; ++i) threads_.emplace_back([this, i] { work(i); });
}

void TaskThreads::stop() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
    waiting_.clear();
  }
  came_.notify_all();
  for (std::thread& thread : threads_) thread.join();
  threads_.clear();
}

void TaskThreads::submit(Task task) {
  {
    std::unique_lock lock(mutex_);
    went_.wait(lock, [this] { return failure_ || waiting_.size() < most_waiting_; });
    rethrow();
    waiting_.push_back(std::move(task));
  }
  came_.notify_one();
}

void TaskThreads::drain() {
  std::unique_lock lock(mutex_);
  went_.wait(lock, [this] { return failure_ || (waiting_.empty() && running_ == 0); });
  rethrow();
}

void TaskThreads::rethrow() {
  if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
}

void TaskThreads::work(int thread) {
  std::unique_lock lock(mutex_);
  while (true) {
    came_.wait(lock, [this] { return stop_ || !waiting_.empty(); });
    if (stop_) return;
    Task task = std::move(waiting_.front());
    waiting_.pop_front();
    ++running_;
    lock.unlock();
    went_.notify_all();
    std::exception_ptr failure;
    try {
      task(thread);
    } catch (...) {
      failure = std::current_exception();
    }
    task = nullptr;  // what it holds goes before it counts as done
    lock.lock();
    --running_;
    if (failure && !failure_) failure_ = std::move(failure);
    went_.notify_all();
  }
}

}  // namespace umf
