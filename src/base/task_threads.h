// A few threads that take tasks in the order in which they come, and a signal of their progress.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <exception>
#include <functional>
#include <limits>
#include <mutex>
#include <thread>
#include <vector>

namespace umf {

// Tells a waiting thread that something has happened since it last looked.
class ProgressSignal {
 public:
  void notify() {
    ++count_;
    count_.notify_all();
  }
  long count() const { return count_; }
  // Returns at once when there have been more notifications than `seen`.
  void wait_beyond(long seen) const { count_.wait(seen); }

 private:
  std::atomic<long> count_ = 0;
};

class TaskThreads {
 public:
  using Task = std::function<void(int thread)>;

  explicit TaskThreads(int count,
                       std::size_t most_waiting = std::numeric_limits<std::size_t>::max());
  ~TaskThreads() { stop(); }
  TaskThreads(const TaskThreads&) = delete;
  TaskThreads& operator=(const TaskThreads&) = delete;

  // Waits while as many as may be are waiting. What a task throws comes out of the next call of
  // either.
  void submit(Task task);
  void drain();  // until all is done
  // Forgets the tasks that have not begun, waits for the others, and takes no more.
  void stop();

 private:
  void work(int thread);
  void rethrow();

  const std::size_t most_waiting_;
  std::mutex mutex_;
  std::condition_variable came_, went_;  // a task to the waiting ones, and away from them or done
  std::deque<Task> waiting_;
  int running_ = 0;
  bool stop_ = false;
  std::exception_ptr failure_;  // the first that has not come out yet
  std::vector<std::thread> threads_;
};

}  // namespace umf
