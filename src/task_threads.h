// A few threads that take tasks in the order in which they come, and a bell that they ring.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace umf {

// Tells a waiting thread that something has happened since it last looked.
class Bell {
 public:
  void ring();
  long rings() const;
  // Returns at once when it has rung more often than `seen` times.
  void wait_beyond(long seen);

 private:
  mutable std::mutex mutex_;
  std::condition_variable rung_;
  long rings_ = 0;
};

class TaskThreads {
 public:
  using Task = std::function<void(int thread)>;  // must not throw

  explicit TaskThreads(int count);
  ~TaskThreads() { stop(); }
  TaskThreads(const TaskThreads&) = delete;
  TaskThreads& operator=(const TaskThreads&) = delete;

  void submit(Task task);
  // Forgets the tasks that have not begun, waits for the others, and takes no more.
  void stop();

 private:
  void work(int thread);

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Task> waiting_;
  bool stop_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace umf
