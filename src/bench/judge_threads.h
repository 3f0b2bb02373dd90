// Threads that judge while the models go on.
#pragma once

#include <condition_variable>
#include <deque>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace umf {

class JudgeThreads {
 public:
  explicit JudgeThreads(int threads);
  ~JudgeThreads();  // what has not begun is dropped
  JudgeThreads(const JudgeThreads&) = delete;
  JudgeThreads& operator=(const JudgeThreads&) = delete;

  // Waits while too much is waiting. What a task throws comes out of the next call of either.
  void submit(std::function<void()> task);
  void drain();  // until all is done

 private:
  void work();
  void rethrow();

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> waiting_;
  std::size_t running_ = 0;
  bool stopping_ = false;
  std::exception_ptr failure_;
  std::vector<std::thread> threads_;
};

}  // namespace umf
