// umf status --watch, beside a run and behind it.
#include "bench/bench_fixture.h"
#include "support/on_a_terminal.h"

namespace umf {
namespace {

using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;

std::vector<std::string> watch(const std::string& run) {
  return {"status", run, "--watch", "--every", "0.1"};
}

bool shows(const Running& run, const std::string& text) {
  return run.out().find(text) != std::string::npos;
}

TEST_F(BenchCli, AWatchSaysALinePerChangeAndEndsWithTheRun) {
  // Something is missing, so that the watch begins before the run's end.
  ASSERT_EQ(umf(three("run")).status, 0);
  std::filesystem::remove_all(place("run/results"));
  std::filesystem::create_directory(place("run/results"));
  Running watching(watch(place("run")));
  await([&] { return shows(watching, "0 of 40 done"); });
  ASSERT_EQ(umf(three("run")).status, 0);
  const Finished watched = watching.wait();
  EXPECT_EQ(watched.status, 0) << watched.err;
  EXPECT_THAT(watched.out, HasSubstr("40 of 40 done"));
  EXPECT_THAT(watched.out, Not(HasSubstr("\x1b"))) << "nothing is drawn where there is no terminal";
  std::istringstream lines(watched.out);
  for (std::string line; std::getline(lines, line);)
    EXPECT_THAT(line, testing::MatchesRegex("[0-9][0-9]:[0-9][0-9]:[0-9][0-9] .*"));
}

// Of the environment that processes get.
struct Set {
  Set(std::string variable, const char* value) : name(std::move(variable)) {
    ::setenv(name.c_str(), value, 1);
  }
  ~Set() { ::unsetenv(name.c_str()); }
  const std::string name;
};

TEST_F(BenchCli, AWatchTellsWhoIsAtWorkAndWhoHasLeft) {
  const Set gpus("CUDA_VISIBLE_DEVICES", "3"), array("SLURM_ARRAY_JOB_ID", "12"),
      task("SLURM_ARRAY_TASK_ID", "7");
  Running worker(one("run", {"--window", "64", "--budget", "2000000", "--no-cache", "--ratios",
                             "0.9,0.8,0.7,0.6,0.5,0.4"}));
  await([&] { return std::filesystem::exists(place("run/config.json")); });
  Running watching(watch(place("run")));
  await([&] { return shows(watching, " is at work"); });
  worker.send(SIGTERM);
  EXPECT_EQ(worker.wait().status, 75);
  await([&] { return shows(watching, " has left"); });
  watching.send(SIGTERM);
  EXPECT_THAT(
      watching.wait().out,
      ContainsRegex("pid [0-9]+ is at work: .*gpus 3, slurm_job 12_7(.|\n)*pid [0-9]+ has left"));
}

TEST_F(BenchCli, AWatchEndsWhereAllWasTriedAndNobodyIsAtWork) {
  problems(2, {{"type", "command"}, {"argv", {"false"}}});
  ASSERT_EQ(umf(one("run", {"--budget", "16"})).status, 1);
  const Finished watched = umf(watch(place("run")));
  EXPECT_EQ(watched.status, 1) << watched.err;
  EXPECT_THAT(watched.out, ContainsRegex("unjudged letters/1 unmaskfork at 16: "));
  EXPECT_THAT(watched.out, HasSubstr("2 failed"));
}

TEST_F(BenchCli, AWatchIsDrawnOnATerminalAndStaysThere) {
  ASSERT_EQ(umf(one("run")).status, 0);
  const OnATerminal run = run_on_terminal(watch(place("run")), 60, 24);
  EXPECT_EQ(run.status, 0) << run.shown;
  EXPECT_THAT(run.shown, HasSubstr("15 of 15 done"));
  EXPECT_THAT(run.shown.substr(run.shown.find("15 of 15")), Not(HasSubstr("\x1b[1A")))
      << "it is not removed at the end";
}

// As umf bench itself would leave: scripts decide by it whether to start workers again.
TEST_F(BenchCli, AStatusTellsScriptsWhatIsLeft) {
  const auto left = [&](const std::string& run) {
    return umf({"status", place(run), "--exit-status"}).status;
  };
  ASSERT_EQ(umf(one("complete", {"--budget", "16"})).status, 0);
  EXPECT_EQ(left("complete"), 0);
  Running worker(one("run", {"--window", "64", "--budget", "2000000", "--no-cache", "--ratios",
                             "0.9,0.8,0.7,0.6,0.5,0.4"}));
  await([&] {
    std::error_code absent;
    return !std::filesystem::is_empty(place("run/workers"), absent) && !absent;
  });
  EXPECT_EQ(left("run"), 3) << "somebody is at work";
  worker.send(SIGKILL);
  worker.wait();
  const Finished killed = umf({"status", place("run"), "--exit-status"});
  EXPECT_EQ(killed.status, 75) << "and now nobody";
  EXPECT_THAT(killed.out, HasSubstr("0 of 5 done")) << "it says the same";
  problems(2, {{"type", "command"}, {"argv", {"false"}}});
  ASSERT_EQ(umf(one("failures", {"--budget", "16"})).status, 1);
  EXPECT_EQ(left("failures"), 1);
  expect_refusal(umf({"status", place("run"), "--watch", "--exit-status"}), "--exit-status");
}

// One of another machine: its process cannot be asked, and its file may be a dead one's.
TEST_F(BenchCli, WhetherSomebodyIsAtWorkIsWaitedFor) {
  ASSERT_EQ(umf(one("run", {"--budget", "16"})).status, 0);
  std::filesystem::remove_all(place("run/results"));
  write_file(place("run/workers/far.json"), Json{{"host", "far"},
                                                 {"machine", "another"},
                                                 {"pid", 1},
                                                 {"started", "1"},
                                                 {"heartbeat", 0.1},
                                                 {"since", 1},
                                                 {"age", 1},
                                                 {"about", Json::object()}}
                                                .dump());
  EXPECT_EQ(umf({"status", place("run"), "--exit-status"}).status, 75);
}

TEST_F(BenchCli, AWatchIsForPeople) {
  ASSERT_EQ(umf(one("run")).status, 0);
  expect_refusal(umf({"status", place("run"), "--watch", "--json"}), "--json");
  expect_refusal(umf({"status", place("run"), "--watch", "--every", "0"}), "--every");
}

}  // namespace
}  // namespace umf
