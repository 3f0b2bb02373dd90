// Which protection and which limit is kept by whom on this machine.
#pragma once

#include <string>
#include <vector>

#include "sandbox/launch.h"

namespace umf {

struct Enforcement {
  std::string what, how;
};
// Of time, memory and the like.
std::vector<Enforcement> enforced_limits(Walls walls);
// What keeps jobs apart.
std::vector<Enforcement> protections(Walls walls);

}  // namespace umf
