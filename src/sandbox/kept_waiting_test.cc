#include "sandbox/kept_waiting.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace umf {
namespace {

constexpr int kTester = 1, kCell = 2, kProgram = 3, kChild = 4;

// A job as it would be seen from outside, and what becomes of it from look to look.
class Job {
 public:
  Job() { start(kTester), start(kCell), start(kProgram); }

  // A thread of that process, the first of which has the process's number.
  void start(int process, int thread = 0) {
    for (ProcessUse& one : processes_) {
      if (one.pid == process) return one.threads.push_back({.id = thread});
    }
    processes_.push_back({process, process > kCell, 0, {{.id = process}}});
  }
  void runs(int process, double seconds, int thread = 0) {
    of(process).cpu_seconds += seconds;
    of(process, thread).ran_seconds += seconds;
  }
  // By a thread that was gone by the look.
  void ran_unseen(int process, double seconds) { of(process).cpu_seconds += seconds; }
  void waits(int process, double seconds, int thread = 0) {
    of(process, thread).waited_seconds += seconds;
  }
  // Queues, and the kernel has not counted it yet.
  void queues(int process, bool now = true) { of(process, 0).runnable = now; }
  void sleeps(int process, int times = 1) { of(process, 0).slept += times; }
  void end(int process) {
    std::erase_if(processes_, [&](const ProcessUse& one) { return one.pid == process; });
  }
  // After the next 25 ms.
  void look() { kept_.look(now_ += 0.025, processes_); }

  double kept(double since = 0) const { return kept_.since(since); }

 private:
  ProcessUse& of(int process) { return *std::ranges::find(processes_, process, &ProcessUse::pid); }
  ThreadUse& of(int process, int thread) {
    return *std::ranges::find(of(process).threads, thread == 0 ? process : thread, &ThreadUse::id);
  }

