#include "session/walker_pool.h"

namespace umf {

// A walk depends on its trial alone, so one that had less to spend than allowed now serves if it
// came to its end, and one that had more if it did not need it.
bool WalkTask::serves(int most) const {
  if (limit == most) return true;
  if (error_) return limit < most;
  if (walk_.complete || !walk_.feasible) return walk_.passes <= most;
  return walk_.passes < limit;  // the observer ended it
}

WalkerPool::WalkerPool(std::vector<Walker> walkers, WalkObserver observer, ProgressSignal& progress)
    : walkers_(std::move(walkers)),
      observer_(std::move(observer)),
      progress_(progress),
      threads_(static_cast<int>(walkers_.size())) {}

std::shared_ptr<WalkTask> WalkerPool::begin(std::shared_ptr<WalkTask> task) {
  ++busy_;
  threads_.submit([this, task](int thread) { run(*task, walkers_[thread]); });
  return task;
}

void WalkerPool::run(WalkTask& task, Walker& walker) {
  try {
    if (!task.cancelled_) {
      task.walk_ = walker.walk(task.trial, task.from_, task.limit,
                               [&](const Pass& pass) { return observe(task, pass); });
    }
  } catch (...) {
    task.error_ = std::current_exception();
  }
  --busy_;
  task.finished_.store(true, std::memory_order_release);
  progress_.notify();
}

bool WalkerPool::observe(WalkTask& task, const Pass& pass) {
  ++task.passes_;
  if (task.ahead) ++passes_ahead_;
  if (task.cancelled_) return false;
  return !task.wanted_ || !observer_ || observer_(pass);
}

}  // namespace umf
