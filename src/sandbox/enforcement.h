// Which limit is kept by whom on this machine.
#pragma once

#include <string>
#include <vector>

#include "sandbox/launch.h"

namespace umf {

struct Enforcement {
  std::string limit, how;
};
std::vector<Enforcement> enforcement(Walls walls);

}  // namespace umf
