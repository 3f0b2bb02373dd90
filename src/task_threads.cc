#include "task_threads.h"

#include <utility>

namespace umf {

void Bell::ring() {
  {
    const std::lock_guard lock(mutex_);
    ++rings_;
  }
  rung_.notify_all();
}

long Bell::rings() const {
  const std::lock_guard lock(mutex_);
  return rings_;
}

void Bell::wait_beyond(long seen) {
  std::unique_lock lock(mutex_);
  rung_.wait(lock, [&] { return rings_ > seen; });
}

TaskThreads::TaskThreads(int count) {
  for (int i = 0; i < count; ++i) threads_.emplace_back([this, i] { work(i); });
}

void TaskThreads::stop() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
    waiting_.clear();
  }
  changed_.notify_all();
  for (std::thread& thread : threads_) thread.join();
  threads_.clear();
}

void TaskThreads::submit(Task task) {
  {
    const std::lock_guard lock(mutex_);
    waiting_.push_back(std::move(task));
  }
  changed_.notify_one();
}

void TaskThreads::work(int thread) {
  while (true) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return stop_ || !waiting_.empty(); });
    if (stop_) return;
    const Task task = std::move(waiting_.front());
    waiting_.pop_front();
    lock.unlock();
    task(thread);
  }
}

}  // namespace umf
