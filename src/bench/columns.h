// The results of a run by configuration and budget, a column each.
#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "bench/run_directory.h"

namespace umf {

struct Column {
  std::string configuration;
  long budget = 0;
  bool pooled = false;  // a share of a pool with `budget` per problem
  int window = 0;       // 0: not known
  // By problem, a null where there is none. Every pair of configurations is compared, so results
  // are looked up once and not for each pair.
  std::vector<const Result*> results;
};

// One column for each budget that is reported and for each pool, in the order of the
// configurations. The results outlive them.
std::vector<Column> columns_of(const Manifest& manifest,
                               const std::map<ResultKey, Result>& results);

// The same column over other problems, or the same in another order. `ids` are those it has.
Column rearranged(const Column& column, std::span<const std::string> ids,
                  std::span<const std::string> wanted);

}  // namespace umf
