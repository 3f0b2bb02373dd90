// Folders as network file systems show them: sizes and absences that are not fresh, no hard links,
// servers that do not answer for a while.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <memory>

#include "base/files.h"
#include "file_faults.h"
#include "run_worker.h"
#include "support/expect_error.h"
#include "support/temporary_directory.h"

namespace umf {
namespace {

constexpr double kBeat = 0.05;

void sleep_seconds(double seconds) {
  std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
}

// This process as if it were one of another machine, of which nothing but the folder is known.
Identity elsewhere(const std::string& host) {
  Identity self = this_process();
  self.host = self.machine = host;
  self.id = host + "-" + self.id;
  return self;
}

struct Worker {
  RunDirectory run;
  Heartbeat heartbeat;
  JobBoard board;
  ResultWriter writer;
  Worker(const std::filesystem::path& folder, const std::string& host)
      : run(RunDirectory::start(folder, small_manifest(), false)),
        heartbeat(run.workers(), elsewhere(host), kBeat),
        board(run, heartbeat),
        writer(run.results() / (heartbeat.self().id + ".jsonl")) {}
  void finish(const BenchJob& job) {
    writer.append(known_result(run.manifest(), job, heartbeat.self().id));
  }
};

class Faults : public testing::Test {
 protected:
  ~Faults() override {
    faults::refuse_nothing();
    faults::cache_attributes(false);
  }
  TemporaryDirectory directory_;
};

// One holds a job for long, the other one would like to have it.
void nobody_is_robbed(Worker& holder, Worker& other) {
  const auto held = holder.board.next();
  ASSERT_TRUE(held);
  int done = 0;
  for (int looks = 0; looks < 60; ++looks) {
    if (const auto job = other.board.next()) {
      ASSERT_FALSE(job->problem == held->problem && job->configuration == held->configuration);
      other.finish(*job);
      ++done;
    }
    sleep_seconds(kBeat / 2);
  }
  EXPECT_EQ(done, 3);
  EXPECT_TRUE(holder.board.leases().holds(held->lease));
  holder.finish(*held);
  for (int looks = 0; looks < 1000 && other.board.tally().done < 4; ++looks) {
    other.board.results().refresh_all();
    EXPECT_FALSE(other.board.next()) << "it is done";
  }
  EXPECT_EQ(other.board.tally().done, 4);
}

TEST_F(Faults, CachedSizesAndAbsencesRobNobody) {
  Worker holder(directory_ / "run", "one"), other(directory_ / "run", "two");
  faults::cache_attributes(true);
  nobody_is_robbed(holder, other);
}

// Two mounts of one folder with caches like those of NFS, where this machine allows mounts.
class Mounts : public testing::Test {
 protected:
  Mounts() {
    for (const char* name : {"real", "one", "two"})
      std::filesystem::create_directory(directory_ / name);
    there_ = mount("one") && mount("two");
  }
  ~Mounts() override {
    for (const char* name : {"one", "two"}) {
      const std::string command = "fusermount -uz " + (directory_ / name).string() + " 2>/dev/null";
      static_cast<void>(!std::system(command.c_str()));
    }
  }
  bool mount(const std::string& name) const {
    const std::string command = "bindfs -o attr_timeout=60,entry_timeout=60,negative_timeout=60 " +
                                (directory_ / "real").string() + " " +
                                (directory_ / name).string() + " >/dev/null 2>&1";
    return std::system(command.c_str()) == 0;
  }
  TemporaryDirectory directory_;
  bool there_ = false;
};

TEST_F(Mounts, WithCachesOfAMinuteRobNobody) {
  if (!there_) GTEST_SKIP() << "no bindfs, or no mounts on this machine";
  Worker holder(directory_ / "one" / "run", "one"), other(directory_ / "two" / "run", "two");
  nobody_is_robbed(holder, other);
}

TEST_F(Faults, AServerThatDoesNotAnswerRobsNobody) {
  Worker holder(directory_ / "run", "one"), other(directory_ / "run", "two");
  std::vector<BenchJob> held;
  while (auto job = holder.board.next()) held.push_back(*std::move(job));
  ASSERT_EQ(held.size(), 4);
  EXPECT_FALSE(other.board.next());
  faults::refuse("write", "workers/", EIO);  // no beat of anybody goes through
  for (int looks = 0; looks < 20; ++looks) {
    EXPECT_FALSE(other.board.next());
    sleep_seconds(kBeat);
  }
  faults::refuse_nothing();
  EXPECT_FALSE(other.board.next()) << "at the first moment";
  // And one that does not come back is not waited for.
  faults::refuse("write", holder.heartbeat.self().id, EIO);
  std::optional<BenchJob> taken;
  for (int looks = 0; looks < 1000 && !taken; ++looks) {
    taken = other.board.next();
    sleep_seconds(kBeat / 5);
  }
  EXPECT_TRUE(taken);
}

TEST_F(Faults, WithoutHardLinksOneOfManyMakesAFile) {
  faults::refuse("link", "", EPERM);
  EXPECT_TRUE(create_file(directory_ / "a", "first"));
  EXPECT_FALSE(create_file(directory_ / "a", "second"));
  EXPECT_EQ(read_file(directory_ / "a"), "first");
  EXPECT_THAT(names_in(directory_.path()), testing::ElementsAre("a"));
  faults::refuse("link", "", EIO);
  EXPECT_ERROR(create_file(directory_ / "b", "x"), "cannot write");
}

TEST_F(Faults, ALostAnswerIsFoundOutByTheBytes) {
  write_file(directory_ / "a", "mine");
  EXPECT_TRUE(create_file(directory_ / "a", "mine")) << "the request went through and was repeated";
  EXPECT_FALSE(create_file(directory_ / "a", "mine!"));
}

TEST_F(Faults, ARunWhoseMakerWasKilledWhileItMadeItIsBegunAnew) {
  std::filesystem::create_directories(directory_ / "run" / "results");
  write_file(directory_ / "run" / "config.json", "");
  const RunDirectory run = RunDirectory::start(directory_ / "run", small_manifest(), false);
  EXPECT_EQ(run.manifest().ids.size(), 2);
}

TEST_F(Faults, FilesHaveTheModeThatTheUserWants) {
  const mode_t before = ::umask(0007);
  write_file(directory_ / "a", "x");
  create_file(directory_ / "b", "x");
  make_file(directory_ / "c", "x");
  ::umask(before);
  for (const char* name : {"a", "b", "c"}) {
    struct stat info {};
    ASSERT_EQ(::stat((directory_ / name).c_str(), &info), 0);
    EXPECT_EQ(info.st_mode & 0777, 0660u) << name;
  }
}

}  // namespace
}  // namespace umf
