// What each problem of a run got of its configuration's pool, and what came of it.
#pragma once

#include <map>

#include "bench/run_directory.h"

namespace umf {

struct PooledResults {
  Allocation allocation;  // to the problems whose searches are all there
  // By problem: the result at the budget it got. One that failed where the search did; nothing
  // where it is not there yet.
  std::vector<const Result*> results;
};

// `entry` has a pool. The pool is that of the problems whose searches are there and did not fail:
// others neither bring passes nor take any.
PooledResults pooled_results(const Manifest& manifest, const Manifest::Entry& entry,
                             const std::map<ResultKey, Result>& results);

}  // namespace umf
