// Workers of umf bench that are stopped, killed, or taken for dead.
#include <fcntl.h>
#include <sys/stat.h>

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <thread>

#include "bench/bench_fixture.h"

namespace umf {
namespace {

using testing::HasSubstr;

// The files of a folder, without drafts that one who was killed has left.
std::map<std::string, std::string> contents(const std::filesystem::path& folder) {
  std::map<std::string, std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const std::string name = entry.path().filename();
    if (name.find(".tmp-") == std::string::npos) files[name] = read_file(entry.path());
  }
  return files;
}

// A search that lasts until it is told to stop.
std::vector<std::string> endless() {
  return {"--window",
          "64",
          "--budget",
          "2000000",
          "--no-cache",
          "--ratios",
          "0.95,0.9,0.85,0.8,0.75,0.7,0.65,0.6,0.55,0.5,0.45,0.4"};
}

bool has_checkpoint(const std::filesystem::path& run) {
  std::error_code absent;
  for (const auto& entry : std::filesystem::directory_iterator(run / "checkpoints", absent)) {
    if (entry.file_size() > 20000) return true;
  }
  return false;
}

TEST_F(BenchCli, SignalsSaveAndSayHowToGoOn) {
  for (const auto& [signal, expected] :
       {std::pair{SIGTERM, 75}, std::pair{SIGUSR1, 75}, std::pair{SIGINT, 130}}) {
    const std::string name = "run-" + std::to_string(signal);
    Running run(one(name, endless()));
    await([&] { return has_checkpoint(place(name)); });
    const Json during = status(name);
    EXPECT_EQ(during["running"], 1);
    EXPECT_EQ(during["jobs"][0]["id"], "letters/0");
    EXPECT_EQ(during["jobs"][0]["configuration"], "unmaskfork");
    run.send(signal);
    const Finished stopped = run.wait();
    EXPECT_EQ(stopped.status, expected) << stopped.err;
    EXPECT_TRUE(std::filesystem::is_empty(place(name + "/workers"))) << "it left in good order";
    EXPECT_TRUE(has_checkpoint(place(name)));
    EXPECT_EQ(status(name)["running"], 0);
    EXPECT_EQ(lines_of(place(name + "/results.jsonl")).size(), 0);
  }
}

TEST_F(BenchCli, ASignalledRunGoesOnAsIfNothingHadHappened) {
  ASSERT_EQ(umf(three("whole")).status, 0);
  int stopped = 0, after_ms = 40;
  for (int i = 0; i < 20; ++i) {
    Running run(three("run"));
    sleep_ms(after_ms);
    run.send(SIGTERM);
    const int status = run.wait().status;
    stopped += status == 75;
    if (status == 0) break;
    // One that does not hear signals yet ends by them: a busy machine needs longer to begin.
    after_ms = status == 75 ? after_ms + 5 : std::min(2 * after_ms, 5000);
  }
  EXPECT_EQ(umf(three("run")).status, 0);
  EXPECT_GT(stopped, 0);
  EXPECT_EQ(results("run"), results("whole"));
  const auto resumed = lines_of(place("run/results.jsonl"));
  for (std::size_t i = 0; i < resumed.size(); ++i) {
    if (resumed[i]["search"]["nfe"] == 0) continue;
    EXPECT_GT(resumed[i]["seconds"]["unmask"], 0) << "replayed work took its time, too";
  }
  EXPECT_TRUE(contents(place("run/traces")) == contents(place("whole/traces")));
}

TEST_F(BenchCli, PassesMadeBeforeASignalAreCountedWithThoseAfterIt) {
  problems(1, text_checks("ae"));
  std::vector<std::string> long_one = endless();
  *std::ranges::find(long_one, "2000000") = "3000";
  ASSERT_EQ(umf(one("whole", long_one)).status, 0);
  Running run(one("run", long_one));
  await([&] { return has_checkpoint(place("run")); });
  run.send(SIGTERM);
  EXPECT_EQ(run.wait().status, 75);
  ASSERT_EQ(umf(one("run", long_one)).status, 0);
  const Json whole = lines_of(place("whole/results.jsonl")).at(0);
  const Json resumed = lines_of(place("run/results.jsonl")).at(0);
  EXPECT_GE(resumed["passes"], whole["passes"]);
}

#if defined(__SANITIZE_ADDRESS__)
constexpr int kRounds = 1, kKillsPerRound = 6;
#else
constexpr int kRounds = 5, kKillsPerRound = 10;
#endif

TEST_F(BenchCli, WorkersThatAreKilledLoseNothingAndDoNothingTwice) {
  const auto start = std::chrono::steady_clock::now();
  ASSERT_EQ(Running(three("whole")).wait().status, 0);
  const auto whole_ms = static_cast<int>(std::chrono::duration_cast<std::chrono::milliseconds>(
                                             std::chrono::steady_clock::now() - start)
                                             .count());
  std::mt19937 rng(8);
  int killed = 0, longest_ms = whole_ms / 8 + 1;
  for (int round = 0; round < kRounds; ++round) {
    const std::string name = "run-" + std::to_string(round);
    std::vector<std::unique_ptr<Running>> workers;
    for (int i = 0; i < 3; ++i) workers.push_back(std::make_unique<Running>(three(name)));
    for (int i = 0; i < kKillsPerRound; ++i) {
      sleep_ms(static_cast<int>(rng() % longest_ms));
      auto& victim = workers[rng() % workers.size()];
      victim->send(SIGKILL);
      const bool alive = victim->wait().status == -1;
      killed += alive;
      // The whole run may have been a busy machine's, and these are not.
      if (!alive) longest_ms = std::max(1, longest_ms / 2);
      victim = std::make_unique<Running>(three(name));
    }
    for (auto& worker : workers) {
      const Finished finished = worker->wait();
      ASSERT_EQ(finished.status, 0) << finished.err;
    }
    EXPECT_EQ(results(name), results("whole"));
    EXPECT_EQ(read_file(place(name + "/samples.jsonl")), read_file(place("whole/samples.jsonl")));
    EXPECT_TRUE(contents(place(name + "/traces")) == contents(place("whole/traces")));
    std::multiset<std::string> recorded;
    for (const auto& file : std::filesystem::directory_iterator(place(name + "/results"))) {
      for (const Json& line : lines_of(file.path()))
        recorded.insert(Json{line["id"], line["configuration"], line["budget"]}.dump());
    }
    EXPECT_EQ(recorded.size(), results("whole").size()) << "none was done twice";
  }
  RecordProperty("killed", killed);
  EXPECT_GT(killed, kRounds * kKillsPerRound / 2);
}

std::size_t lines_recorded(const std::filesystem::path& run) {
  std::size_t lines = 0;
  for (const auto& file : std::filesystem::directory_iterator(run / "results"))
    lines += lines_of(file.path()).size();
  return lines;
}

TEST_F(BenchCli, AWorkerThatWasTakenForDeadWritesNothingMore) {
  const std::vector<std::string> longer = {"--window", "48", "--budget", "96,1500", "--limit", "1"};
  ASSERT_EQ(umf(one("whole", longer)).status, 0);
  Running sleeper(one("run", longer));
  await([&] { return has_checkpoint(place("run")); });
  sleeper.send(SIGSTOP);
  if (lines_recorded(place("run")) > 0) GTEST_SKIP() << "this machine was too quick";
  EXPECT_EQ(umf(one("run", longer)).status, 0) << "another takes over after six beats";
  sleeper.send(SIGCONT);
  const Finished woken = sleeper.wait();
  EXPECT_EQ(woken.status, 0) << woken.err;
  EXPECT_EQ(lines_recorded(place("run")), 2);
  EXPECT_EQ(results("run"), results("whole"));
  EXPECT_TRUE(contents(place("run/traces")) == contents(place("whole/traces")));
}

// It is anybody's then, and its first holder's too.
TEST_F(BenchCli, AJobThatWasTakenOverByOneWhoThenDiedIsDone) {
  const std::string judge = "cat > /dev/null; echo x >> " + place("asked") + "; while ! test -e " +
                            place("go") + "; do sleep 0.02; done; echo 1";
  problems(1, {{"type", "command"}, {"argv", {"sh", "-c", judge}}});
  const auto asked = [&](std::size_t times) {
    std::error_code absent;
    return std::filesystem::file_size(place("asked"), absent) == 2 * times && !absent;
  };
  Running first(one("run", {"--budget", "16", "--no-wait"}));
  await([&] { return asked(1); });
  first.send(SIGSTOP);
  Running second(one("run", {"--budget", "16"}));
  await([&] { return asked(2); });
  second.send(SIGKILL);
  second.wait();
  write_file(place("go"), "");
  first.send(SIGCONT);
  const Finished woken = first.wait();
  EXPECT_EQ(woken.status, 0) << woken.err;
  EXPECT_EQ(lines_recorded(place("run")), 1);
}

// A worker of another machine that holds the first job. Its file has times of a clock that is wrong
// by hours: ahead while it lives, behind when it is silent, or the other way round.
class PretendedWorker {
 public:
  PretendedWorker(std::filesystem::path run, int seconds_ahead,
                  const std::string& job = "00000-000")
      : file_(run / "workers/far-1-0.json"), seconds_ahead_(seconds_ahead) {
    write_file(run / "leases" / (job + ".1"), Json{{"worker", "far-1-0"}, {"since", 0}}.dump());
    beat();
  }
  void live() {
    life_ = std::jthread([this](const std::stop_token& stop) {
      while (!stop.stop_requested()) {
        beat();
        sleep_ms(20);
      }
    });
  }
  void go_silent() { life_ = {}; }

