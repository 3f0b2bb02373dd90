// What a job makes ends with it, and nothing of it is another job's.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/json.h"
#include "sandbox/cgroup.h"
#include "sandbox/hostile_testing.h"
#include "sandbox/warm_sandbox.h"

namespace umf {
namespace {

using testing::HasSubstr;

class Leftovers : public BehindWalls {};

// The code of tests runs with the tester, and over HTTP it is any client's.
PythonResult run_test_code(Sandbox& sandbox, const std::string& setup) {
  const Json payload = {{"program", "def f(): return 42"},
                        {"setup", setup},
                        {"driver", ""},
                        {"seconds", 5},
                        {"tolerance", 0},
                        {"tests", {{{"call", "f()"}, {"expect", "look()"}}}}};
  return sandbox.run(PythonJob{"python_tests", payload.dump(), hostile_limits(false)});
}

TEST_P(Leftovers, TestCodeSharesNoFileWithOtherJobs) {
  const auto sandbox = make_warm_sandbox(GetParam(), 1);
  const PythonResult result = run_test_code(*sandbox, R"(
import os, stat
def look():
    shared = []
    for number in range(1024):
        try: mode = os.fstat(number).st_mode
        except OSError: continue
        if not stat.S_ISSOCK(mode) and not stat.S_ISCHR(mode): shared.append((number, oct(mode)))
    return shared or 42
)");
  EXPECT_THAT(result.reports, HasSubstr(R"("outcome": "pass")")) << result.reason;
}

TEST_P(Leftovers, WhatTestCodeWritesIsNeitherKeptNorCountedForOthers) {
  const auto sandbox = make_warm_sandbox(GetParam(), 1);
  for (const char* part : {"os.write(2, b'x' * (1 << 20))", "os.ftruncate(2, 1 << 32)",
                           "os.posix_fallocate(2, 0, 1 << 28)"}) {
    const std::string fill =
        "import os\ndef look():\n  for _ in range(64):\n    try: " + std::string(part) +
        "\n    except OSError: pass\n  return 42";
    run_test_code(*sandbox, fill);
    EXPECT_THAT(run_test_code(*sandbox,
                              "import os\ndef look():\n  try: return os.pread(2, 1, 0) or 42\n"
                              "  except OSError: return 42")
                    .reports,
                HasSubstr(R"("outcome": "pass")"));
  }
}

// Where pid 1 does not reap, what it is left with fills the limit of processes.
TEST_P(Leftovers, NoProcessIsLeftForOthersToReap) {
  const int child = ::fork();
  if (child == 0) {
    ::prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
    {
      const auto sandbox = make_warm_sandbox(GetParam(), 2);
      CommandJob endless{{"/usr/bin/sleep", "100"}};
      endless.limits.wall_ms = 30;
      for (int i = 0; i < 5; ++i) {
        sandbox->run(CommandJob{{"/usr/bin/true"}});
        sandbox->run(endless);
        sandbox->run(PythonJob{
            "self_test", R"({"programs": [{"source": "while True: pass", "seconds": 0.02}]})"});
      }
    }
    int left = 0;
    while (::waitpid(-1, nullptr, WNOHANG) >= 0) ++left;
    ::_exit(left);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_EQ(WEXITSTATUS(status), 0) << "processes were left";
}

INSTANTIATE_TEST_SUITE_P(Walls, Leftovers, testing::Values(Walls::kNamespaces, Walls::kLandlock),
                         name_of_walls);

class Cgroups : public testing::TestWithParam<int> {
 protected:
  void SetUp() override {
    if (!places_.any()) GTEST_SKIP() << "no such group can be made here";
  }
  // The folders of a place that are ours.
  std::vector<std::string> groups() const {
    std::vector<std::string> found;
    for (const auto& entry : std::filesystem::directory_iterator(place()))
      if (entry.path().filename().string().starts_with("umf-")) found.push_back(entry.path());
    return found;
  }
  const std::string& place() const {
    return places_.memory.empty() ? places_.pids : places_.memory;
  }

  const CgroupPlaces places_ = cgroup_places(GetParam());
};

TEST_P(Cgroups, OfAnotherPidNamespaceAreLeftAlone) {
  const std::string foreign = place() + "/umf-1-999999999-0";
  ASSERT_EQ(::mkdir(foreign.c_str(), 0755), 0);
  struct stat here {};
  ASSERT_EQ(::stat("/proc/self/ns/pid", &here), 0);
  const std::string stale = place() + "/umf-" + std::to_string(here.st_ino) + "-999999999-0";
  ASSERT_EQ(::mkdir(stale.c_str(), 0755), 0);
  remove_stale_groups(places_);
  EXPECT_TRUE(std::filesystem::exists(foreign));
  EXPECT_FALSE(std::filesystem::exists(stale));
  ::rmdir(foreign.c_str());
}

TEST_P(Cgroups, ThatSomebodyRemovedAreMadeAgain) {
  const int child = ::fork();  // its groups are those of its number
  if (child == 0) {
    Cgroup group(places_, 0);
    // Others may be at work on this machine, with groups of their own.
    const std::string own = "-" + std::to_string(::getpid()) + "-";
    std::string folder;
    for (const std::string& each : groups()) {
      if (each.find(own) == std::string::npos) continue;
      folder = each;
      ::rmdir(each.c_str());
    }
    group.admit(::getpid(), {}, 100, std::size_t{1} << 30);
    const bool inside = !folder.empty() && std::filesystem::exists(folder);
    ::_exit(inside ? 0 : 1);  // leaves an empty group: it is stale now
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_EQ(WEXITSTATUS(status), 0);
  remove_stale_groups(places_);
}

TEST_P(Cgroups, EndWhoeverTakesTooMuchMemoryAndTellIt) {
  if (places_.memory.empty()) GTEST_SKIP() << "no group can limit memory here";
  Cgroup group(places_, 0);
  int gate[2];
  ASSERT_EQ(::pipe(gate), 0);
  const int child = ::fork();
  if (child == 0) {
    char byte;
    static_cast<void>(!::read(gate[0], &byte, 1));
    std::vector<char> memory(std::size_t{300} << 20, 'x');
    ::_exit(memory.back() == 'x' ? 0 : 1);
  }
  SandboxLimits limits;
  limits.memory_bytes = limits.scratch_bytes = std::size_t{32} << 20;
  group.admit(child, limits, 8, 0);
  ASSERT_EQ(::write(gate[1], "g", 1), 1);
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
  EXPECT_TRUE(group.ran_out_of_memory());
}

INSTANTIATE_TEST_SUITE_P(Versions, Cgroups, testing::Values(1, 2));

TEST(SandboxMemory, IsOfAllProcessesTogether) {
  if (!isolations()[0].objection.empty()) GTEST_SKIP() << isolations()[0].objection;
  const auto sandbox = make_sandbox({.workers = 1});
  CommandJob job{{"/usr/bin/python3", "-S", "main.py"}, "", {{"main.py", R"(
import os, time
for _ in range(8):
    if os.fork() == 0:
        part = b"x" * (60 << 20)
        time.sleep(5)
        os._exit(0)
for _ in range(8): os.wait()
print("all had their memory")
)"}}};
  job.limits = hostile_limits(false);
  EXPECT_STREQ(name_of(sandbox->run(job).ending), "memory");
}

}  // namespace
}  // namespace umf
