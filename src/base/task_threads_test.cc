#include "base/task_threads.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <memory>

#include "support/expect_error.h"

namespace umf {
namespace {

void wait_for(const std::function<bool()>& there) {
  for (int i = 0; i < 20'000 && !there(); ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

TEST(TaskThreads, DrainingWaitsForAll) {
  TaskThreads threads(3);
  std::atomic<int> done = 0;
  for (int round = 1; round <= 2; ++round) {
    for (int i = 0; i < 100; ++i) threads.submit([&](int) { ++done; });
    threads.drain();
    EXPECT_EQ(done, 100 * round);
  }
}

TEST(TaskThreads, EveryThreadHasANumberOfItsOwn) {
  TaskThreads threads(3);
  std::atomic<int> begun = 0;
  std::atomic<int> by[3] = {};
  for (int i = 0; i < 3; ++i) {
    threads.submit([&](int thread) {
      ++by[thread];
      ++begun;
      wait_for([&] { return begun == 3; });  // so that each must take one
    });
  }
  threads.drain();
  for (const auto& tasks : by) EXPECT_EQ(tasks, 1);
}

TEST(TaskThreads, WhatATaskThrowsComesOutOnce) {
  TaskThreads threads(1);
  threads.submit([](int) { throw Error("the disk is full"); });
  EXPECT_ERROR(threads.drain(), "the disk is full");
  std::atomic<bool> done = false;
  threads.submit([&](int) { done = true; });
  threads.drain();
  EXPECT_TRUE(done);
}

TEST(TaskThreads, SubmittingWaitsWhileEnoughIsWaiting) {
  constexpr int kMost = 2;
  TaskThreads threads(1, kMost);
  std::atomic<int> submitted = 0, begun = 0, too_many = 0;
  for (int i = 0; i < 20; ++i) {
    threads.submit([&](int) {
      const int allowed = ++begun + kMost;
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
      if (submitted > allowed) ++too_many;
    });
    ++submitted;
  }
  threads.drain();
  EXPECT_EQ(begun, 20);
  EXPECT_EQ(too_many, 0);
}

TEST(TaskThreads, StoppingForgetsWhatHasNotBegun) {
  TaskThreads threads(1);
  std::atomic<int> begun = 0;
  auto held = std::make_shared<int>();  // by the tasks that wait
  threads.submit([&, waiting = std::weak_ptr(held)](int) {
    ++begun;
    wait_for([&] { return waiting.expired(); });
  });
  for (int i = 0; i < 3; ++i) threads.submit([&begun, held](int) { ++begun; });
  wait_for([&] { return begun == 1; });
  held.reset();
  threads.stop();
  EXPECT_EQ(begun, 1);
}

}  // namespace
}  // namespace umf
