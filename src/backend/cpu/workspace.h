// What the operations of one backend share: threads, and scratch that is reused from one to the
// next.
#pragma once

#include <algorithm>
#include <vector>

#include "backend/cpu/memory.h"
#include "backend/cpu/thread_pool.h"

namespace umf {

inline float* data(const Matrix& m) { return static_cast<float*>(m.memory.get()) + m.offset; }
inline float* row(const Matrix& m, int i) {
  return data(m) + static_cast<std::size_t>(i) * m.stride;
}

constexpr int ceil_div(int a, int b) { return (a + b - 1) / b; }

struct Workspace {
  explicit Workspace(int threads) : pool(threads), scratch(threads) {}

  ThreadPool pool;
  // Nothing stands there longer than one operation, so that none allocates once the sizes have been
  // seen.
  Scratch packed;
  std::vector<Scratch> scratch;  // one per thread

  // work(i) for every row, in chunks that are worth a wake-up; `cost` is numbers touched per row.
  template <class Work>
  void for_rows(int rows, int cost, const Work& work) {
    constexpr int kLeast = 4096, kMost = 16384;
    const int least = std::max(1, kLeast / std::max(1, cost));
    const int most = std::max(least, kMost / std::max(1, cost));
    const int chunk = std::clamp(ceil_div(rows, 2 * pool.threads()), least, most);
    pool.parallel_for(ceil_div(rows, chunk), [&](int task, int) {
      for (int i = task * chunk; i < std::min(rows, (task + 1) * chunk); ++i) work(i);
    });
  }
};

}  // namespace umf
