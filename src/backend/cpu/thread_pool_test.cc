#include "backend/cpu/thread_pool.h"

#include <gtest/gtest.h>

#include <chrono>
#include <numeric>
#include <stdexcept>

namespace umf {
namespace {

TEST(ThreadPool, RunsEveryTaskOnce) {
  for (const int threads : {1, 2, 3, 8}) {
    ThreadPool pool(threads);
    for (const int count : {0, 1, 2, 3, 7, 100, 1000}) {
      std::vector<int> calls(count);
      pool.parallel_for(count, [&](int i, int thread) {
        EXPECT_GE(thread, 0);
        EXPECT_LT(thread, threads);
        ++calls[i];
      });
      EXPECT_EQ(calls, std::vector<int>(count, 1)) << threads << " threads";
    }
  }
}

TEST(ThreadPool, ManyShortJobsInARowSeeEachOthersResults) {
  ThreadPool pool(4);
  std::vector<long> values(64, 0);
  for (int job = 0; job < 5000; ++job) {
    pool.parallel_for(64, [&](int i, int) { values[i] += i; });
  }
  for (int i = 0; i < 64; ++i) EXPECT_EQ(values[i], 5000L * i);
}

TEST(ThreadPool, WakesAfterSleeping) {
  ThreadPool pool(3);
  for (int job = 0; job < 20; ++job) {
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    std::atomic<int> sum{0};
    pool.parallel_for(10, [&](int i, int) { sum += i; });
    EXPECT_EQ(sum, 45);
  }
}

TEST(ThreadPool, WaitsForASlowTaskOfAWorker) {
  ThreadPool pool(2);
  for (int job = 0; job < 5; ++job) {
    std::atomic<int> done{0};
    pool.parallel_for(4, [&](int, int) {
      std::this_thread::sleep_for(std::chrono::milliseconds(3));
      ++done;
    });
    EXPECT_EQ(done, 4);
  }
}

TEST(ThreadPool, ThrowsTheErrorOfATaskAndStaysUsable) {
  ThreadPool pool(3);
  for (int job = 0; job < 50; ++job) {
    std::atomic<int> ran{0};
    EXPECT_THROW(pool.parallel_for(20,
                                   [&](int i, int) {
                                     ++ran;
                                     if (i == 7) throw std::runtime_error("task 7");
                                   }),
                 std::runtime_error);
    EXPECT_EQ(ran, 20);
    std::atomic<int> sum{0};
    pool.parallel_for(10, [&](int i, int) { sum += i; });
    EXPECT_EQ(sum, 45);
  }
}

}  // namespace
}  // namespace umf
