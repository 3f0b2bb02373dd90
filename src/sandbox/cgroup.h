// Control groups: the kernel's own limits for a whole job. Used where we may make groups below our
// own one; the watching of tree.h does without.
#pragma once

#include <string>

#include "sandbox/cgroup_places.h"
#include "sandbox/sandbox.h"

namespace umf {

// Removes what processes left behind that were killed before they could.
void remove_stale_groups(const CgroupPlaces& places);

// One job at a time lives in it.
class Cgroup {
 public:
  // `number` tells it from the others of this process.
  Cgroup(CgroupPlaces places, int number);
  ~Cgroup();
  Cgroup(const Cgroup&) = delete;
  Cgroup& operator=(const Cgroup&) = delete;

  // Sets the limits and takes the process in, with all that it will start. What the kernel refuses
  // is left out; a group that somebody removed is made again.
  void admit(int pid, const SandboxLimits& limits, int own_processes, std::size_t own_memory);
  // How often the kernel ended a process for want of memory since admit().
  bool ran_out_of_memory() const;

 private:
  void make();
  long memory_kills() const;

  const CgroupPlaces places_;
  const std::string name_;
  std::string memory_, pids_;
  long kills_before_ = 0;
};

}  // namespace umf
