#include "bench/judge_threads.h"

#include <gtest/gtest.h>

#include <atomic>

#include "fakes/expect_error.h"

namespace umf {
namespace {

TEST(JudgeThreads, DrainingWaitsForAll) {
  JudgeThreads threads(3);
  std::atomic<int> done = 0;
  for (int round = 1; round <= 2; ++round) {
    for (int i = 0; i < 100; ++i) threads.submit([&] { ++done; });
    threads.drain();
    EXPECT_EQ(done, 100 * round);
  }
}

TEST(JudgeThreads, WhatATaskThrowsComesOut) {
  JudgeThreads threads(1);
  threads.submit([] { throw Error("the disk is full"); });
  EXPECT_ERROR(threads.drain(), "the disk is full");
  std::atomic<bool> done = false;
  threads.submit([&] { done = true; });
  threads.drain();
  EXPECT_TRUE(done) << "once";
}

TEST(JudgeThreads, StoppingDropsWhatHasNotBegun) {
  std::atomic<int> begun = 0;
  std::atomic<bool> go = false;
  JudgeThreads threads(1);
  for (int i = 0; i < 4; ++i) {
    threads.submit([&] {
      ++begun;
      while (!go) std::this_thread::yield();
    });
  }
  while (begun == 0) std::this_thread::yield();
  std::thread later([&] { go = true; });
  threads.stop();
  later.join();
  EXPECT_LE(begun, 4);
  EXPECT_GE(begun, 1);
}

}  // namespace
}  // namespace umf
