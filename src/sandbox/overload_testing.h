// A processor that more want than can have it.
#pragma once

#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <vector>

namespace umf {

inline int last_processor(const cpu_set_t& allowed) {
  int last = CPU_SETSIZE - 1;
  while (!CPU_ISSET(last, &allowed)) --last;
  return last;
}

// While it lives this thread and what it starts share one processor.
class OneProcessor {
 public:
  OneProcessor() {
    ::sched_getaffinity(0, sizeof before_, &before_);
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(last_processor(before_), &one);
    ::sched_setaffinity(0, sizeof one, &one);
  }
  ~OneProcessor() { ::sched_setaffinity(0, sizeof before_, &before_); }

 private:
  cpu_set_t before_;
};

// Processes that want all of that processor while this lives. Each has a session of its own, as
// kernels may share processors out among sessions first.
class Neighbours {
 public:
  explicit Neighbours(int count) {
    const OneProcessor here;
    while (static_cast<int>(pids_.size()) < count) pids_.push_back(spinning());
  }
  ~Neighbours() {
    for (const int pid : pids_) ::kill(pid, SIGKILL);
    for (const int pid : pids_) ::waitpid(pid, nullptr, 0);
  }

 private:
  static int spinning() {
    const int pid = ::fork();
    if (pid != 0) return pid;
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    ::setsid();
    for (volatile unsigned i = 0;;) i = i + 1;
  }
  std::vector<int> pids_;
};

}  // namespace umf
