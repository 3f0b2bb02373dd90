// A fixed set of threads that share the tasks of one operation.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace umf {

// `threads` - 1 workers and the caller. Tasks are claimed one by one from an atomic counter, so a
// worker that the machine does not schedule delays nobody but the task it holds. After a job the
// workers spin for some tens of microseconds, because the next operation of a forward pass follows
// at once, and then sleep.
class ThreadPool {
 public:
  explicit ThreadPool(int threads);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  int threads() const { return static_cast<int>(shares_.size()); }

  // Calls task(index, thread) for every index in [0, count), thread in [0, threads()), and returns
  // when all calls have. The first exception of a task is thrown here, after all others ended. One
  // caller at a time; a task may not call parallel_for itself.
  template <class Task>
  void parallel_for(int count, const Task& task) {
    if (threads() == 1 || count <= 1) {
      for (int i = 0; i < count; ++i) task(i, 0);
      return;
    }
    run(count, &task, [](const void* context, int index, int thread) {
      (*static_cast<const Task*>(context))(index, thread);
    });
  }

 private:
  using Call = void (*)(const void* context, int index, int thread);

  void run(int count, const void* context, Call call);
  void wake_workers(int wanted);
  void run_tasks(int thread);  // until none is left to claim
  bool claim_and_run(int share, int thread);
  int first_of_share(int share) const;
  void work(int thread);

  // Per thread: job number (upper half) and tasks not yet claimed (lower half). A claim is one
  // compare-exchange on the pair, so a late worker cannot take a task of a job it has not seen.
  struct alignas(64) Share {
    std::atomic<std::uint64_t> state{0};
  };
  std::vector<Share> shares_;
  alignas(64) std::atomic<std::uint32_t> job_{0};  // set when all shares are
  alignas(64) std::atomic<int> unfinished_{0};
  alignas(64) std::atomic<int> sleeping_{0};
  // The job: written by the caller while no task is claimed, read by whoever holds a claim.
  int count_ = 0;
  const void* context_ = nullptr;
  Call call_ = nullptr;

  std::mutex mutex_;  // guards sleep, waking and error_
  std::condition_variable wake_, finished_;
  bool caller_sleeps_ = false;
  bool stop_ = false;
  std::exception_ptr error_;
  std::vector<std::thread> workers_;
  int callers_cpu_ = -1;  // that the workers were last told to keep off
};

}  // namespace umf
