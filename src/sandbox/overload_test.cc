// Jobs on a processor that others want, too. A program is judged by what it did with its time: one
// that was given none has no verdict, and none can pretend to be one of these.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "base/json.h"
#include "sandbox/hostile_testing.h"
#include "sandbox/overload_testing.h"
#include "sandbox/warm_sandbox.h"

namespace umf {
namespace {

using testing::AnyOf;
using testing::HasSubstr;

constexpr double kSeconds = 0.2;  // of each program
constexpr int kSome = 2, kFarTooMany = 24;

class Overload : public testing::Test {
 protected:
  void SetUp() override {
    const std::string objection = objection_to(Walls::kNamespaces);
    if (!objection.empty()) GTEST_SKIP() << objection;
    const OneProcessor for_its_interpreter;
    sandbox_ = make_warm_sandbox(Walls::kNamespaces, 1);
    EXPECT_EQ(call("def f(): return 7").ending, Ending::kExited);
  }

  PythonResult call(const std::string& source) {
    const Json program = {{"source", kPrelude + source},
                          {"seconds", 10},
                          {"calls", {{{"call", "f"}, {"seconds", kSeconds}}}}};
    SandboxLimits limits = hostile_limits(false);
    limits.wall_ms = limits.cpu_ms = 60'000;
    return sandbox_->run(PythonJob{"self_test", Json{{"programs", {program}}}.dump(), limits});
  }

  std::unique_ptr<Sandbox> sandbox_;
};

constexpr char kWorks[] = R"py(
def f():
    end = time.process_time() + 0.15
    while time.process_time() < end: pass
    return "done"
)py";

// The words of a verdict that was not given. (The watching process may be starved itself.)
auto tells_why() { return AnyOf(HasSubstr("the machine is overloaded"), HasSubstr("stood still")); }

// Whatever else this machine does: with many more neighbours than these there is no verdict.
TEST_F(Overload, AProgramThatHasItsTimeLateIsJudgedByWhatItDoes) {
  const Neighbours neighbours(kSome);
  const PythonResult result = call(kWorks);
  if (result.ending == Ending::kSandboxError)
    EXPECT_THAT(result.reason, tells_why());
  else
    EXPECT_THAT(result.reports, HasSubstr("done"));
}

TEST_F(Overload, AProgramThatDoesNotGetItsTimeHasNoVerdict) {
  const Neighbours neighbours(kFarTooMany);
  const PythonResult result = call(kWorks);
  EXPECT_STREQ(name_of(result.ending), "sandbox-error") << result.reports;
  EXPECT_THAT(result.reason, tells_why());
}

TEST_F(Overload, ACommandThatDoesNotGetItsTimeHasNoVerdict) {
  const Neighbours neighbours(kFarTooMany);
  CommandJob job{{"/usr/bin/python3", "-I", "-S", "-c", "while True: pass"}};
  job.limits.wall_ms = 300;
  const CommandResult result = sandbox_->run(job);
  EXPECT_STREQ(name_of(result.ending), "sandbox-error") << result.reason;
  EXPECT_THAT(result.reason, tells_why());
}

struct Trickster {
  const char *name, *source;
};

// These leave the processor to the others and say that they were robbed of it.
constexpr Trickster kIdle[] = {
    {"Sleeps", "def f(): time.sleep(1000)"},
    {"Naps", "def f():\n  while True: time.sleep(1e-4)"},
    {"WaitsForAPipe", "def f(): return os.read(os.pipe()[0], 1)"},
};

TEST_F(Overload, IdlingIsATimeoutOnTheFullestMachine) {
  const Neighbours neighbours(kFarTooMany);
  for (const Trickster& program : kIdle) {
    SCOPED_TRACE(program.name);
    const PythonResult result = call(program.source);
    EXPECT_STREQ(name_of(result.ending), "exited") << result.reason;
    EXPECT_THAT(result.reports, HasSubstr("timeout"));
  }
}

// These have neighbours enough of their own making.
constexpr Trickster kBusy[] = {
    {"Yields", R"py(
def f():
    while True: libc.sched_yield()
)py"},
    {"Naps", "def f():\n  while True: time.sleep(1e-4)"},
    {"WakesItsCell", R"py(
def f():
    while True:
        os.kill(1, signal.SIGCHLD)
)py"},
    {"AsksItsTester", R"py(
def f():
    from umf import guest_host
    while True: guest_host.waited()
)py"},
    {"LowersItself", R"py(
def f():
    for lower in (lambda: os.nice(19), lambda: os.sched_setaffinity(0, {0}),
                  lambda: os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0)),
                  lambda: os.setpriority(os.PRIO_PROCESS, 0, 19)):
        try: lower()
        except OSError: continue
        return "ESCAPED"
    while True: pass
)py"},
    {"CrowdsWithThreads", R"py(
import threading
def burn():
    while True: sum(range(10**6))
def f():
    for _ in range(8): threading.Thread(target=burn, daemon=True).start()
    while True: libc.sched_yield()
)py"},
    {"CrowdsWithProcesses", R"py(
def f():
    for _ in range(12):
        if os.fork() == 0:
            while True: pass
    while True: time.sleep(0.001)
)py"},
    {"CrowdsWithProcessesThatNobodySees", R"py(
def f():
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    while True:
        try: child = os.fork()
        except OSError: continue
        if child == 0:
            end = time.process_time() + 0.003
            while time.process_time() < end: pass
            os._exit(0)
)py"},
};

// On a machine that is too busy for anybody they are not judged, either.
TEST_F(Overload, NobodyIsKeptWaitingByHisOwnDoing) {
  const Neighbours neighbours(kSome);
  for (const Trickster& program : kBusy) {
    SCOPED_TRACE(program.name);
    PythonResult result;
    bool others_are_judged = true;
    for (int i = 0; i < 3 && others_are_judged; ++i) {
      result = call(program.source);
      if (result.ending == Ending::kExited) break;
      others_are_judged = call("def f():\n  while True: pass").ending == Ending::kExited;
    }
    if (!others_are_judged) continue;
    EXPECT_STREQ(name_of(result.ending), "exited") << result.reason;
    EXPECT_THAT(result.reports, HasSubstr("timeout"));
  }
}

}  // namespace
}  // namespace umf