 private:
  void beat() {
    const Json worker = {{"id", "far-1-0"}, {"host", "far"},  {"machine", "far away"},
                         {"pid", 1},        {"started", "1"}, {"heartbeat", 0.2},
                         {"since", 0},      {"age", 1},       {"beat", ++beats_}};
    write_file(file_, worker.dump());
    timespec then{};
    ::clock_gettime(CLOCK_REALTIME, &then);
    then.tv_sec += seconds_ahead_;
    const timespec times[] = {then, then};
    ASSERT_EQ(::utimensat(AT_FDCWD, file_.c_str(), times, 0), 0);
  }

  const std::filesystem::path file_;
  const int seconds_ahead_;
  int beats_ = 0;
  std::jthread life_;
};

TEST_F(BenchCli, AnotherMachinesJobIsLeftUntilItIsStale) {
  ASSERT_EQ(umf(one("whole")).status, 0);
  ASSERT_EQ(umf(one("run", {"--budget", "16,40,100"})).status, 0);
  std::filesystem::remove_all(place("run/results"));
  std::filesystem::create_directory(place("run/results"));
  PretendedWorker far(place("run"), -3600);
  far.live();
  EXPECT_EQ(status("run")["running"], 1);
  EXPECT_EQ(umf(one("run", {"--no-wait"})).status, 3) << "nothing left for this worker";
  EXPECT_EQ(lines_of(place("run/results.jsonl")).size(), 4 * 3);
  far.go_silent();
  EXPECT_EQ(status("run")["stale"], 1);
  EXPECT_EQ(umf(one("run", {"--no-wait"})).status, 0);
  EXPECT_EQ(results("run"), results("whole"));
  EXPECT_TRUE(std::filesystem::is_empty(place("run/workers"))) << "what the dead left is removed";
  EXPECT_TRUE(std::filesystem::is_empty(place("run/leases")));
}

TEST_F(BenchCli, UnderASchedulerAWorkerLeavesWhatOthersHaveUnlessItIsToWait) {
  ASSERT_EQ(umf(one("run", {"--limit", "1"})).status, 0);
  std::filesystem::remove_all(place("run/results"));
  std::filesystem::create_directory(place("run/results"));
  PretendedWorker far(place("run"), 0);
  far.live();
  for (const char* scheduler : {"SLURM_JOB_ID=7", "PBS_JOBID=7.here", "LSB_JOBID=7"})
    EXPECT_EQ(umf(one("run", {"--limit", "1"}), "", scheduler).status, 3) << scheduler;
  EXPECT_EQ(lines_recorded(place("run")), 0u);
  far.go_silent();
  EXPECT_EQ(umf(one("run", {"--limit", "1", "--wait"}), "", "SLURM_JOB_ID=7").status, 0)
      << "took it over after six beats";
  expect_refusal(umf(one("run", {"--wait", "--no-wait"})), "exclude each other");
}

TEST_F(BenchCli, ASignalBeforeTheFirstSearchSaysAgain) {
  // A named pipe holds it where it reads its configurations: a writer can open one that is read.
  ASSERT_EQ(::mkfifo(place("pipe").c_str(), 0600), 0);
  for (const int signal : {SIGTERM, SIGUSR1}) {
    Running run(bench("run", {"--configs", place("pipe")}));
    int writer = -1;
    await([&] { return (writer = ::open(place("pipe").c_str(), O_WRONLY | O_NONBLOCK)) >= 0; });
    run.send(signal);
    EXPECT_EQ(run.wait().status, 75);
    ::close(writer);
  }
  EXPECT_FALSE(std::filesystem::exists(place("run")));
}

TEST_F(BenchCli, AWorkerWaitsForOneThatGoesSilent) {
  ASSERT_EQ(umf(one("run", {"--limit", "1"})).status, 0);
  std::filesystem::remove_all(place("run/results"));
  std::filesystem::create_directory(place("run/results"));
  const PretendedWorker far(place("run"), 3600);
  EXPECT_EQ(umf(one("run", {"--limit", "1"})).status, 0) << "took it over after six beats";
  EXPECT_EQ(lines_of(place("run/results.jsonl")).size(), 3);
}

// A complete run as it stands when its last worker is killed in the middle of the merged files.
class LastWorkerKilled : public BenchCli {
 protected:
  LastWorkerKilled() {
    Running worker(one("run", {"--window", "64", "--budget", "2000000", "--no-cache"}));
    await([&] { return !dead_worker().empty(); });
    worker.send(SIGKILL);
    worker.wait();
    const std::string file = dead_worker(), text = read_file(place("run/workers/" + file));
    std::filesystem::remove_all(place("run"));
    EXPECT_EQ(umf(one("run")).status, 0);
    EXPECT_EQ(dead_worker(), "") << "the last one clears away";
    merged_ = results("run");
    write_file(place("run/workers/" + file), text);
    write_file(place("run/leases/views.1"),
               Json{{"worker", file.substr(0, file.size() - 5)}, {"since", 1}, {"age", 1}}.dump());
    write_file(place("run/results.jsonl"), "");
    write_file(place("run/summary.json"), "{}");
  }
  std::string dead_worker() const {
    std::error_code absent;
    for (const auto& file : std::filesystem::directory_iterator(place("run/workers"), absent))
      if (file.path().extension() == ".json") return file.path().filename();
    return "";
  }
  void expect_whole() const {
    EXPECT_EQ(results("run"), merged_);
    EXPECT_TRUE(Json::parse(read_file(place("run/summary.json")))["complete"].get<bool>());
    for (const char* folder : {"leases", "workers", "checkpoints"})
      EXPECT_TRUE(std::filesystem::is_empty(place(std::string("run/") + folder))) << folder;
  }

