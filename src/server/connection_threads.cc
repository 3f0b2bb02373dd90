#include "server/connection_threads.h"

#include <system_error>

namespace umf {
namespace {

thread_local bool is_overloaded = false;

}  // namespace

bool ConnectionThreads::overloaded() { return is_overloaded; }

void ConnectionThreads::run(std::function<void()> serve) {
  if (hand_over(serve)) return;
  is_overloaded = true;
  serve();
  is_overloaded = false;
}

bool ConnectionThreads::hand_over(std::function<void()>& serve) {
  const std::lock_guard lock(mutex_);
  if (idle_ <= waiting_.size()) {
    if (threads_.size() >= limit_) return false;
    try {
      threads_.emplace_back([this] { work(); });
    } catch (const std::system_error&) {  // the machine has no more threads
      return false;
    }
    ++idle_;
  }
  waiting_.push_back(std::move(serve));
  changed_.notify_one();
  return true;
}

void ConnectionThreads::work() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [&] { return joining_ || !waiting_.empty(); });
    if (waiting_.empty()) return;
    const std::function<void()> serve = std::move(waiting_.front());
    waiting_.pop_front();
    --idle_;
    lock.unlock();
    serve();
    lock.lock();
    ++idle_;
  }
}

void ConnectionThreads::join() {
  {
    const std::lock_guard lock(mutex_);
    joining_ = true;
    changed_.notify_all();
  }
  for (std::thread& thread : threads_) thread.join();
}

}  // namespace umf
