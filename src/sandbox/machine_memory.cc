#include "sandbox/machine_memory.h"

#include <fstream>
#include <string>

namespace umf {

// Counts the whole machine and every group on it; 0 where the kernel does not count.
long MachineMemory::kills() {
  std::ifstream counters("/proc/vmstat");
  std::string name;
  for (long value; counters >> name >> value;) {
    if (name == "oom_kill") return value;
  }
  return 0;
}

bool MachineMemory::ran_out() {
  const std::lock_guard lock(mutex_);
  const long now = kills();
  const bool more = now > seen_;
  seen_ = now;
  return more;
}

}  // namespace umf
