// What benchmarks of the cpu backend hold their rates against: fused multiply-adds in registers.
#pragma once

#include <ctime>
#include <numeric>
#include <vector>

#include "backend/cpu/kernels.h"
#include "backend/cpu/thread_pool.h"

namespace umf {

// One thread has a clock that stands still while others have the core; several have the wall's.
inline double bench_time(int threads) {
  timespec time;
  ::clock_gettime(threads == 1 ? CLOCK_THREAD_CPUTIME_ID : CLOCK_MONOTONIC, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

template <class Work>
double seconds_on(int threads, const Work& work) {
  const double start = bench_time(threads);
  work();
  return bench_time(threads) - start;
}

// Operations a second on all threads at once.
inline double fma_rate(const Kernels& kernels, ThreadPool& pool, long rounds) {
  std::vector<double> done(pool.threads());
  const double time = seconds_on(pool.threads(), [&] {
    pool.parallel_for(pool.threads(), [&](int i, int) { done[i] = kernels.fma_loop(rounds); });
  });
  return std::accumulate(done.begin(), done.end(), 0.0) / time;
}

}  // namespace umf
