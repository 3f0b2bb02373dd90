// Looking at a job's processes from outside.
#pragma once

#include <cstddef>
#include <vector>

namespace umf {

// Since it was started, in the kernel's own words.
struct ThreadUse {
  int id = 0;
  double ran_seconds = 0;
  double waited_seconds = 0;  // wanted a processor and had none; 0 where the kernel does not count
  long slept = 0;             // how often it gave up its processor by itself
  bool runnable = false;      // now: it runs or waits. A wait is counted when it is over
};

struct ProcessUse {
  int pid = 0;
  bool program = false;    // it runs what is judged: neither the root nor the root's child
  double cpu_seconds = 0;  // of all its threads, also of those that ended
  std::vector<ThreadUse> threads;
};

struct TreeUse {
  int processes = 0;  // threads count, as the system counts them
  std::vector<ProcessUse> each;
  double cpu_seconds = 0;
  double root_cpu_seconds = 0;  // of the root alone, as long as it has waited for no child
  std::size_t memory_bytes = 0;
};

// Of `root` and all that descend from it. `memory_limit`: memory is first taken as the sum of what
// each process has resident, which counts shared pages several times; only where that is above the
// limit it is counted exactly, which takes longer. An ordinary user is not told what forks of the
// interpreter share; of these, `inherited` bytes count once for all.
TreeUse look_at_tree(int root, std::size_t memory_limit, std::size_t inherited = 0);

// All that it has mapped, and what of it is in memory, in bytes; 0 when it is gone.
std::size_t address_space_of(int pid);
std::size_t resident_memory_of(int pid);

}  // namespace umf
