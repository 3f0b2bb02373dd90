#include "sandbox/sandbox.h"

#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <thread>

#include "base/error.h"
#include "base/json.h"

namespace umf {
namespace {

using testing::HasSubstr;
using testing::Not;

Sandbox& sandbox() {
  static const std::unique_ptr<Sandbox> shared = make_sandbox();
  return *shared;
}

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

TEST(Sandbox, CommandGetsItsInputAndFilesAndIsCaptured) {
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

TEST(Sandbox, FilesMayLieInFolders) {
  CommandJob job{{"/usr/bin/cat", "a/b/c.txt"}, "", {{"a/b/c.txt", std::string("x\0y", 3)}}};
  EXPECT_EQ(sandbox().run(job).out, std::string("x\0y", 3));
}

TEST(Sandbox, PathsThatLeaveTheScratchFolderAreRefused) {
  for (const char* path : {"/etc/x", "../x", "a/../../x", "", "a/", "."}) {
    CommandJob job{{"/usr/bin/true"}, "", {{path, ""}}};
    EXPECT_THROW(sandbox().run(job), Error) << path;
  }
}

TEST(Sandbox, ProgramThatDoesNotExistSaysNothingAboutTheProgram) {
  const CommandResult result = sandbox().run(CommandJob{{"/usr/bin/no-such-program"}});
  EXPECT_EQ(result.ending, Ending::kSandboxError);
  EXPECT_THAT(result.reason, HasSubstr("no-such-program"));
}

TEST(Sandbox, CommandEndedByASignalIsACrash) {
  const CommandResult result = run_python("import os; os.kill(os.getpid(), 11)");
  EXPECT_EQ(result.ending, Ending::kCrash);
  EXPECT_EQ(result.signal, 11);
}

TEST(Sandbox, SleepingCommandTimesOut) {
  CommandJob job{{"/usr/bin/sleep", "100"}};
  job.limits.wall_ms = 200;
  const CommandResult result = sandbox().run(job);
  EXPECT_EQ(result.ending, Ending::kTimeout);
  EXPECT_THAT(result.reason, HasSubstr("200 ms"));
}

TEST(Sandbox, CandidateAnswersQuestions) {
  const Json report = ask("def f(x): return [x + 1, (x, 'a')]", {{{"call", "f"}, {"args", {41}}}});
  EXPECT_EQ(report["answers"][0]["value"], "[42, (41, 'a')]");
}

TEST(Sandbox, CandidateThatRaisesLivesOn) {
  const Json report = ask("def f(x): return 1 // x",
                          {{{"call", "f"}, {"args", {0}}}, {{"call", "f"}, {"args", {1}}}});
  EXPECT_EQ(report["answers"][0]["outcome"], "error");
  EXPECT_THAT(report["answers"][0]["message"].get<std::string>(), HasSubstr("ZeroDivisionError"));
  EXPECT_EQ(report["answers"][1]["value"], "1");
}

TEST(Sandbox, CandidateThatDoesNotAnswerIsKilled) {
  const Json report = ask("def f():\n  while True: pass", {{{"call", "f"}, {"seconds", 0.2}}});
  EXPECT_EQ(report["answers"][0]["outcome"], "timeout");
  EXPECT_EQ(report["answers"][0]["alive"], false);
}

TEST(Sandbox, MutatedArgumentsComeBackOnRequest) {
  const Json report = ask("def f(x): x.append(2)",
                          {{{"call", "f"}, {"args", {Json::array({1})}}, {"mutated", true}}});
  EXPECT_EQ(report["answers"][0]["value"], "[None, [[1, 2]]]");
}

TEST(Sandbox, ValuesCrossTheWireAsTheyWereOrNotAtAll) {
  PythonJob job{"wire_check", "{}"};
  job.limits.wall_ms = job.limits.cpu_ms = 60'000;
  const PythonResult result = sandbox().run(job);
  EXPECT_EQ(result.ending, Ending::kExited) << result.reason;
  EXPECT_THAT(result.reports, HasSubstr("\"checked\""));
  EXPECT_THAT(result.reports, Not(HasSubstr("failure")));
}

TEST(Sandbox, HashesAndChanceAreTheSameEveryTime) {
  const std::string source =
      "import random, numpy\ndef f(): return hash('a'), random.random(), numpy.random.rand()";
  EXPECT_EQ(ask(source, {{{"call", "f"}}}), ask(source, {{{"call", "f"}}}));
}

TEST(Sandbox, TesterThatRaisesIsOurFault) {
  const PythonResult result = sandbox().run(PythonJob{"self_test", R"({"programs": 7})"});
  EXPECT_EQ(result.ending, Ending::kSandboxError);
  EXPECT_THAT(result.reason, HasSubstr("TypeError"));
}

TEST(Sandbox, ReportsBeyondTheLimitEndTheJob) {
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

TEST(Sandbox, DeadInterpreterIsReplacedAndTheJobRunsAfterAll) {
  const auto own = make_sandbox({.workers = 1});
  std::ifstream all(fmt::format("/proc/self/task/{}/children", ::gettid()));
  int zygote = 0;
  for (int pid; all >> pid;) zygote = pid;  // the last one started
  ASSERT_EQ(::kill(zygote, SIGKILL), 0);
  const CommandResult result = own->run(CommandJob{{"/usr/bin/echo", "hello"}});
  EXPECT_EQ(result.ending, Ending::kExited) << result.reason;
  EXPECT_EQ(result.out, "hello\n");
}

TEST(Sandbox, UnknownTesterIsAnError) {
  EXPECT_THROW(sandbox().run(PythonJob{"no_such_tester", "{}"}), Error);
}

TEST(Sandbox, LimitsMustBePositive) {
  CommandJob job{{"/usr/bin/true"}};
  job.limits.processes = 0;
  EXPECT_THROW(sandbox().run(job), Error);
}

TEST(Sandbox, JobsOfSeveralThreadsDoNotMix) {
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
