#include "bench/job_board.h"

#include <gtest/gtest.h>

#include <fstream>
#include <memory>

#include "base/files.h"
#include "support/temporary_directory.h"

namespace umf {
namespace {

Json manifest() {
  return {{"version", "1"},
          {"dataset",
           {{"kind", "problems"}, {"path", "/d"}, {"fingerprint", "f"}, {"problems", {"a", "b"}}}},
          {"models", Json::array()},
          {"configurations",
           {{{"name", "one"}, {"budgets", {16}}}, {{"name", "two"}, {"budgets", {16}}}}}};
}

// Workers of one run, each with a view of its own.
class JobBoardTest : public testing::Test {
 protected:
  struct Worker {
    Heartbeat heartbeat;
    JobBoard board;
    ResultWriter writer;
    explicit Worker(const RunDirectory& run)
        : heartbeat(run.workers(), this_process(), 60),
          board(run, heartbeat),
          writer(run.results() / (heartbeat.self().id + ".jsonl")) {}
  };
  void finish(Worker& worker, const BenchJob& job) {
    Result r;
    const Manifest& made = run_.manifest();
    r.key = {made.ids[job.problem], made.configurations[job.configuration].name, 16};
    r.passed = true;
    worker.writer.append(r);
  }
  // Problem and configuration of the next job, or nothing.
  static std::pair<int, int> place(const std::optional<BenchJob>& job) {
    return job ? std::pair(job->problem, job->configuration) : std::pair(-1, -1);
  }

