// States of the window, and what walks between them come to before the states have numbers.
#pragma once

#include <vector>

#include "base/token.h"
#include "search/trial.h"

namespace umf {

// What decides the future of a rollout.
struct WindowState {
  int lexicon = 0;  // which of the run's lexicons the cells' ids belong to
  std::vector<Token> cells;
  int steps_left = 0;  // of the rule that counts them (origin); otherwise 0
  int writer = -1;     // the participant that wrote last, where a relay may go on with it
  bool operator==(const WindowState&) const = default;
};

// As an Outcome, which States makes of it.
struct Walk {
  std::vector<WindowState> path;
  std::vector<int> passes_at;
  int passes = 0, spared = 0;
  int partial = 0;         // of all forward passes, those over few rows
  double equivalents = 0;  // all of them by their arithmetic, in whole passes
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
