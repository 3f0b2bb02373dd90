// Workers that are killed, and machines that lose power, between any two steps.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <set>

#include "base/files.h"
#include "bench/status.h"
#include "file_faults.h"
#include "run_worker.h"
#include "support/temporary_directory.h"

namespace umf {
namespace {

constexpr long kMostSteps = 400;  // more than there are
constexpr int kKilled = 9;

// The exit status of a process of its own that does this.
int in_a_process(const std::function<bool()>& what) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(what() ? 0 : 1);
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

// "a one" and so on, as often as they were recorded.
std::multiset<std::string> recorded(const std::filesystem::path& run) {
  std::multiset<std::string> keys;
  for (const std::string& name : names_in(run / "results")) {
    std::ifstream file(run / "results" / name);
    for (std::string line; std::getline(file, line);) {
      const Result result = parse_result(line, name);
      keys.insert(result.key.id + " " + result.key.configuration);
    }
  }
  return keys;
}

const std::multiset<std::string> kAll = {"a one", "a two", "b one", "b two"};

std::string undisturbed() {
  const TemporaryDirectory directory;
  EXPECT_EQ(in_a_process([&] { return work(directory / "run"); }), 0);
  return read_file(directory / "run/samples.jsonl");
}

void expect_complete(const std::filesystem::path& run, const std::string& samples) {
  EXPECT_EQ(recorded(run), kAll) << "nothing is lost, and nothing done twice";
  EXPECT_EQ(read_file(run / "samples.jsonl"), samples);
  for (const char* folder : {"leases", "workers"})
    EXPECT_THAT(names_in(run / folder), testing::IsEmpty()) << folder;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(run))
    EXPECT_FALSE(writer_of_draft(entry.path().filename().string())) << entry.path();
}

void kill_at_every_step(const std::function<void()>& fault, long steps = kMostSteps) {
  const std::string samples = undisturbed();
  long step = 1;
  for (int status = kKilled; status == kKilled && step <= steps; ++step) {
    const TemporaryDirectory directory;
    status = in_a_process([&] {
      fault();
      faults::die_before(step);
      return work(directory / "run");
    });
    ASSERT_TRUE(status == kKilled || status == 0) << "at step " << step;
    ASSERT_EQ(in_a_process([&] {
                fault();
                return work(directory / "run");
              }),
              0)
        << "after step " << step;
    expect_complete(directory / "run", samples);
    if (testing::Test::HasFailure()) FAIL() << "at step " << step;
    ASSERT_LT(step, kMostSteps);
  }
  EXPECT_GT(step, std::min(steps, 60L)) << "there are more steps than that";
}

TEST(KilledBetweenAnyTwoSteps, AWorkerLosesNothingAndBlocksNobody) {
  kill_at_every_step([] {});
}

// They are wanted at the beginning alone.
TEST(KilledBetweenAnyTwoSteps, AlsoWhereThereAreNoHardLinks) {
  kill_at_every_step([] { faults::refuse("link", "", EPERM); }, 30);
}

// What a look at the run says is done, before the cut.
std::string done_according_to_status(const std::filesystem::path& run) {
  if (!std::filesystem::exists(run / "config.json")) return "";
  const RunDirectory directory = RunDirectory::open(run);
  const int done = RunWatch(directory).look()["done"];
  std::string keys;
  for (const std::string& key : recorded(run)) keys += key + "\n";
  EXPECT_EQ(done, std::ranges::count(keys, '\n'));
  return keys;
}

TEST(PowerCut, AtAnyStepLeavesWhatStatusCalledDone) {
  const std::string samples = undisturbed();
  int cuts = 0, with_results = 0;
  for (int status = kKilled; status == kKilled; ++cuts) {
    const TemporaryDirectory directory;
    std::filesystem::create_directory(directory / "disk");
    const auto run = directory / "disk" / "run";
    status = in_a_process([&] {
      faults::watch_disk(directory / "disk");
      faults::die_before(cuts + 1, [&] {
        const std::string done = done_according_to_status(run);
        faults::power_cut(directory / "after");
        std::ofstream(directory / "done") << done;
      });
      return work(run);
    });
    if (status != kKilled) break;
    std::ifstream done(directory / "done");
    const auto after = directory / "after" / "run";
    const auto there = recorded(after);
    for (std::string key; std::getline(done, key); ++with_results)
      EXPECT_TRUE(there.contains(key)) << key << " at step " << cuts + 1;
    ASSERT_EQ(in_a_process([&] { return work(after); }), 0) << "after step " << cuts + 1;
    expect_complete(after, samples);
    if (testing::Test::HasFailure()) FAIL() << "at step " << cuts + 1;
    ASSERT_LT(cuts, kMostSteps);
  }
  EXPECT_GT(cuts, 60);
  EXPECT_GT(with_results, 60) << "and many cuts come after something was done";
}

}  // namespace
}  // namespace umf
