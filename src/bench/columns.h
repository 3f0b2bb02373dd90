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
  // By problem and seed, a null where there is none. Every pair of configurations is compared, so
  // results are looked up once and not for each pair.
  std::vector<const Result*> results;
  std::vector<std::uint64_t> seeds = {0};

  // Those of one problem, a seed each.
  std::span<const Result* const> of(std::size_t problem) const {
    return std::span(results).subspan(problem * seeds.size(), seeds.size());
  }
  std::size_t problems() const { return results.size() / seeds.size(); }
};

// One column for each budget that is reported and for each pool, in the order of the
// configurations. The results outlive them.
std::vector<Column> columns_of(const Manifest& manifest,
                               const std::map<ResultKey, Result>& results);

// The same column over other problems, or the same in another order. `ids` are those it has.
Column rearranged(const Column& column, std::span<const std::string> ids,
                  std::span<const std::string> wanted);

}  // namespace umf
