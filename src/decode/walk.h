// What walks come to, in windows: their states have no numbers yet.
#pragma once

#include <vector>

#include "decode/state_table.h"

namespace umf {

// As an Outcome, which States makes of it.
struct Walk {
  std::vector<WindowState> path;
  int passes = 0, spared = 0;
  bool complete = true, feasible = true;
  std::vector<Write> writes = {};
};

// As a Branching, but for equal children, which are still there.
struct WindowBranching {
  struct Branch {
    WindowState child, completion;
  };
  std::vector<Branch> branches;
  bool interrupted = false, feasible = true;
};

}  // namespace umf
