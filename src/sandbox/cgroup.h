// Control groups: the kernel's own limits for a whole job. Used where we may make groups below our
// own one; the watching of tree.h does without.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "sandbox/sandbox.h"

namespace umf {

// Where groups can be made here; "" where a controller cannot be used.
struct CgroupPlaces {
  std::string memory, pids;
  bool unified = false;  // version 2: both are the same folder
};
CgroupPlaces find_cgroup_places();

// One job at a time lives in it.
class Cgroup {
 public:
  Cgroup(const CgroupPlaces& places, const std::string& name);
  ~Cgroup();
  Cgroup(const Cgroup&) = delete;
  Cgroup& operator=(const Cgroup&) = delete;

  // Sets the limits and takes the process in, with all that it will start. What the kernel refuses
  // is left out.
  void admit(int pid, const SandboxLimits& limits, int own_processes, std::size_t own_memory);
  // How often the kernel ended a process for want of memory since admit().
  bool ran_out_of_memory() const;

 private:
  long memory_kills() const;

  std::string memory_, pids_;
  bool unified_;
  long kills_before_ = 0;
};

// Groups are used again: the kernel takes long to forget one that held memory.
class CgroupPool {
 public:
  CgroupPool() : places_(find_cgroup_places()) {}
  std::unique_ptr<Cgroup> take();
  void give_back(std::unique_ptr<Cgroup> group);

 private:
  CgroupPlaces places_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<Cgroup>> free_;
  int made_ = 0;
};

}  // namespace umf
