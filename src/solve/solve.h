// solve(): ask, walk, judge, tell, until the budget is spent. Read this first.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "search/rollout_cache.h"
#include "search/search.h"
#include "solve/deadline.h"
#include "solve/lineage.h"
#include "solve/solution.h"
#include "solve/world.h"

namespace umf {

// What happens to a rollout that does not fit into the budget (docs/algorithm.md#budgets).
enum class BudgetPolicy {
  kCut,     // it stops at the exact budget and is judged as it is
  kFinish,  // it runs to its end
  kSkip,    // it is not started: the search ends
};
// cut, finish or skip; throws Error for anything else.
BudgetPolicy parse_budget_policy(const std::string& name);
const char* name_of(BudgetPolicy policy);

struct SolveOptions {
  long budget = 12288;  // forward passes
  BudgetPolicy policy = BudgetPolicy::kCut;
  bool use_cache = true;  // off: known trials still come first, but are run and paid again
  std::optional<double> stop_at_reward;
  std::vector<long> curve;  // smaller budgets whose results are wanted too
  int judge_failures = 0;   // so many in a row end the search with an error; 0: none do
  // When it is over the search ends as if its budget were the passes made so far. Null: never.
  Deadline* deadline = nullptr;
};

// After every rollout.
struct RolloutEvent {
  const Trial& trial;
  const Outcome& outcome;  // `cached` tells a hit from a miss
  const Ledger& ledger;    // its rollouts() is this one's number, from 1
  const std::optional<Candidate>& best;
  const Lineage& lineage;
  const Verdict* verdict;  // of the end; none for a hit
};
using Observer = std::function<bool(const RolloutEvent&)>;  // false: stop here

// Searches `world` with `search`. `known` is the cache that the search was made with; rollouts of
// draw 0 are entered there. What throws while walking or judging ends the search with `error` and
// keeps what was found; a walk that ends before its limit with masks left was interrupted, and so
// is the search, unless the deadline is over. Throws Error when the policy is `skip` and not even
// one rollout fits.
Solution solve(Search& search, World& world, RolloutCache& known, const SolveOptions& options,
               const Observer& observer = {});

}  // namespace umf
