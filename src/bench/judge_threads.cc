#include "bench/judge_threads.h"

#include <utility>

namespace umf {
namespace {

constexpr std::size_t kWaitingPerThread = 4;

}  // namespace

JudgeThreads::JudgeThreads(int threads) {
  for (int i = 0; i < threads; ++i) threads_.emplace_back([this] { work(); });
}

JudgeThreads::~JudgeThreads() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    waiting_.clear();
  }
  changed_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void JudgeThreads::submit(std::function<void()> task) {
  std::unique_lock lock(mutex_);
  changed_.wait(
      lock, [this] { return failure_ || waiting_.size() < kWaitingPerThread * threads_.size(); });
  rethrow();
  waiting_.push_back(std::move(task));
  changed_.notify_all();
}

void JudgeThreads::drain() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return failure_ || (waiting_.empty() && running_ == 0); });
  rethrow();
}

void JudgeThreads::rethrow() {
  if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
}

void JudgeThreads::work() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [this] { return stopping_ || !waiting_.empty(); });
    if (stopping_) return;
    const std::function<void()> task = std::move(waiting_.front());
    waiting_.pop_front();
    ++running_;
    lock.unlock();
    std::exception_ptr failure;
    try {
      task();
    } catch (...) {
      failure = std::current_exception();
    }
    lock.lock();
    --running_;
    if (failure && !failure_) failure_ = failure;
    changed_.notify_all();
  }
}

}  // namespace umf
