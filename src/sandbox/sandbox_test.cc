#include "sandbox/sandbox.h"

#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <thread>

#include "base/error.h"
#include "base/json.h"
#include "sandbox/hostile_testing.h"
#include "sandbox/scratch.h"
#include "sandbox/stoppable_sandbox.h"
#include "sandbox/warm_sandbox.h"

namespace umf {
namespace {

using testing::HasSubstr;
using testing::Not;

// One for all tests of this file; other files count processes.
std::unique_ptr<Sandbox> shared;
Sandbox& sandbox() { return *shared; }

class SandboxTest : public testing::Test {
 protected:
  static void TearDownTestSuite() { shared.reset(); }
  void SetUp() override {
    const std::string objection = objection_to(Walls::kNamespaces);
    if (!objection.empty()) GTEST_SKIP() << objection;
    if (!shared) shared = make_sandbox();
  }
};

SandboxLimits short_limits() {
  SandboxLimits limits;
  limits.wall_ms = 3000;
  limits.cpu_ms = 2000;
  limits.memory_bytes = std::size_t{256} << 20;
  limits.scratch_bytes = std::size_t{8} << 20;
  limits.output_bytes = 1 << 16;
  return limits;
}

CommandResult run_python(const std::string& source, const std::string& input = "") {
  CommandJob job{{"/usr/bin/python3", "-S", "main.py"}, input, {{"main.py", source}}};
  job.limits = short_limits();
  return sandbox().run(job);
}

// The report on one program and its calls.
Json ask(const std::string& source, const Json& calls) {
  const Json payload = {{"programs", {{{"source", source}, {"calls", calls}}}}};
  const PythonResult result = sandbox().run(PythonJob{"self_test", payload.dump(), short_limits()});
  EXPECT_EQ(result.ending, Ending::kExited) << result.reason;
  return parse_json(result.reports, "the report");
}

TEST_F(SandboxTest, CommandGetsItsInputAndFilesAndIsCaptured) {
  const CommandResult result =
      run_python("import sys; print(input() + '!'); sys.stderr.write('oh'); sys.exit(3)", "hello");
  EXPECT_EQ(result.ending, Ending::kExited) << result.reason;
  EXPECT_EQ(result.exit_status, 3);
  EXPECT_EQ(result.out, "hello!\n");
  EXPECT_EQ(result.err, "oh");
  EXPECT_GT(result.use.wall_seconds, 0);
  EXPECT_GT(result.use.cpu_seconds, 0);
  EXPECT_GT(result.use.peak_memory_bytes, 1u << 20);
}

TEST_F(SandboxTest, FilesMayLieInFolders) {
  CommandJob job{{"/usr/bin/cat", "a/b/c.txt"}, "", {{"a/b/c.txt", std::string("x\0y", 3)}}};
  EXPECT_EQ(sandbox().run(job).out, std::string("x\0y", 3));
}

TEST_F(SandboxTest, PathsThatLeaveTheScratchFolderAreRefused) {
  for (const char* path : {"/etc/x", "../x", "a/../../x", "", "a/", ".", "\xff"}) {
    CommandJob job{{"/usr/bin/true"}, "", {{path, ""}}};
    EXPECT_THROW(sandbox().run(job), Error) << path;
  }
}

TEST_F(SandboxTest, ProgramThatDoesNotExistSaysNothingAboutTheProgram) {
  const CommandResult result = sandbox().run(CommandJob{{"/usr/bin/no-such-program"}});
  EXPECT_EQ(result.ending, Ending::kSandboxError);
  EXPECT_THAT(result.reason, HasSubstr("no-such-program"));
}

TEST_F(SandboxTest, CommandEndedByASignalIsACrash) {
  const CommandResult result = run_python("import os; os.kill(os.getpid(), 11)");
  EXPECT_EQ(result.ending, Ending::kCrash);
  EXPECT_EQ(result.signal, 11);
}

TEST_F(SandboxTest, SleepingCommandTimesOut) {
  CommandJob job{{"/usr/bin/sleep", "100"}};
  job.limits.wall_ms = 200;
  const CommandResult result = sandbox().run(job);
  EXPECT_EQ(result.ending, Ending::kTimeout);
  EXPECT_THAT(result.reason, HasSubstr("200 ms"));
}

TEST_F(SandboxTest, StopThatIsAskedForEndsTheJobAndThoseThatWait) {
  const auto one_worker = make_sandbox({.workers = 1});
  std::stop_source source;
  StoppableSandbox wrapped(*one_worker, source.get_token());
  Sandbox& stoppable = wrapped;
  std::vector<Ending> endings(3, Ending::kExited);
  const auto start = std::chrono::steady_clock::now();
  {
    std::vector<std::jthread> jobs;
    for (Ending& ending : endings) {
      jobs.emplace_back([&stoppable, &ending] {
        ending = stoppable.run(CommandJob{{"/usr/bin/sleep", "100"}, "", {}, {.wall_ms = 90'000}})
                     .ending;
      });
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    source.request_stop();
  }
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(20));
  for (const Ending ending : endings) EXPECT_STREQ(name_of(ending), "stopped");
  EXPECT_EQ(one_worker->run(CommandJob{{"/usr/bin/true"}}).ending, Ending::kExited);
  std::stop_source own;
  EXPECT_EQ(stoppable.run(CommandJob{{"/usr/bin/true"}}, own.get_token()).ending, Ending::kExited)
      << "a job's own stop goes before";
}

TEST_F(SandboxTest, CandidateAnswersQuestions) {
  const Json report = ask("def f(x): return [x + 1, (x, 'a')]", {{{"call", "f"}, {"args", {41}}}});
  EXPECT_EQ(report["answers"][0]["value"], "[42, (41, 'a')]");
}

TEST_F(SandboxTest, CandidateThatRaisesLivesOn) {
  const Json report = ask("def f(x): return 1 // x",
                          {{{"call", "f"}, {"args", {0}}}, {{"call", "f"}, {"args", {1}}}});
  EXPECT_EQ(report["answers"][0]["outcome"], "error");
  EXPECT_THAT(report["answers"][0]["message"].get<std::string>(), HasSubstr("ZeroDivisionError"));
  EXPECT_EQ(report["answers"][1]["value"], "1");
}

TEST_F(SandboxTest, CandidateThatDoesNotAnswerIsKilled) {
  const Json report = ask("def f():\n  while True: pass", {{{"call", "f"}, {"seconds", 0.2}}});
  EXPECT_EQ(report["answers"][0]["outcome"], "timeout");
  EXPECT_EQ(report["answers"][0]["alive"], false);
}

TEST_F(SandboxTest, MutatedArgumentsComeBackOnRequest) {
  const Json report = ask("def f(x): x.append(2)",
                          {{{"call", "f"}, {"args", {Json::array({1})}}, {"mutated", true}}});
  EXPECT_EQ(report["answers"][0]["value"], "[None, [[1, 2]]]");
}

TEST_F(SandboxTest, ValuesCrossTheWireAsTheyWereOrNotAtAll) {
  PythonJob job{"wire_check", "{}"};
  job.limits.wall_ms = job.limits.cpu_ms = 60'000;
  const PythonResult result = sandbox().run(job);
  EXPECT_EQ(result.ending, Ending::kExited) << result.reason;
  EXPECT_THAT(result.reports, HasSubstr("\"checked\""));
  EXPECT_THAT(result.reports, Not(HasSubstr("failure")));
}

TEST_F(SandboxTest, TimeIsWhatTheProgramHadOfIt) {
  const PythonResult result = sandbox().run(PythonJob{"patience_check", "{}"});
  EXPECT_EQ(result.ending, Ending::kExited) << result.reason;
  EXPECT_THAT(result.reports, HasSubstr("\"checked\""));
  EXPECT_THAT(result.reports, Not(HasSubstr("failure")));
}

TEST_F(SandboxTest, HashesAndChanceAreTheSameEveryTime) {
  const std::string source =
      "import random, numpy\ndef f(): return hash('a'), random.random(), numpy.random.rand()";
  EXPECT_EQ(ask(source, {{{"call", "f"}}}), ask(source, {{{"call", "f"}}}));
}

TEST_F(SandboxTest, TesterThatRaisesIsOurFault) {
  const PythonResult result = sandbox().run(PythonJob{"self_test", R"({"programs": 7})"});
  EXPECT_EQ(result.ending, Ending::kSandboxError);
  EXPECT_THAT(result.reason, HasSubstr("TypeError"));
}

TEST_F(SandboxTest, ReportsBeyondTheLimitEndTheJob) {
  Json programs = Json::array();
  for (int i = 0; i < 20; ++i)
    programs.push_back({{"source", "def f(): return 'x' * 1500"}, {"calls", {{{"call", "f"}}}}});
  PythonJob job{"self_test", Json{{"programs", programs}}.dump()};
  job.limits.output_bytes = 8000;
  const PythonResult result = sandbox().run(job);
  EXPECT_EQ(result.ending, Ending::kOutput);
  EXPECT_LE(result.reports.size(), 8000u);
  EXPECT_TRUE(result.reports.ends_with("\n"));
}

TEST_F(SandboxTest, DeadInterpreterIsReplacedAndTheJobRunsAfterAll) {
  const auto own = make_sandbox({.workers = 1});
  std::ifstream all(fmt::format("/proc/self/task/{}/children", ::gettid()));
  int zygote = 0;
  for (int pid; all >> pid;) zygote = pid;  // the last one started
  ASSERT_EQ(::kill(zygote, SIGKILL), 0);
  const CommandResult result = own->run(CommandJob{{"/usr/bin/echo", "hello"}});
  EXPECT_EQ(result.ending, Ending::kExited) << result.reason;
  EXPECT_EQ(result.out, "hello\n");
}

// A program that makes a sandbox, runs an endless job in it and is killed in the middle.
TEST_F(SandboxTest, NothingOutlivesUmf) {
  for (const Walls walls : {Walls::kNamespaces, Walls::kLandlock}) {
    if (!objection_to(walls).empty()) continue;
    const ScratchFolders left_behind(true);
    const int doomed = ::fork();
    if (doomed == 0) {
      ::setsid();
      ::setenv("TMPDIR", left_behind.path().c_str(), 1);
      make_warm_sandbox(walls, 1)->run(CommandJob{{"/usr/bin/sleep", "1000"}});
      ::_exit(0);
    }
    // umf, zygote, warden, cell, sleep
    std::vector<int> pids;
    while ((pids = processes_below(doomed)).size() < 4)
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    ::kill(doomed, SIGKILL);
    ::waitpid(doomed, nullptr, 0);
    for (const int pid : pids) {
      int looks = 0;
      while (::kill(pid, 0) == 0 && ++looks < 1000)
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
      EXPECT_LT(looks, 1000) << pid;
    }
  }
}

TEST_F(SandboxTest, UnsafeOnRequestRunsWithoutWalls) {
  const auto bare = make_warm_sandbox(Walls::kNone, 1);
  EXPECT_EQ(bare->run(CommandJob{{"/usr/bin/cat", "a"}, "", {{"a", "text"}}}).out, "text");
}

TEST_F(SandboxTest, CommandsHaveRoomForThreadsAndCandidatesForRecursion) {
  const CommandResult result = run_python(R"(
import threading, time
threads = [threading.Thread(target=time.sleep, args=(0.1,)) for _ in range(8)]
for thread in threads: thread.start()
print(len(threads))
)");
  EXPECT_EQ(result.out, "8\n") << result.err;
  const Json report = ask(R"(
import sys
sys.setrecursionlimit(100000)
def g(n): return max([n], key=lambda m: g(m - 1) if m else 0)  # on the C stack, too
def f(): return g(20000)
)",
                          {{{"call", "f"}}});
  EXPECT_EQ(report["answers"][0]["value"], "20000") << report;
}

TEST_F(SandboxTest, UnknownTesterIsAnError) {
  EXPECT_THROW(sandbox().run(PythonJob{"no_such_tester", "{}"}), Error);
}

TEST_F(SandboxTest, LimitsMustBePositive) {
  CommandJob job{{"/usr/bin/true"}};
  job.limits.processes = 0;
  EXPECT_THROW(sandbox().run(job), Error);
}

TEST_F(SandboxTest, JobsOfSeveralThreadsDoNotMix) {
  std::vector<std::thread> threads;
  std::vector<std::string> outputs(6);
  for (int i = 0; i < 6; ++i) {
    threads.emplace_back(
        [i, &outputs] { outputs[i] = run_python("print(input())", std::to_string(i)).out; });
  }
  for (std::thread& thread : threads) thread.join();
  for (int i = 0; i < 6; ++i) EXPECT_EQ(outputs[i], std::to_string(i) + "\n");
}

}  // namespace
}  // namespace umf
