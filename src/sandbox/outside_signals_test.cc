// Signals that come from outside: a scheduler's or an administrator's. They say nothing about a
// program, so they must not become its verdict.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>

#include <nlohmann/json.hpp>
#include <thread>

#include "base/json.h"
#include "sandbox/hostile_testing.h"
#include "sandbox/warm_sandbox.h"

namespace umf {
namespace {

using testing::HasSubstr;

class OutsideSignals : public BehindWalls {
 protected:
  void SetUp() override {
    BehindWalls::SetUp();
    if (!IsSkipped()) sandbox_ = make_warm_sandbox(GetParam(), 1);
  }

  // Calls `send` with what runs below us once the program itself does: zygote, warden, cell and
  // program, in this order.
  template <class Send>
  std::jthread once_it_runs(const Send& send) {
    return std::jthread([send] {
      std::vector<int> pids;
      while ((pids = processes_below(::getpid())).size() < 4)
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
      send(pids);
    });
  }

  PythonResult call(const std::string& source) {
    const Json program = {{"source", source}, {"calls", {{{"call", "f"}, {"seconds", 10}}}}};
    return sandbox_->run(
        PythonJob{"self_test", Json{{"programs", {program}}}.dump(), hostile_limits(false)});
  }

  std::unique_ptr<Sandbox> sandbox_;
};

constexpr char kSlow[] = "import time\ndef f():\n  time.sleep(0.3)\n  return 6 * 7";

TEST_P(OutsideSignals, ToACandidateAreNoVerdict) {
  for (const int number : {SIGTERM, SIGUSR1, SIGKILL, SIGHUP, SIGRTMIN}) {
    SCOPED_TRACE(strsignal(number));
    const auto sender =
        once_it_runs([number](const std::vector<int>& pids) { ::kill(pids[3], number); });
    const PythonResult result = call(kSlow);
    EXPECT_STREQ(name_of(result.ending), "exited") << result.reason;
    EXPECT_THAT(result.reports, HasSubstr(R"("value": "42")"));
  }
}

TEST_P(OutsideSignals, ToACommandAreNoVerdict) {
  for (const int number : {SIGTERM, SIGUSR1, SIGKILL}) {
    SCOPED_TRACE(strsignal(number));
    const auto sender =
        once_it_runs([number](const std::vector<int>& pids) { ::kill(pids[3], number); });
    const CommandResult result = sandbox_->run(CommandJob{{"/usr/bin/sleep", "0.3"}});
    EXPECT_STREQ(name_of(result.ending), "exited") << result.reason;
  }
}

// As a scheduler does that knows all processes of a job: again and again, in any order.
TEST_P(OutsideSignals, ToEverybodyAreNoVerdict) {
  for (const int number : {SIGTERM, SIGINT, SIGUSR1}) {
    SCOPED_TRACE(strsignal(number));
    std::atomic<bool> over = false;
    std::jthread sender([&over, number] {
      while (!over) {
        for (const int pid : processes_below(::getpid())) ::kill(pid, number);
        std::this_thread::sleep_for(std::chrono::milliseconds(40));
      }
    });
    const PythonResult candidate = call(kSlow);
    const CommandResult command = sandbox_->run(CommandJob{{"/usr/bin/sleep", "0.3"}});
    over = true;
    EXPECT_STREQ(name_of(candidate.ending), "sandbox-error") << candidate.reports;
    EXPECT_STREQ(name_of(command.ending), "sandbox-error");
  }
  EXPECT_THAT(call(kSlow).reports, HasSubstr(R"("value": "42")")) << "the next job";
}

// A handler makes the signal an ordinary error of the program, which it is not.
TEST_P(OutsideSignals, ThatAProgramHandlesAreNoVerdictEither) {
  const auto sender = once_it_runs([](const std::vector<int>& pids) {
    for (const int pid : {pids[2], pids[3]}) ::kill(pid, SIGINT);
  });
  const PythonResult result = call(kSlow);  // KeyboardInterrupt
  if (result.ending == Ending::kExited)
    EXPECT_THAT(result.reports, HasSubstr(R"("value": "42")"));
  else
    EXPECT_STREQ(name_of(result.ending), "sandbox-error");
}

// A scheduler suspends all of a job and lets it go on: the time in between is nobody's.
TEST_P(OutsideSignals, ThatSuspendTheJobForAWhileAreNoTimeout) {
  const int watched = ::fork();
  if (watched == 0) {
    CommandJob job{{"/usr/bin/sleep", "0.5"}};
    job.limits.wall_ms = 1500;
    const CommandResult result = make_warm_sandbox(GetParam(), 1)->run(job);
    ::_exit(static_cast<int>(result.ending));
  }
  while (processes_below(watched).size() < 4)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  std::vector<int> all = processes_below(watched);
  all.push_back(watched);
  for (const int pid : all) ::kill(pid, SIGSTOP);
  std::this_thread::sleep_for(std::chrono::seconds(3));
  for (const int pid : all) ::kill(pid, SIGCONT);
  int status = 0;
  ::waitpid(watched, &status, 0);
  EXPECT_STREQ(name_of(static_cast<Ending>(WEXITSTATUS(status))), "sandbox-error");
}

// Programs that would rather not be judged.
TEST_P(OutsideSignals, ArePretendedInVain) {
  for (const char* source :
       {"import os\ndef f(): os.kill(os.getpid(), 9)",
        "import os, signal\ndef f():\n  os.kill(1, signal.SIGTERM)\n  os.kill(os.getpid(), 15)",
        "import os\ndef f():\n  for n in (1, 2, 10, 15):\n    os.kill(os.getppid(), n)\n  return "
        "41",
        R"(
import ctypes, os
def f():
    info = (ctypes.c_int * 32)()
    info[0], info[2] = 15, -1
    ctypes.CDLL(None).syscall(129, 1, 15, info)
    return 41
)"}) {
    SCOPED_TRACE(source);
    const PythonResult result = call(source);
    EXPECT_STREQ(name_of(result.ending), "exited") << result.reason;
    EXPECT_THAT(result.reports, testing::Not(HasSubstr("42")));
  }
}

INSTANTIATE_TEST_SUITE_P(Walls, OutsideSignals,
                         testing::Values(Walls::kNamespaces, Walls::kLandlock), name_of_walls);

}  // namespace
}  // namespace umf
