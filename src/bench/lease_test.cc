#include "bench/lease.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <barrier>
#include <memory>
#include <thread>

#include "base/files.h"
#include "support/expect_error.h"
#include "support/temporary_directory.h"

namespace umf {
namespace {

constexpr double kSlow = 60;  // a heartbeat that does not beat during a test

// Workers on several machines in one process: a machine is what an identity says it is.
class LeaseTest : public testing::Test {
 protected:
  LeaseTest() {
    std::filesystem::create_directory(directory_ / "leases");
    std::filesystem::create_directory(directory_ / "workers");
  }
  struct Worker {
    Heartbeat heartbeat;
    Leases leases;
    Worker(const std::filesystem::path& run, Identity self, double beat)
        : heartbeat(run / "workers", std::move(self), beat), leases(run / "leases", heartbeat) {}
  };
  static Identity on(const std::string& host, const std::string& id) {
    Identity self = this_process();
    self.host = self.machine = host;
    self.id = id;
    return self;
  }
  std::unique_ptr<Worker> join(const std::string& host, const std::string& id,
                               double beat = kSlow) {
    return std::make_unique<Worker>(directory_.path(), on(host, id), beat);
  }
  // As if the worker had been silent for so long.
  void age(const std::string& id, int seconds) {
    struct stat info {};
    const std::string file = directory_ / "workers" / (id + ".json");
    ASSERT_EQ(::stat(file.c_str(), &info), 0);
    const timespec then{info.st_mtim.tv_sec - seconds, info.st_mtim.tv_nsec};
    const timespec times[] = {then, then};
    ASSERT_EQ(::utimensat(AT_FDCWD, file.c_str(), times, 0), 0);
  }

  TemporaryDirectory directory_;
};

TEST_F(LeaseTest, AJobHasOneHolder) {
  const auto a = join("one", "a"), b = join("two", "b");
  const auto lease = a->leases.claim("job");
  ASSERT_TRUE(lease);
  EXPECT_EQ(lease->epoch, 1);
  EXPECT_FALSE(a->leases.claim("job")) << "not even twice by the same";
  EXPECT_FALSE(b->leases.claim("job"));
  EXPECT_TRUE(b->leases.claim("another job"));
  EXPECT_TRUE(a->leases.holds(*lease));
  EXPECT_EQ(b->leases.held(),
            (std::map<std::string, std::string>{{"job", "a"}, {"another job", "b"}}));
}

TEST_F(LeaseTest, WhoLeavesHoldsNothing) {
  const auto b = join("two", "b");
  ASSERT_TRUE(join("one", "a")->leases.claim("job"));
  EXPECT_TRUE(b->leases.held().empty());
  EXPECT_EQ(b->leases.claim("job")->epoch, 2);
}

TEST_F(LeaseTest, ASilentWorkerOfAnotherMachineIsTakenOverAfterSixBeats) {
  const auto a = join("one", "a"), b = join("two", "b");
  const auto lease = a->leases.claim("job");
  age("a", static_cast<int>(6 * kSlow) - 10);
  EXPECT_FALSE(b->leases.claim("job")) << "it may still come back";
  age("a", 20);
  const auto taken = b->leases.claim("job");
  ASSERT_TRUE(taken);
  EXPECT_FALSE(a->leases.holds(*lease)) << "one that wakes up again sees it";
  EXPECT_TRUE(b->leases.holds(*taken));
  b->leases.retire(*taken);
  EXPECT_FALSE(a->leases.holds(*lease)) << "also when the job is done";
}

TEST_F(LeaseTest, AHeartbeatKeepsALease) {
  const auto a = join("one", "a", 0.02), b = join("two", "b");
  ASSERT_TRUE(a->leases.claim("job"));
  age("a", 100);
  const auto beaten = [&] { return !b->leases.held().empty(); };
  for (int i = 0; i < 500 && !beaten(); ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  EXPECT_TRUE(beaten());
}

TEST_F(LeaseTest, AProcessOfThisMachineThatEndedIsTakenOverAtOnce) {
  const auto b = std::make_unique<Worker>(directory_.path(), this_process(), kSlow);
  const pid_t child = ::fork();
  if (child == 0) {  // ends without leaving, as if killed
    const auto* gone = new Worker(directory_.path(), this_process(), kSlow);
    ::_exit(gone->leases.claim("job") ? 0 : 1);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  ASSERT_EQ(WEXITSTATUS(status), 0);
  EXPECT_EQ(b->leases.claim("job")->epoch, 2);
}

TEST_F(LeaseTest, APidThatCameAgainIsAnotherProcess) {
  Identity self = this_process();
  EXPECT_FALSE(has_ended(self, self));
  Identity earlier = self;
  earlier.started = "1";
  EXPECT_TRUE(has_ended(earlier, self));
  earlier.machine = "another";
  EXPECT_FALSE(has_ended(earlier, self)) << "nothing is known of other machines";
}

TEST_F(LeaseTest, OfManyWhoClaimAtOnceOneWins) {
  constexpr int kWorkers = 4, kRounds = 300;
  std::vector<std::unique_ptr<Worker>> workers;
  for (int i = 0; i < kWorkers; ++i)
    workers.push_back(join("host" + std::to_string(i), "w" + std::to_string(i)));
  // Half of the jobs are fresh, half were left by a worker that is gone.
  for (int round = 0; round < kRounds; round += 2)
    ASSERT_TRUE(join("old", "old")->leases.claim("job" + std::to_string(round)));
  std::vector<std::atomic<int>> winners(kRounds);
  std::barrier together(kWorkers);
  std::vector<std::thread> threads;
  for (auto& worker : workers) {
    threads.emplace_back([&] {
      for (int round = 0; round < kRounds; ++round) {
        together.arrive_and_wait();
        if (worker->leases.claim("job" + std::to_string(round))) ++winners[round];
      }
    });
  }
  for (auto& thread : threads) thread.join();
  for (const auto& count : winners) ASSERT_EQ(count, 1);
}

TEST_F(LeaseTest, UnfinishedFilesAreNoLeases) {
  const auto a = join("one", "a");
  write_file(directory_ / "leases" / "job.1.tmp-abcdef", "{");
  EXPECT_TRUE(a->leases.held().empty());
  EXPECT_TRUE(a->leases.claim("job"));
}

TEST_F(LeaseTest, ADamagedLeaseIsNamed) {
  const auto a = join("one", "a");
  write_file(directory_ / "leases" / "job.1", "{}");
  EXPECT_ERROR(a->leases.claim("job"), "is not a lease");
}

}  // namespace
}  // namespace umf