  std::vector<ProcessUse> processes_;
  double now_ = 0;
  KeptWaiting kept_;
};

TEST(KeptWaiting, CountsWhatOthersOutsideRan) {
  Job job;
  for (int i = 0; i < 40; ++i) {
    job.runs(kProgram, 0.005);
    job.waits(kProgram, 0.020);
    job.look();
  }
  EXPECT_NEAR(job.kept(), 0.8, 1e-9);
}

TEST(KeptWaiting, CountsFromTheGivenTimeOn) {
  Job job;
  for (int i = 0; i < 40; ++i) {
    job.waits(kProgram, i < 20 ? 0.025 : 0.010);
    job.look();
  }
  EXPECT_NEAR(job.kept(0.5), 0.2, 1e-9);
  EXPECT_NEAR(job.kept(0.51), 0.19, 1e-9) << "a look that began earlier does not count";
  EXPECT_EQ(job.kept(1), 0);
}

TEST(KeptWaiting, WhoeverSleepsOrRunsIsNotKept) {
  Job job;
  for (int i = 0; i < 40; ++i) {
    if (i % 2 == 0) job.runs(kProgram, 0.025);
    job.look();
  }
  EXPECT_EQ(job.kept(), 0);
}

TEST(KeptWaiting, AJobWaitsForItsTesterAndItsCellToo) {
  for (const int process : {kTester, kCell}) {
    Job job;
    job.waits(process, 0.025);
    job.look();
    EXPECT_NEAR(job.kept(), 0.025, 1e-9);
  }
}

TEST(KeptWaiting, NobodyIsKeptByItsOwnJob) {
  Job job;
  job.start(kProgram, 30);
  for (int i = 0; i < 40; ++i) {
    job.runs(kProgram, 0.025, 30);
    job.waits(kProgram, 0.025);
    job.waits(kTester, 0.025);
    job.look();
  }
  EXPECT_EQ(job.kept(), 0);
}

TEST(KeptWaiting, AThreadThatEndedCountsWithWhatItRan) {
  Job job;
  for (int i = 0; i < 40; ++i) {
    job.ran_unseen(kProgram, 0.025);
    job.waits(kProgram, 0.025);
    job.look();
  }
  EXPECT_EQ(job.kept(), 0);
}

TEST(KeptWaiting, NothingCountsWhileTwoProcessesOfProgramsRun) {
  Job job;
  for (int i = 0; i < 40; ++i) {
    job.start(kChild + i);  // and is gone before it is seen twice
    job.runs(kChild + i, 0.002);
    job.waits(kProgram, 0.025);
    job.look();
    job.end(kChild + i);
  }
  EXPECT_EQ(job.kept(), 0);
}

TEST(KeptWaiting, OneMayWaitForTheOther) {
  Job job;
  job.start(kChild);
  for (int i = 0; i < 40; ++i) {
    job.runs(kChild, 0.001);
    job.waits(kChild, 0.024);
    job.look();
  }
  EXPECT_NEAR(job.kept(), 0.96, 1e-9);
}

// After each nap it queues behind a neighbour who is not to blame.
TEST(KeptWaiting, WhoeverNapsBringsItsWaitsAboutItself) {
  Job job;
  for (int i = 0; i < 400; ++i) {
    job.runs(kProgram, 0.0001);
    job.waits(kProgram, 0.0249);
    job.sleeps(kProgram, 6);
    job.look();
  }
  EXPECT_EQ(job.kept(), 0);
}

// The kernel counts a wait when it is over.
TEST(KeptWaiting, AWaitThatLastsCountsWhileItLasts) {
  Job job;
  job.runs(kProgram, 0.015);
  job.queues(kProgram);
  job.look();
  for (int i = 1; i <= 4; ++i) {
    job.look();
    EXPECT_NEAR(job.kept(), 0.025 * i, 1e-9);
  }
  job.waits(kProgram, 0.120);  // 10 ms in the first look, 100, and 10 of this one
  job.runs(kProgram, 0.015);
  job.look();
  EXPECT_NEAR(job.kept(), 0.120, 1e-9);
}

TEST(KeptWaiting, AWaitIsNoLongerThanTheTimeThatPassed) {
  Job job;
  job.runs(kProgram, 0.025);
  job.look();
  job.runs(kProgram, 0.010);
  job.waits(kProgram, 10);
  job.look();
  EXPECT_NEAR(job.kept(), 0.015, 1e-9);
}

// Its child ran while it began to wait, and was gone before it was done.
TEST(KeptWaiting, AWaitThatBeganBehindAChildDoesNotCountFromThen) {
  Job job;
  job.start(kChild);
  job.runs(kChild, 0.020);
  job.runs(kProgram, 0.005);
  job.queues(kProgram);
  job.look();
  job.end(kChild);
  job.look();
  job.waits(kProgram, 0.050);
  job.runs(kProgram, 0.020);
  job.look();
  EXPECT_NEAR(job.kept(), 0.030, 1e-9) << "25 ms that were seen, and 5 of the last look";
}

TEST(KeptWaiting, WhoeverRunsOrSleepsBetweenLooksDidNotWaitAllTheTime) {
  for (const bool ran : {true, false}) {
    Job job;
    for (int i = 0; i < 40; ++i) {
      job.queues(kProgram);
      if (ran)
        job.runs(kProgram, 1e-6);
      else
        job.sleeps(kProgram);
      job.look();
    }
    EXPECT_EQ(job.kept(), 0);
  }
}

TEST(KeptWaiting, NapsOfLongAgoAreForgotten) {
  Job job;
  job.sleeps(kProgram, 100'000);
  job.look();
  for (int i = 0; i < 40; ++i) {
    job.waits(kProgram, 0.025);
    job.look();
  }
  EXPECT_NEAR(job.kept(), 0.97, 1e-9);
}

TEST(KeptWaiting, ANumberThatIsGivenAgainBeginsAnew) {
  Job job;
  job.runs(kProgram, 5);
  job.waits(kProgram, 5);
  job.look();
  const double before = job.kept();
  job.end(kProgram);
  job.start(kProgram);
  job.runs(kProgram, 0.001);
  job.waits(kProgram, 0.020);
  job.look();
  EXPECT_NEAR(job.kept() - before, 0.020, 1e-9);
}

}  // namespace
}  // namespace umf
