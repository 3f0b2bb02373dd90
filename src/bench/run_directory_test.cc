#include "bench/run_directory.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <thread>
#include <utility>

#include "base/error.h"
#include "base/files.h"
#include "bench/lease.h"
#include "bench/views.h"
#include "support/temporary_directory.h"

namespace umf {
namespace {

using testing::HasSubstr;

Json manifest() {
  return {
      {"made_by", {{"host", "here"}}},
      {"version", "1"},
      {"dataset",
       {{"kind", "problems"}, {"path", "/data"}, {"fingerprint", "f"}, {"problems", {"a", "b"}}}},
      {"models", {{{"name", "m"}, {"directory", "/m"}, {"fingerprint", "x"}}}},
      {"configurations", {{{"name", "umf"}, {"window", 16}, {"budgets", {16, 32}}}}}};
}

template <class Work>
std::string refusal(Work&& work) {
  try {
    work();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

class RunDirectoryTest : public testing::Test {
 protected:
  std::filesystem::path run() const { return directory_ / "run"; }
  RunDirectory start(const Json& json, bool must_exist = false) const {
    return RunDirectory::start(run(), json, must_exist);
  }
  TemporaryDirectory directory_;
};

TEST_F(RunDirectoryTest, IsMadeOnceAndJoinedAfterwards) {
  EXPECT_THAT(refusal([&] { start(manifest(), true); }), HasSubstr("there is no run in"));
  start(manifest());
  const std::string config = read_file(run() / "config.json");
  Json elsewhere = manifest();
  elsewhere["made_by"]["host"] = "there";
  elsewhere["dataset"]["path"] = "/mnt/data";
  elsewhere["models"][0]["directory"] = "/mnt/m";
  const RunDirectory joined = start(elsewhere, true);
  EXPECT_EQ(read_file(run() / "config.json"), config) << "written once";
  EXPECT_EQ(joined.manifest().ids, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(joined.manifest().configurations[0].budgets, (std::vector<long>{16, 32}));
}

TEST_F(RunDirectoryTest, AnotherRunIsRefusedByTheDifference) {
  start(manifest());
  const auto changed = [&](const char* path, const Json& value) {
    Json other = manifest();
    other[Json::json_pointer(path)] = value;
    return refusal([&] { start(other); });
  };
  EXPECT_THAT(changed("/configurations/0/window", 32),
              HasSubstr("/configurations/0/window = 16, and this command 32"));
  EXPECT_THAT(changed("/dataset/fingerprint", "g"), HasSubstr("/dataset/fingerprint"));
  EXPECT_THAT(changed("/models/0/fingerprint", "y"), HasSubstr("/models/0/fingerprint"));
  EXPECT_THAT(changed("/version", "2"), HasSubstr("/version = \"1\""));
  EXPECT_THAT(changed("/configurations/0/budgets", {16}), HasSubstr("/configurations/0/budgets"));
  EXPECT_THAT(changed("/seed", 3), HasSubstr("/seed = nothing, and this command 3"));
}

TEST(JobNames, TellProblemAndConfiguration) {
  EXPECT_EQ(Manifest::parse_job_name(Manifest::job_name(12, 345)), std::pair(12, 345));
  EXPECT_EQ(Manifest::parse_job_name(Manifest::job_name(123456, 0)), std::pair(123456, 0));
  for (const char* other : {"", "7", "-", "7-", "-7", "7--7", "7-7x", "x-7", "7-99999999999"})
    EXPECT_FALSE(Manifest::parse_job_name(other)) << other;
}

// Copies and archives often leave empty folders out.
TEST_F(RunDirectoryTest, ARunGoesOnWithoutItsEmptyFolders) {
  start(manifest());
  for (const char* name : {"leases", "workers", "checkpoints", "traces"})
    std::filesystem::remove(run() / name);
  EXPECT_TRUE(read_leases(run() / "leases").empty());
  start(manifest());
  for (const char* name : {"leases", "workers", "checkpoints", "traces"})
    EXPECT_TRUE(std::filesystem::is_directory(run() / name)) << name;
}

TEST_F(RunDirectoryTest, OfWorkersThatStartAtOnceOneWritesAndAllAgree) {
  std::vector<std::thread> threads;
  std::atomic<int> joined = 0;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&] {
      start(manifest());
      ++joined;
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(joined, 8);
}

TEST_F(RunDirectoryTest, ForeignFoldersAreLeftAlone) {
  std::filesystem::create_directory(run());
  write_file(run() / "thesis.tex", "\\begin");
  EXPECT_THAT(refusal([&] { start(manifest()); }), HasSubstr("is not empty and holds no run"));
  EXPECT_FALSE(std::filesystem::exists(run() / "results"));
  EXPECT_THAT(refusal([&] { RunDirectory::open(run()); }), HasSubstr("no config.json"));
  write_file(run() / "config.json", "{\"kind\": \"other\"}");
  EXPECT_THAT(refusal([&] { start(manifest()); }), HasSubstr("does not describe a run"));
  write_file(directory_ / "file", "x");
  EXPECT_THAT(refusal([&] { RunDirectory::start(directory_ / "file", manifest(), false); }),
              HasSubstr("cannot make"));
}

TEST_F(RunDirectoryTest, ACheckpointIsCopiedFromTheOneWhoGotFurthest) {
  const RunDirectory r = start(manifest());
  const auto folder = run() / "checkpoints";
  EXPECT_FALSE(std::filesystem::exists(r.adopt_checkpoint("00000-000", 16, "w1")));
  write_file(folder / "00000-000-16.w1", "one");
  write_file(folder / "00000-000-16.w2", "one two");
  write_file(folder / "00000-000-160.w2", "of another budget");
  const auto own = r.adopt_checkpoint("00000-000", 16, "w3");
  EXPECT_EQ(read_file(own), "one two");
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder), {}), 2);
  r.remove_checkpoints("00000-000-");
  EXPECT_TRUE(std::filesystem::is_empty(folder));
}

// Whoever writes the views must come back to its work while others go on with theirs.
TEST_F(RunDirectoryTest, ViewsDoNotKeepUpWithThoseWhoAreAtWork) {
  const RunDirectory joined = start(manifest());
  std::jthread other([&](const std::stop_token& stop) {
    ResultWriter writer(joined.results() / "other.jsonl");
    Result result;
    result.key = {"a", "umf", 16};
    while (!stop.stop_requested()) writer.append(result);
  });
  ResultIndex results(joined.results());
  while (results.bytes_read() == 0) results.refresh();
  Views(joined).refresh(results);
  EXPECT_THAT(read_file(run() / "results.jsonl"), HasSubstr("\"umf\""));
}

TEST_F(RunDirectoryTest, DraftsAreRemovedWhenTheirWritersAreGone) {
  const RunDirectory r = start(manifest());
  for (const char* name : {"results.jsonl.tmp-near-7-0000abcd", "results.jsonl.tmp-far-7-0000abcd",
                           "traces/x.jsonl.tmp-far-7-0000abcd", "results.jsonl.tmp-old123",
                           "page.html.tmp-far-7-0000abcd", "traces/y.jsonl.tmp-near-7-0000abcd"})
    write_file(run() / name, "x");
  r.remove_drafts({"near-7-12345678", "far-77-12345678"});
  std::vector<std::string> left;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(run())) {
    if (writer_of_draft(entry.path().filename().string())) left.push_back(entry.path().filename());
  }
  EXPECT_THAT(left, testing::UnorderedElementsAre("results.jsonl.tmp-near-7-0000abcd",
                                                  "y.jsonl.tmp-near-7-0000abcd",
                                                  "page.html.tmp-far-7-0000abcd"))
      << "those of workers, and what is no file of the run";
}

// Whoever took its lease over may have written newer ones, and think that these are the last.
TEST_F(RunDirectoryTest, AWriterThatWasTakenForDeadLeavesNoOlderViewsBehind) {
  const RunDirectory r = start(manifest());
  const Heartbeat slow(r.workers(), this_process(), 60), other(r.workers(), this_process(), 60);
  Leases leases(r.leases(), slow);
  SharedViews views(r, leases);
  const auto record = [&](const std::string& id) {
    Result result;
    result.key = {id, "umf", 16};
    ResultWriter(r.results() / (id + ".jsonl")).append(result);
  };
  record("a");
  ResultIndex results(r.results());
  bool taken = false;
  results.notify([&](const ResultKey&) {  // in the middle of its writing
    if (std::exchange(taken, true)) return;
    write_file(r.leases() / "views.2", Json{{"worker", other.self().id}, {"since", 0}}.dump());
    record("b");
    ResultIndex newer(r.results());
    Views(r).refresh(newer);
  });
  EXPECT_TRUE(views.finish(results));
  EXPECT_THAT(read_file(run() / "results.jsonl"), HasSubstr("\"id\":\"b\""));
}

TEST_F(RunDirectoryTest, ViewsHaveOneWriterAndTheLastToLeaveWritesThem) {
  const RunDirectory r = start(manifest());
  auto writer = std::make_unique<Heartbeat>(r.workers(), this_process(), 60);
  Leases writers(r.leases(), *writer);
  ASSERT_TRUE(writers.claim(kViewsJob));
  Heartbeat other(r.workers(), this_process(), 60);
  Leases others(r.leases(), other);
  SharedViews views(r, others);
  ResultIndex results(r.results());
  EXPECT_TRUE(views.finish(results));
  EXPECT_FALSE(std::filesystem::exists(run() / "results.jsonl")) << "the other one will write";
  writer.reset();
  Result result;
  result.key = {"a", "umf", 16};
  ResultWriter(r.results() / "gone.jsonl").append(result);
  EXPECT_TRUE(views.finish(results));
  EXPECT_THAT(read_file(run() / "results.jsonl"), HasSubstr("\"umf\""));
  EXPECT_FALSE(highest_epochs(r.leases()).contains(kViewsJob)) << "whoever is next may write";
}

}  // namespace
}  // namespace umf
