// Where control groups can be made on this machine.
#pragma once

#include <string>

namespace umf {

// Folders in which groups can be made; "" where a controller cannot be used.
struct CgroupPlaces {
  std::string memory, pids;
  bool unified = false;  // version 2: both are the same folder

  bool any() const { return !memory.empty() || !pids.empty(); }
};
// Of version 1 or 2. Tries them.
CgroupPlaces cgroup_places(int version);
// Version 2 where it limits memory and processes, else version 1.
CgroupPlaces find_cgroup_places();

// A file of the kernel's; "" where it cannot be read.
std::string read_value(const std::string& path);

}  // namespace umf