  TemporaryDirectory directory_;
  RunDirectory run_ = RunDirectory::start(directory_ / "run", manifest(), false);
  Worker a_{run_}, b_{run_};
};

using Place = std::pair<int, int>;

TEST_F(JobBoardTest, WorkersKeepToProblemsOfTheirOwn) {
  EXPECT_EQ(place(a_.board.next()), Place(0, 0));
  EXPECT_EQ(place(b_.board.next()), Place(1, 0));
  EXPECT_EQ(place(a_.board.next()), Place(0, 1));
  EXPECT_EQ(place(b_.board.next()), Place(1, 1));
  EXPECT_EQ(place(a_.board.next()), Place(-1, -1));
  EXPECT_TRUE(a_.board.others_at_work());
}

TEST_F(JobBoardTest, AFinishedJobKeepsItsProblemUntilItsLeaseIsRetired) {
  const auto job = a_.board.next();
  ASSERT_EQ(place(job), Place(0, 0));
  finish(a_, *job);
  EXPECT_EQ(place(b_.board.next()), Place(1, 0)) << "the other one goes on with the first problem";
  EXPECT_EQ(place(a_.board.next()), Place(0, 1));
}

TEST_F(JobBoardTest, WhoHasNothingElseToDoHelps) {
  const auto job = a_.board.next();
  ASSERT_EQ(place(job), Place(0, 0));
  finish(a_, *job);
  for (const Place& own : {Place(1, 0), Place(1, 1)}) {
    const auto next = b_.board.next();
    ASSERT_EQ(place(next), own);
    finish(b_, *next);
  }
  EXPECT_EQ(place(b_.board.next()), Place(0, 1));
}

// Another worker's command named more, or the run has grown since this one began.
TEST_F(JobBoardTest, AWorkerKeepsToItsPart) {
  const Manifest& made = run_.manifest();
  const Heartbeat heartbeat(run_.workers(), this_process(), 60);
  JobBoard board(run_, heartbeat, part_of(made, {"b"}, {"two"}));
  const auto job = board.next();
  EXPECT_EQ(place(job), Place(1, 1));
  finish(a_, *job);
  Result unknown;
  unknown.key = {"c", "three", 16};
  a_.writer.append(unknown);
  board.results().refresh();
  EXPECT_EQ(place(board.next()), Place(-1, -1));
  EXPECT_EQ(board.tally().total, 1);
  EXPECT_EQ(board.tally().done, 1) << "what others do is not counted";
}

// Each seed of a problem is a job of its own.
TEST(JobBoards, SeedsAreJobs) {
  const TemporaryDirectory directory;
  Json json = manifest();
  json["configurations"][0]["seeds"] = {0, 4};
  const RunDirectory run = RunDirectory::start(directory / "run", json, false);
  const Heartbeat heartbeat(run.workers(), this_process(), 60);
  JobBoard board(run, heartbeat);
  EXPECT_EQ(board.tally().total, 6);
  std::vector<std::string> jobs;
  while (const auto job = board.next()) jobs.push_back(job->lease.job);
  EXPECT_EQ(jobs, (std::vector<std::string>{"00000-000", "00000-000s4", "00000-001", "00001-000",
                                            "00001-000s4", "00001-001"}));
}

// What others have taken since the last look is found out by the claim.
TEST(JobBoardOfMany, WorkersWithOldViewsDoEveryJobOnce) {
  const TemporaryDirectory directory;
  Json large = manifest();
  large["dataset"]["problems"] = Json::array();
  for (int i = 0; i < 40; ++i) large["dataset"]["problems"].push_back(std::to_string(i));
  const RunDirectory run = RunDirectory::start(directory / "run", large, false);
  const SteadySeconds no_time_goes_by = [] { return 100.0; };
  std::vector<std::unique_ptr<Heartbeat>> heartbeats;
  std::vector<std::unique_ptr<JobBoard>> boards;
  for (int i = 0; i < 8; ++i) {
    heartbeats.push_back(std::make_unique<Heartbeat>(run.workers(), this_process(), 60));
    boards.push_back(std::make_unique<JobBoard>(run, *heartbeats.back(), no_time_goes_by));
  }
  std::map<std::string, int> done;
  for (bool more = true; more;) {
    more = false;
    for (std::size_t i = 0; i < boards.size(); ++i) {
      const auto job = boards[i]->next();
      if (!job) continue;
      more = true;
      ++done[job->lease.job];
      ResultWriter writer(run.results() / (heartbeats[i]->self().id + ".jsonl"));
      Result result;
      result.key = {run.manifest().ids[job->problem],
                    run.manifest().configurations[job->configuration].name, 16};
      writer.append(result);
    }
  }
  EXPECT_EQ(done.size(), 80);
  for (const auto& [job, times] : done) EXPECT_EQ(times, 1) << job;
}

// What was looked at may have been a minute old, for a network file system keeps that long what it
// was told.
TEST_F(JobBoardTest, AJobThatWasDoneAndRetiredWhileNobodyLookedIsNotDoneAgain) {
  constexpr double kCached = 60;
  for (int i = 0; i < 200; ++i)  // who is one of many does not look often
    std::ofstream(run_.workers() / (std::to_string(i) + ".json")) << "{}";
  double now = 0;
  Heartbeat heartbeat(run_.workers(), this_process(), 60);
  JobBoard late(run_, heartbeat, [&] { return now; });
  std::vector<BenchJob> done;
  while (auto job = a_.board.next()) done.push_back(*std::move(job));
  for (const BenchJob& job : done) {
    finish(a_, job);
    a_.board.retire(job.lease);
  }
  now += kKeptWhenDone - kCached + 1;
  EXPECT_EQ(place(late.next()), Place(-1, -1));
}

TEST_F(JobBoardTest, ADamagedLineOfAnotherWorkerEndsNobody) {
  const auto job = a_.board.next();
  ASSERT_TRUE(job);
  finish(a_, *job);
  write_file(run_.results() / "other.jsonl", std::string(40, '\0') + "\n{\"id\":3}\n");
  Worker fresh(run_);
  EXPECT_TRUE(fresh.board.next());
  EXPECT_EQ(fresh.board.tally().done, 1);
  EXPECT_EQ(fresh.board.results().warnings().size(), 2);
}

}  // namespace
}  // namespace umf
