#include "bench/lease.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
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
    Worker(const std::filesystem::path& run, Identity self, double beat,
           SteadySeconds clock = steady_seconds)
        : heartbeat(run / "workers", std::move(self), beat, Json::object(), std::move(clock)),
          leases(run / "leases", heartbeat) {}
  };
  static Identity on(const std::string& host, const std::string& id) {
    Identity self = this_process();
    self.host = self.machine = host;
    self.id = id;
    return self;
  }
  std::unique_ptr<Worker> join(const std::string& host, const std::string& id,
                               double beat = kSlow) {
    return std::make_unique<Worker>(directory_.path(), on(host, id), beat,
                                    [this] { return now_.load(); });
  }
  // So many seconds in which the worker watches the other one, and its own beats go through.
  void watches(Worker& worker, const std::string& id, int seconds) {
    worker.heartbeat.look_at(id);
    for (int i = 0; i < seconds; i += kStep) {
      now_ = now_ + kStep;
      worker.heartbeat.beat();
    }
  }
  static constexpr int kStep = 10;

  std::atomic<double> now_ = 0;  // by everybody's clock
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
  watches(*b, "a", static_cast<int>(6 * kSlow) - 10);
  EXPECT_FALSE(b->leases.claim("job")) << "it may still come back";
  watches(*b, "a", 20);
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
  const auto beaten = [&] { return b->heartbeat.look_at("a")->silence == 0; };
  for (int round = 0; round < 3; ++round) {
    watches(*b, "a", 350);
    for (int i = 0; i < 30000 && !beaten(); ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    EXPECT_TRUE(beaten());
    EXPECT_FALSE(b->leases.held().empty());
  }
}

// As for everybody when the server does not answer.
TEST_F(LeaseTest, TimeInWhichOnesOwnBeatsDoNotGoThroughIsNoSilence) {
  const auto a = join("one", "a"), b = join("two", "b");
  ASSERT_TRUE(a->leases.claim("job"));
  b->heartbeat.look_at("a");
  for (int pause = 0; pause < 3; ++pause) {
    now_ = now_ + 3600;
    b->heartbeat.beat();
    EXPECT_FALSE(b->leases.claim("job"));
    EXPECT_LE(b->heartbeat.look_at("a")->silence, (pause + 1) * kSlow / 2);
  }
}

TEST_F(LeaseTest, OneThatIsSeenForTheFirstTimeMayLiveHoweverOldItsFileIs) {
  write_file(directory_ / "workers" / "far.json",
             R"({"id":"far","host":"far","machine":"far","pid":1,"started":"1",)"
             R"("heartbeat":60,"since":0})");
  write_file(directory_ / "leases" / "job.1", R"({"worker":"far","since":0})");
  const auto a = join("one", "a");
  EXPECT_FALSE(a->leases.claim("job"));
  EXPECT_EQ(a->heartbeat.look_at("far")->life, Life::kUnknown);
  watches(*a, "far", 370);
  EXPECT_TRUE(a->leases.claim("job"));
}

TEST_F(LeaseTest, ADamagedWorkersFileEndsNobodyAndHoldsNothingForEver) {
  for (const char* text : {"", "{}", "[1]", R"({"id":3,"heartbeat":"x"})"}) {
    write_file(directory_ / "workers" / "far.json", text);
    write_file(directory_ / "leases" / "job.1", R"({"worker":"far","since":0})");
    const auto a = join("one", "a");
    EXPECT_FALSE(a->leases.claim("job"));
    watches(*a, "far", 370);
    EXPECT_TRUE(a->leases.claim("job"));
    std::filesystem::remove(directory_ / "leases" / "job.2");
  }
}

TEST_F(LeaseTest, ALeaseThatIsBeingMadeIsWaitedForButNotForEver) {
  const auto a = join("one", "a"), b = join("two", "b");
  write_file(directory_ / "leases" / "job.1", "");
  EXPECT_FALSE(b->leases.claim("job"));
  watches(*b, "a", 350);
  EXPECT_FALSE(b->leases.claim("job"));
  watches(*b, "a", 20);
  EXPECT_EQ(b->leases.claim("job")->epoch, 2);
}

// The answer to its creation was lost, or the process did not live to hear it.
TEST_F(LeaseTest, ALeaseOfOnesOwnThatOneDoesNotKnowOfIsFound) {
  const auto a = join("one", "a");
  write_file(directory_ / "leases" / "job.1", R"({"worker":"a","since":0})");
  const auto lease = a->leases.claim("job");
  ASSERT_TRUE(lease);
  EXPECT_EQ(lease->epoch, 1);
  EXPECT_TRUE(a->leases.holds(*lease));
  EXPECT_FALSE(a->leases.claim("job")) << "once";
  write_file(directory_ / "leases" / "other.1", R"({"worker":"a","since":0})");
  EXPECT_TRUE(a->leases.claim_first("other"));
}

// As that of the views, which is retired whenever its holder leaves.
TEST_F(LeaseTest, ALeaseThatWasRetiredAndMadeAnewIsItsNewHolders) {
  auto a = join("one", "a");
  const auto b = join("two", "b"), c = join("three", "c");
  const auto old = a->leases.claim("job");
  EXPECT_FALSE(b->leases.claim("job")) << "it is known to be the first one's";
  a->leases.retire(*old);
  const auto anew = c->leases.claim("job");
  a.reset();
  EXPECT_FALSE(b->leases.claim("job"));
  EXPECT_TRUE(c->leases.holds(*anew));
}

TEST_F(LeaseTest, ANewHolderThatDiedIsNotTakenForAnOldOneThatLives) {
  const auto a = join("one", "a"), b = join("two", "b");
  const auto old = a->leases.claim("job");
  EXPECT_FALSE(b->leases.claim("job"));
  a->leases.retire(*old);
  EXPECT_TRUE(join("three", "c")->leases.claim("job"));
  EXPECT_EQ(b->leases.epochs().at("job"), 1);
  EXPECT_TRUE(b->leases.claim("job"));
}

TEST_F(LeaseTest, AProcessOfThisMachineThatEndedIsTakenOverAtOnce) {
  const auto b = std::make_unique<Worker>(directory_.path(), this_process(), kSlow);
  const pid_t child = ::fork();
  if (child == 0) {  // ends without leaving, as if killed
    auto* gone = new Worker(directory_.path(), this_process(), kSlow);
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
