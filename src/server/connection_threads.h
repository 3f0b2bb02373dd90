// A thread for each connection, up to a limit.
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>

namespace umf {

// A stream holds its thread for as long as it lasts, and never makes another client wait.
class ConnectionThreads {
 public:
  explicit ConnectionThreads(int limit) : limit_(limit) {}

  // At the limit the caller runs `serve` itself, with overloaded() set: it must be brief then.
  void run(const std::function<void()>& serve);
  // Waits for all; nothing may be run afterwards.
  void join();

  static bool overloaded();

 private:
  bool start(const std::function<void()>& serve);

  const int limit_;
  std::mutex mutex_;
  std::condition_variable ended_;
  int running_ = 0;
};

}  // namespace umf
