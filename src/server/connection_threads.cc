#include "server/connection_threads.h"

#include <system_error>
#include <thread>

namespace umf {
namespace {

thread_local bool is_overloaded = false;

}  // namespace

bool ConnectionThreads::overloaded() { return is_overloaded; }

void ConnectionThreads::run(const std::function<void()>& serve) {
  if (start(serve)) return;
  is_overloaded = true;
  serve();
  is_overloaded = false;
}

bool ConnectionThreads::start(const std::function<void()>& serve) {
  const std::lock_guard lock(mutex_);
  if (running_ == limit_) return false;
  try {
    std::thread([this, serve] {
      serve();
      const std::lock_guard lock(mutex_);
      --running_;
      ended_.notify_all();
    }).detach();
  } catch (const std::system_error&) {  // the machine has no more threads
    return false;
  }
  ++running_;
  return true;
}

void ConnectionThreads::join() {
  std::unique_lock lock(mutex_);
  ended_.wait(lock, [&] { return running_ == 0; });
}

}  // namespace umf
