// Walkers on threads of their own: several trials are walked at once.
#pragma once

#include <atomic>
#include <exception>
#include <memory>
#include <utility>
#include <vector>

#include "base/task_threads.h"
#include "decode/walker.h"

namespace umf {

// A trial on its way.
class WalkTask {
 public:
  WalkTask(const Trial& trial, WindowState from, int limit, bool ahead)
      : trial(trial), limit(limit), ahead(ahead), from_(std::move(from)), wanted_(!ahead) {}

  const Trial trial;
  const int limit;
  const bool ahead;  // begun before anyone asked for it

  void want() { wanted_ = true; }  // somebody waits for it: observers see the passes from now on
  void cancel() { cancelled_ = true; }  // nobody will: it ends after the pass it is in
  int passes() const { return passes_; }
  bool finished() const { return finished_.load(std::memory_order_acquire); }

  // What follows is there once it is finished. Whether this is what a walk of at most `most` passes
  // gives.
  bool serves(int most) const;
  const Walk& walk() const { return walk_; }
  bool failed() const { return error_ != nullptr; }  // instead of the above
  void rethrow() {                                   // once: the error leaves with it
    if (error_) std::rethrow_exception(std::exchange(error_, nullptr));
  }

 private:
  friend class WalkerPool;
  WindowState from_;
  std::atomic<bool> wanted_, cancelled_ = false, finished_ = false;
  std::atomic<int> passes_ = 0;
  Walk walk_;
  std::exception_ptr error_;
};

class WalkerPool {
 public:
  // One thread per walker. The walkers must agree in everything but their models' memory.
  // `progress` must outlive the pool; it tells of every walk that is finished. `observer` sees the
  // passes of the walk that is waited for and may end it; it is called on the walk's thread.
  WalkerPool(std::vector<Walker> walkers, WalkObserver observer, ProgressSignal& progress);

  std::shared_ptr<WalkTask> begin(std::shared_ptr<WalkTask> task);
  // When the walks that are on their way have ended; no more begin.
  void stop() { threads_.stop(); }
  int size() const { return static_cast<int>(walkers_.size()); }
  int idle() const { return size() - busy_; }          // below 0: walks wait for a walker
  long passes_ahead() const { return passes_ahead_; }  // of all walks begun ahead

 private:
  void run(WalkTask& task, Walker& walker);
  bool observe(WalkTask& task, const Pass& pass);

  std::vector<Walker> walkers_;
  WalkObserver observer_;
  ProgressSignal& progress_;
  std::atomic<int> busy_ = 0;
  std::atomic<long> passes_ahead_ = 0;
  TaskThreads threads_;  // last: its threads use all of the above
};

}  // namespace umf