  std::vector<Json> merged_;
};

TEST_F(LastWorkerKilled, WhoeverAsksHowFarTheRunIsWritesItsMergedFiles) {
  const Finished status = umf({"status", place("run")});
  EXPECT_EQ(status.status, 0) << status.err;
  EXPECT_THAT(status.out, HasSubstr("15 of 15 done"));
  EXPECT_THAT(status.err, HasSubstr("the merged files of the run are written anew"));
  expect_whole();
  EXPECT_EQ(umf({"status", place("run")}).err, "") << "once";
}

TEST_F(LastWorkerKilled, AWatchWritesThemAtItsEnd) {
  EXPECT_EQ(umf({"status", place("run"), "--watch"}).status, 0);
  expect_whole();
}

TEST_F(LastWorkerKilled, AWorkerThatFindsNothingLeftWritesThem) {
  EXPECT_EQ(umf(one("run")).status, 0);
  expect_whole();
}

// Whether one of another machine is dead is not known at once, and this one is just leaving.
TEST_F(LastWorkerKilled, OneThatLeavesWhileOthersLookOnWasNotKilled) {
  const std::filesystem::path workers = place("run/workers"), far = workers / "far-1-0.json";
  std::filesystem::remove(workers / dead_worker());
  std::filesystem::remove(place("run/leases/views.1"));
  const PretendedWorker leaving(place("run"), 0, "views");
  Running status({"status", place("run")});
  await([&] { return std::distance(std::filesystem::directory_iterator(workers), {}) == 2; });
  std::filesystem::remove(place("run/leases/views.1"));
  std::filesystem::remove(far);
  EXPECT_EQ(status.wait().err, "");
}

// Nothing can be made where there is a file in place of the folder, not even by root.
TEST_F(LastWorkerKilled, WhereNothingCanBeWrittenAStatusSaysSo) {
  const std::filesystem::path leases = place("run/leases");
  std::filesystem::remove_all(leases);
  write_file(leases, "");
  const Json shown = status("run");
  EXPECT_TRUE(shown["complete"].get<bool>());
  EXPECT_THAT(shown["warnings"][0].get<std::string>(),
              HasSubstr("the merged files may be older than what is recorded"));
  EXPECT_EQ(read_file(place("run/results.jsonl")), "");
}

}  // namespace
}  // namespace umf
