// Hostile programs as data, and what they share.
#pragma once

#include <fmt/core.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "sandbox/launch.h"
#include "sandbox/sandbox.h"
#include "sandbox/tree.h"

namespace umf {

// In front of every hostile program. attempt() is for what must fail: it says ESCAPED if it works.
inline constexpr char kPrelude[] = R"py(
import ctypes, os, signal, sys, time
libc = ctypes.CDLL(None, use_errno=True)

def attempt(what, action):
    try:
        result = action()
    except (OSError, ValueError, PermissionError, AttributeError):
        return
    print("ESCAPED", what, result)
    ESCAPES.append(what)

def refused(what, number, *arguments):
    result = libc.syscall(number, *arguments)
    if result != -1:
        print("ESCAPED", what, result)
        ESCAPES.append(what)

ESCAPES = []
)py";

// A program for CommandJob.
struct HostileCommand {
  const char* name;
  const char* source;
  Ending ending = Ending::kExited;
  const char* says = "contained\n";  // on stdout, of one that exited
};

// A program for PythonJob: its source is loaded, then f() is called and f(again) is asked once
// more.
struct HostileCandidate {
  const char* name;
  const char* source;
  const char* outcome;      // of the load if that fails, else of the first call
  const char* answer = "";  // part of the answer's repr or of the message
  Ending ending = Ending::kExited;
};

// Short for a program that is to run out of time; ample for the others on a busy machine.
inline SandboxLimits hostile_limits(bool short_time) {
  SandboxLimits limits;
  limits.wall_ms = short_time ? 600 : 10'000;
  limits.cpu_ms = short_time ? 300 : 8'000;
  limits.memory_bytes = std::size_t{192} << 20;
  limits.processes = 24;
  limits.scratch_bytes = std::size_t{8} << 20;
  limits.output_bytes = 1 << 17;
  return limits;
}

inline std::vector<int> processes_below(int root) {
  std::vector<int> all = {root};
  for (std::size_t i = 0; i < all.size(); ++i) {
    std::ifstream children(fmt::format("/proc/{0}/task/{0}/children", all[i]));
    for (int pid; children >> pid;) all.push_back(pid);
  }
  all.erase(all.begin());
  return all;
}

// What must hold behind all walls that this machine has.
class BehindWalls : public testing::TestWithParam<Walls> {
 protected:
  void SetUp() override {
    const std::string objection = objection_to(GetParam());
    if (!objection.empty()) GTEST_SKIP() << objection;
  }
};

inline std::string name_of_walls(const testing::TestParamInfo<Walls>& info) {
  return info.param == Walls::kNamespaces ? "Namespaces" : "Landlock";
}

// Ended processes disappear when their parent looks, which may be a moment later.
inline bool processes_settle_at(int count) {
  for (int i = 0; i < 500; ++i) {
    if (look_at_tree(::getpid(), SIZE_MAX).processes == count) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return false;
}
inline bool only_the_zygote_is_left() { return processes_settle_at(2); }
inline bool nothing_is_left() { return processes_settle_at(1); }

inline void expect_nothing_changed_outside() {
  for (const char* folder : {"/", "/usr", "/usr/bin", "/etc", "/dev", "/dev/shm", "/tmp", "/var"})
    EXPECT_FALSE(std::filesystem::exists(std::filesystem::path(folder) / "umf-hostile")) << folder;
}

}  // namespace umf
