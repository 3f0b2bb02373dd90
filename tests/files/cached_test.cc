// Folders as network file systems show them: sizes and absences that are not fresh, no hard links,
// servers that do not answer for a while.
#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <fstream>
#include <memory>

#include "base/files.h"
#include "bench/waiting.h"
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

// ---- sizes that are promised, in simulated time

constexpr double kUsualBeat = 15, kLimit = kBeatsMissed * kUsualBeat;
constexpr double kCached = 60, kPause = 120, kHour = 3600;
constexpr double kStep = 0.25, kStepsPerBeat = 15;

// A worker of another machine whose clocks are an hour ahead: what it says, and the job it holds.
class FarWorker {
 public:
  FarWorker(const RunDirectory& run, int number)
      : run_(run), id_(fmt::format("far-{}-0", number)), job_(Manifest::job_name(number, 0)) {
    beat(0);
    write_file(run_.results() / (id_ + ".jsonl"), "");
    write_file(lease(), Json{{"worker", id_}, {"since", kHour}, {"age", 0}}.dump());
  }
  void beat(double now) {
    const Json worker = {{"id", id_},      {"host", "far"},    {"machine", id_},
                         {"pid", 1},       {"started", "1"},   {"heartbeat", kUsualBeat},
                         {"since", kHour}, {"beat", ++beats_}, {"age", kHour + now}};
    std::ofstream(run_.workers() / (id_ + ".json")) << worker;
  }
  void finish(const BenchJob& job) const {
    ResultWriter(run_.results() / (id_ + ".jsonl")).append(known_result(run_.manifest(), job, id_));
  }
  void retire() const { std::filesystem::remove(lease()); }

 private:
  std::filesystem::path lease() const { return run_.leases() / (job_ + ".1"); }

  const RunDirectory& run_;
  const std::string id_, job_;
  int beats_ = 0;
};

// A worker here, who waits for what the far ones hold: each has the first job of a problem.
class Waiter {
 public:
  explicit Waiter(int others)
      : run_(RunDirectory::start(directory_ / "run", manifest(others), false)) {
    for (int i = 0; i < others; ++i) far.emplace_back(run_, i);
    const faults::Through through(cache_);
    board_ = std::make_unique<JobBoard>(run_, heartbeat_, clock_);
  }

  // A moment goes by. Whether it is one of a heartbeat.
  bool step() {
    now = now + kStep;
    const bool beats = ++steps_ % static_cast<int>(kStepsPerBeat) == 0;
    if (beats && answers) heartbeat_.beat();
    return beats && answers;
  }
  std::optional<BenchJob> next() {
    const faults::Through through(cache_);
    return board_->next();
  }
  // As umf bench waits: nothing before it is time.
  std::optional<BenchJob> next_if_due() {
    if (now < due_) return std::nullopt;
    auto job = next();
    due_ = now + waiting_.next_pause(board_->until_next_try());
    return job;
  }
  Tally tally() const { return board_->tally(); }

  std::atomic<double> now = 0;
  bool answers = true;  // the server, to anybody's beats
  std::vector<FarWorker> far;

 private:
  static Json manifest(int problems) {
    Json json = small_manifest();
    json["dataset"]["problems"] = Json::array();
    for (int i = 0; i < problems; ++i) json["dataset"]["problems"].push_back(std::to_string(i));
    json["configurations"].erase(1);
    return json;
  }

  const TemporaryDirectory directory_;
  const SteadySeconds clock_ = [this] { return now.load(); };
  const RunDirectory run_;
  Heartbeat heartbeat_{run_.workers(), elsewhere("near"), kUsualBeat, Json::object(), clock_};
  faults::Cache cache_{kCached, clock_, {}};
  std::unique_ptr<JobBoard> board_;
  Waiting waiting_{1, clock_};
  double due_ = 0;
  int steps_ = 0;
};

// Whatever the caches hold when the server pauses, and whether it answers looks meanwhile or not.
TEST(PromisedSizes, NobodyWhoLivesIsRobbedAndNothingIsDoneTwice) {
  for (const bool looks : {false, true}) {
    for (int phase = 0; phase < 60; phase += 12) {
      SCOPED_TRACE(fmt::format("a pause {} s later, looks {}", phase, looks));
      Waiter waiter(1);
      FarWorker& far = waiter.far[0];
      double recorded = 0;
      const auto live = [&](double seconds) {
        for (const double until = waiter.now + seconds; waiter.now < until;) {
          if (waiter.step()) far.beat(waiter.now);
          if (!waiter.answers && !looks) continue;
          ASSERT_FALSE(waiter.next()) << "after " << waiter.now << " s";
          if (recorded > 0 && waiter.now >= recorded + kKeptWhenDone) far.retire();
        }
      };
      live(150 + phase);
      waiter.answers = false;
      live(kPause);
      waiter.answers = true;
      live(150);
      far.finish({.budgets = {16}});
      recorded = waiter.now;
      live(2 * kKeptWhenDone);
      EXPECT_EQ(waiter.tally().done, 1);
    }
  }
}

// Also where many others are at work, who must not be asked too often.
TEST(PromisedSizes, ADeadWorkerBlocksNobodyForLongerThanTwoLimits) {
  for (const auto& [others, step] : {std::pair(1, 10), std::pair(200, 30)}) {
    for (int phase = 0; phase < 75; phase += step) {
      SCOPED_TRACE(fmt::format("{} at work, dead {} s later", others, phase));
      Waiter waiter(others);
      const double death = 110 + phase;  // the waiter is at its longest pauses
      std::optional<BenchJob> taken;
      int turn = 0;
      while (!taken && waiter.now < death + 2 * kLimit) {
        if (waiter.step()) {
          if (waiter.now <= death) waiter.far[0].beat(waiter.now);
          for (int i = 1 + turn++ % 4; i < others; i += 4) waiter.far[i].beat(waiter.now);
        }
        taken = waiter.next_if_due();
      }
      ASSERT_TRUE(taken);
      EXPECT_EQ(taken->problem, 0);
      EXPECT_GT(waiter.now, death);
    }
  }
}

// ---- what file systems lack or lose

class Faults : public testing::Test {
 protected:
  ~Faults() override { faults::refuse_nothing(); }
  TemporaryDirectory directory_;
};

// Others retire leases between a listing and a look.
TEST_F(Faults, ALeaseThatIsGoneBeforeItIsReadEndsNobody) {
  Worker holder(directory_ / "run", "one");
  while (holder.board.next()) continue;
  Worker other(directory_ / "run", "two");
  for (const int reason : {ENOENT, ESTALE}) {
    faults::refuse("open", "leases/", reason);
    EXPECT_FALSE(other.board.next());
    EXPECT_THAT(read_leases(other.run.leases()), testing::IsEmpty());
  }
  faults::refuse("open", "leases/", EIO);
  EXPECT_ERROR(read_leases(other.run.leases()), "cannot read");
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
