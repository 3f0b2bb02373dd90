#include "backend/cpu/thread_pool.h"

#include <algorithm>
#include <chrono>
#include <utility>

#if defined(__linux__)
#include <pthread.h>
#include <sched.h>
#endif
#if defined(__x86_64__) || defined(__i386__)
#include <immintrin.h>
#endif

namespace umf {
namespace {

constexpr auto kSpinTime = std::chrono::microseconds(50);

void pause() {
#if defined(__x86_64__) || defined(__i386__)
  _mm_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

// Waits for `done` without giving up the core; false when kSpinTime passed first.
template <class Done>
bool spin(const Done& done) {
  const auto until = std::chrono::steady_clock::now() + kSpinTime;
  do {
    for (int i = 0; i < 32; ++i) {
      if (done()) return true;
      pause();
    }
  } while (std::chrono::steady_clock::now() < until);
  return done();
}

}  // namespace

ThreadPool::ThreadPool(int threads) : shares_(threads) {
  for (int i = 1; i < threads; ++i) workers_.emplace_back([this, i] { work(i); });
}

ThreadPool::~ThreadPool() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  wake_.notify_all();
  for (std::thread& worker : workers_) worker.join();
}

void ThreadPool::run(int count, const void* context, Call call) {
  count_ = count;
  context_ = context;
  call_ = call;
  unfinished_.store(count, std::memory_order_relaxed);
  const std::uint32_t job = job_.load(std::memory_order_relaxed) + 1;
  for (int share = 0; share < threads(); ++share) {
    const int size = first_of_share(share + 1) - first_of_share(share);
    shares_[share].state.store(std::uint64_t{job} << 32 | static_cast<std::uint32_t>(size),
                               std::memory_order_release);
  }
  // Sequentially consistent with sleeping_: either this thread sees the sleeper, or it sees the
  // job.
  job_.store(job, std::memory_order_seq_cst);
  if (sleeping_.load(std::memory_order_seq_cst) > 0) wake_workers(count - 1);
  run_tasks(0);
  const auto done = [this] { return unfinished_.load(std::memory_order_acquire) == 0; };
  if (!spin(done)) {
    std::unique_lock lock(mutex_);
    caller_sleeps_ = true;
    finished_.wait(lock, done);
    caller_sleeps_ = false;
  }
  // Every task has ended, and a task's error was stored before it counted as ended.
  if (error_) std::rethrow_exception(std::exchange(error_, nullptr));
}

// A woken worker may be put on the core of the caller, and the scheduler can leave the two there
// for tens of milliseconds beside an idle one. So sleepers are told to keep off the caller's core.
void ThreadPool::wake_workers(int wanted) {
#if defined(__linux__)
  const int cpu = sched_getcpu();
  cpu_set_t cpus;
  if (cpu >= 0 && cpu != callers_cpu_ && sched_getaffinity(0, sizeof(cpus), &cpus) == 0) {
    callers_cpu_ = cpu;
    CPU_CLR(cpu, &cpus);
    if (CPU_COUNT(&cpus) > 0) {
      for (std::thread& worker : workers_) {
        pthread_setaffinity_np(worker.native_handle(), sizeof(cpus),
                               &cpus);  // a wish, as is waking
      }
    }
  }
#endif
  { const std::lock_guard lock(mutex_); }  // a worker between its check and its sleep
  if (wanted >= static_cast<int>(workers_.size())) {
    wake_.notify_all();
  } else {
    for (int i = 0; i < wanted; ++i) wake_.notify_one();
  }
}

int ThreadPool::first_of_share(int share) const {
  const auto all = static_cast<std::int64_t>(threads());
  return static_cast<int>((std::int64_t{count_} * share + all - 1) / all);
}

void ThreadPool::run_tasks(int thread) {
  for (int i = 0; i < threads(); ++i) {
    while (claim_and_run((thread + i) % threads(), thread)) {
    }
  }
}

bool ThreadPool::claim_and_run(int share, int thread) {
  std::atomic<std::uint64_t>& share_state = shares_[share].state;
  std::uint64_t state = share_state.load(std::memory_order_acquire);
  do {
    if ((state & 0xFFFFFFFF) == 0) return false;
  } while (!share_state.compare_exchange_weak(state, state - 1, std::memory_order_acq_rel,
                                              std::memory_order_acquire));
  const int index = first_of_share(share + 1) - static_cast<int>(state & 0xFFFFFFFF);
  try {
    call_(context_, index, thread);
  } catch (...) {
    const std::lock_guard lock(mutex_);
    if (!error_) error_ = std::current_exception();
  }
  if (unfinished_.fetch_sub(1, std::memory_order_acq_rel) == 1 && thread != 0) {
    const std::lock_guard lock(mutex_);
    if (caller_sleeps_) finished_.notify_one();
  }
  return true;
}

void ThreadPool::work(int thread) {
  std::uint32_t seen = 0;
  while (true) {
    const auto new_job = [&] { return job_.load(std::memory_order_seq_cst) != seen; };
    if (!spin(new_job)) {
      std::unique_lock lock(mutex_);
      sleeping_.fetch_add(1, std::memory_order_seq_cst);
      wake_.wait(lock, [&] { return stop_ || new_job(); });
      sleeping_.fetch_sub(1, std::memory_order_relaxed);
      if (stop_) return;
    }
    seen = job_.load(std::memory_order_acquire);  // all that is left of it is claimed below
    run_tasks(thread);
  }
}

}  // namespace umf
