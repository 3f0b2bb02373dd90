// A thread for each connection, up to a limit.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace umf {

// Threads are made when they are needed and kept: a stream holds its own for as long as it lasts,
// and never makes another client wait.
class ConnectionThreads {
 public:
  explicit ConnectionThreads(int limit) : limit_(static_cast<std::size_t>(limit)) {}

  // At the limit the caller runs `serve` itself, with overloaded() set: it must be brief then.
  void run(std::function<void()> serve);
  // Waits for all; nothing may be run afterwards.
  void join();

  static bool overloaded();

 private:
  bool hand_over(std::function<void()>& serve);
  void work();

  const std::size_t limit_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> waiting_;
  std::vector<std::thread> threads_;
  std::size_t idle_ = 0;
  bool joining_ = false;
};

}  // namespace umf
