// Whether the machine itself ran out of memory: then the kernel kills whom it likes.
#pragma once

#include <mutex>

namespace umf {

// Counts from its making. May be used from several threads.
class MachineMemory {
 public:
  MachineMemory() : seen_(kills()) {}

  // Whether the kernel has killed for want of memory since this was last asked.
  bool ran_out();

 private:
  static long kills();

  std::mutex mutex_;
  long seen_;
};

}  // namespace umf
