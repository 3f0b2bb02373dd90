// Pooled budgets: passes that easy problems leave go to those that are still open.
#pragma once

#include <string>
#include <vector>

#include "base/json.h"

namespace umf {

// Per problem, in forward passes.
struct Pool {
  long budget = 0;   // on average: all problems together have so many each
  long quantum = 0;  // what a problem gets in one round
  long cap = 0;      // what a problem can have at most
  bool operator==(const Pool&) const = default;

  // The budgets that a problem can end with: quantum, 2 quanta, ..., up to the cap.
  std::vector<long> steps() const;
};

// The budgets, ascending, and the pool's steps among them.
std::vector<long> with_steps(const std::vector<long>& budgets, const Pool& pool);

// Throws Error where the parts do not go together.
void check(const Pool& pool);

Json pool_json(const Pool& pool);
Pool parse_pool(const Json& json);

// A search at one of the steps.
struct PoolPoint {
  long nfe = 0;        // spent in all
  bool ended = false;  // it needs no more: solved, or nothing is left to try
};

struct Allocation {
  std::vector<int> steps;      // by problem: how many it got
  long passes = 0, spent = 0;  // in the pool; of them
  int rounds = 0;              // that were begun
  int last_round = 0;          // how many problems the last one reached
};

// In every round each problem whose search has not ended gets one step more, in order, until the
// rest of the pool does not cover what the next one may cost (docs/formats.md#pooled-budgets). A
// function of the points alone. `problems`: for each, its points at all steps, whose passes rise
// and are at most the step.
Allocation allocate(const Pool& pool, const std::vector<std::vector<PoolPoint>>& problems);

}  // namespace umf
