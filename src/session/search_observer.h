// Who watches a search.
#pragma once

#include "decode/walk.h"
#include "solve/solve.h"

namespace umf {

// Each may end the search: false stops it after the pass or the rollout. Never called at the same
// time.
class SearchObserver {
 public:
  virtual ~SearchObserver() = default;
  // After every forward pass that the search waits for, on a thread of the search's.
  virtual bool passed(const Pass&) { return true; }
  virtual bool rolled_out(const RolloutEvent&) { return true; }
};

}  // namespace umf
