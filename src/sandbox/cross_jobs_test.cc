// Hostile programs of two jobs at once beside an honest one, whose verdict must not change.
#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <nlohmann/json.hpp>
#include <thread>

#include "base/json.h"
#include "sandbox/hostile_testing.h"
#include "sandbox/warm_sandbox.h"

namespace umf {
namespace {

// Each goes on for a second or until it is killed, and tries again and again.
struct HostileNeighbour {
  const char *name, *source;
};

constexpr char kIgnoringSignals[] = R"py(
for number in range(1, 65):
    try: signal.signal(number, signal.SIG_IGN)
    except (OSError, ValueError): pass

def again_and_again(action):
    end = time.monotonic() + 1
    while time.monotonic() < end:
        for number in (*range(1, 9), *range(10, 19), *range(20, 65), 9, 19):
            try: action(number)
            except (OSError, ValueError): pass

def caught(action):
    try: return action()
    except (OSError, ValueError): return None
)py";

constexpr HostileNeighbour kNeighbours[] = {
    {"SignalsItsGroupByZero",
     "def f(): again_and_again(lambda number: number in (9, 19) or os.kill(0, number))"},
    {"KillsItsGroupByZero", "def f(): os.kill(0, 9)"},
    {"StopsItsGroupByZero", "def f(): os.kill(0, 19)"},
    {"SignalsItsGroupByName", R"py(
def f():
    again_and_again(lambda number: number in (9, 19) or os.killpg(os.getpgid(0), number))
)py"},
    {"SignalsTheGroupsOfOthers", R"py(
def f():
    groups = {caught(lambda: os.getpgid(pid)) for pid in range(0, 5)} | {1, 2, 3, caught(lambda: os.getsid(0))}
    def everywhere(number):
        for group in groups:
            if group and group != os.getpid(): caught(lambda: os.kill(-group, number))
    again_and_again(everywhere)
)py"},
    {"SignalsAll", R"py(
def f():
    again_and_again(lambda number: number in (9, 19) or os.kill(-1, number))
)py"},
    {"SignalsFromAChildInTheOldGroup", R"py(
def f():
    if caught(os.fork) == 0:
        again_and_again(lambda number: os.kill(0, number))
        os._exit(0)
    again_and_again(lambda number: number in (9, 19) or os.kill(0, number))
)py"},
    {"QueuesSignals", R"py(
def f():
    info = (ctypes.c_int * 32)()
    def queue(number):
        info[0], info[2] = number, -1
        for pid in (1, 2, 3, os.getppid()):
            if pid != os.getpid(): libc.syscall(129, pid, number, info)
    again_and_again(queue)
)py"},
    {"AsksForSignalsToOthers", R"py(
import fcntl, socket
def f():
    ours, theirs = socket.socketpair()
    def ask(number):
        for owner in (1, 2, 3, os.getppid(), -os.getpgid(0)):
            caught(lambda: fcntl.fcntl(ours, 10, number))
            caught(lambda: fcntl.fcntl(ours, fcntl.F_SETOWN, owner))
            caught(lambda: fcntl.fcntl(ours, fcntl.F_SETFL, os.O_ASYNC | os.O_NONBLOCK))
            caught(lambda: theirs.send(b"x"))
            caught(lambda: ours.recv(100))
    again_and_again(ask)
)py"},
    {"TakesAllPipesAndLocks", R"py(
import fcntl
def f():
    for _ in range(20):
        read, write = os.pipe()
        caught(lambda: fcntl.fcntl(write, 1031, 1 << 20))
    caught(lambda: fcntl.flock(os.open("/usr/bin/python3", os.O_RDONLY), fcntl.LOCK_EX))
    time.sleep(1)
)py"},
};

class CrossJobs : public BehindWalls {
 protected:
  void SetUp() override {
    BehindWalls::SetUp();
    if (!IsSkipped()) sandbox_ = make_warm_sandbox(GetParam(), 3);
  }

  void run_neighbour(const HostileNeighbour& neighbour) {
    const std::string source = std::string(kPrelude) + kIgnoringSignals + neighbour.source;
    const Json program = {{"source", source}, {"calls", {{{"call", "f"}, {"seconds", 1.5}}}}};
    sandbox_->run(
        PythonJob{"self_test", Json{{"programs", {program}}}.dump(), hostile_limits(false)});
  }

  void run_command(const HostileNeighbour& neighbour) {
    const std::string source =
        std::string(kPrelude) + kIgnoringSignals + neighbour.source + "\nf()\n";
    CommandJob job{{"/usr/bin/python3", "-S", "main.py"}, "", {{"main.py", source}}};
    job.limits = hostile_limits(false);
    job.limits.wall_ms = 2500;
    sandbox_->run(job);
  }

  // An honest program that takes long enough to be hit, with another process of its own.
  void expect_honest() {
    const Json program = {
        {"source", R"py(
import time
def f(x):
    end, steps = time.monotonic() + 0.1, 0
    while time.monotonic() < end: steps += 1
    time.sleep(0.05)
    return x * 7 if steps else None
)py"},
        {"calls", {{{"call", "f"}, {"args", {6}}}, {{"call", "f"}, {"args", {1}}}}}};
    const PythonResult result = sandbox_->run(
        PythonJob{"self_test", Json{{"programs", {program}}}.dump(), hostile_limits(false)});
    EXPECT_STREQ(name_of(result.ending), "exited") << result.reason;
    EXPECT_THAT(result.reports, testing::AllOf(testing::HasSubstr(R"("value": "42")"),
                                               testing::HasSubstr(R"("value": "7")")));
    const CommandResult command = sandbox_->run(CommandJob{{"/usr/bin/sleep", "0.1"}});
    EXPECT_STREQ(name_of(command.ending), "exited") << command.reason;
  }

  std::unique_ptr<Sandbox> sandbox_;
};

TEST_P(CrossJobs, HostileNeighboursChangeNoVerdict) {
  for (const HostileNeighbour& neighbour : kNeighbours) {
    SCOPED_TRACE(neighbour.name);
    std::atomic<int> at_work = 2;
    std::jthread candidate([&] {
      run_neighbour(neighbour);
      --at_work;
    });
    std::jthread command([&] {
      run_command(neighbour);
      --at_work;
    });
    do expect_honest();
    while (at_work > 0);
  }
  EXPECT_TRUE(only_the_zygote_is_left());
}

INSTANTIATE_TEST_SUITE_P(Walls, CrossJobs, testing::Values(Walls::kNamespaces, Walls::kLandlock),
                         name_of_walls);

}  // namespace
}  // namespace umf
