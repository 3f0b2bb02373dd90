#include "bench/pool.h"

#include <fmt/core.h>

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>

#include "base/error.h"

namespace umf {
namespace {

constexpr long kMostSteps = 1024;  // a line of results for each, problem by problem

}  // namespace

std::vector<long> Pool::steps() const {
  std::vector<long> steps;
  for (long step = quantum; step <= cap; step += quantum) steps.push_back(step);
  return steps;
}

std::vector<long> with_steps(const std::vector<long>& budgets, const Pool& pool) {
  std::vector<long> all;
  std::ranges::set_union(budgets, pool.steps(), std::back_inserter(all));
  return all;
}

void check(const Pool& pool) {
  if (pool.budget < 1) throw Error("--pool-budget is at least 1");
  if (pool.quantum < 1) throw Error("--pool-quantum is at least 1");
  if (pool.quantum > pool.budget)
    throw Error(
        fmt::format("--pool-budget {} does not give every problem one quantum of {} passes; raise "
                    "it, or give a smaller --pool-quantum",
                    pool.budget, pool.quantum));
  if (pool.cap < pool.budget)
    throw Error(fmt::format("--pool-cap {} is below --pool-budget {}", pool.cap, pool.budget));
  if (pool.cap / pool.quantum > kMostSteps)
    throw Error(
        fmt::format("--pool-cap {} is more than {} quanta of {} passes; give a larger "
                    "--pool-quantum",
                    pool.cap, kMostSteps, pool.quantum));
}

Json pool_json(const Pool& pool) {
  return {{"budget", pool.budget}, {"quantum", pool.quantum}, {"cap", pool.cap}};
}

Pool parse_pool(const Json& json) {
  Pool pool{json.at("budget"), json.at("quantum"), json.at("cap")};
  check(pool);
  return pool;
}

Allocation allocate(const Pool& pool, const std::vector<std::vector<PoolPoint>>& problems) {
  const std::vector<long> steps = pool.steps();
  Allocation result{.steps = std::vector<int>(problems.size()),
                    .passes = pool.budget * static_cast<long>(problems.size())};
  for (std::size_t round = 0; round < steps.size(); ++round) {
    int reached = 0;
    for (std::size_t problem = 0; problem < problems.size(); ++problem) {
      const PoolPoint before = round == 0 ? PoolPoint{} : problems[problem][round - 1];
      if (before.ended) continue;
      // What it will cost is not known before it is spent: all of it must be there.
      if (steps[round] - before.nfe > result.passes - result.spent) return result;
      result.spent += problems[problem][round].nfe - before.nfe;
      ++result.steps[problem];
      if (++reached == 1) ++result.rounds;
      result.last_round = reached;
    }
  }
  return result;
}

}  // namespace umf
