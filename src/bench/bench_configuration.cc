#include "bench/bench_configuration.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/error.h"

namespace umf {
namespace {

template <class Value>
bool among(const std::vector<Value>& list, const Value& value) {
  return std::ranges::find(list, value) != list.end();
}

// The actions, with another seed where they have the configuration's.
std::vector<std::string> action_texts(const Configuration& configuration, std::uint64_t seed) {
  std::vector<std::string> texts;
  for (Action action : configuration.actions) {
    if (action.seed == configuration.seed) set_field(action, "seed", fmt::format("{}", seed));
    texts.push_back(text_of(action));
  }
  return texts;
}

// Actions may have a seed or a length of their own. Whoever gave another number for it would search
// otherwise under the same name, and the run's description, made for one seed, does not tell.
void require_follows(const Configuration& described, const Configuration& other,
                     const std::string& name) {
  if (action_texts(described, other.seed) == action_texts(other, other.seed)) return;
  throw Error(
      fmt::format("configuration '{}' is another one with seed {} and {} passes: an action has a "
                  "seed or a number of passes of its own; measure that under another name",
                  name, other.seed, other.solve.budget));
}

}  // namespace

void plan_runs(BenchConfiguration& bench_configuration) {
  const std::vector<long>& budgets = bench_configuration.budgets;
  const std::vector<long> points =
      bench_configuration.pool ? with_steps(budgets, *bench_configuration.pool) : budgets;
  bench_configuration.runs.clear();
  for (const std::uint64_t seed : bench_configuration.seeds) {
    Configuration largest = bench_configuration.plan(points.back(), seed);
    if (largest.search().facts.traits.anytime) {
      largest.solve.curve = {points.begin(), points.end() - 1};
    } else {
      for (const long budget : budgets) {
        if (budget != points.back())
          bench_configuration.runs.push_back(bench_configuration.plan(budget, seed));
      }
    }
    bench_configuration.runs.push_back(std::move(largest));
  }
  if (bench_configuration.seeds.size() == 1) return;
  const Configuration first =
      bench_configuration.plan(points.back(), bench_configuration.seeds.front());
  for (const Configuration& run : bench_configuration.runs) {
    if (run.solve.budget == points.back()) require_follows(first, run, bench_configuration.name);
  }
}

BenchConfiguration widened(BenchConfiguration bench_configuration, const Manifest::Entry& entry) {
  const BenchConfiguration own = bench_configuration;
  bench_configuration.budgets = entry.budgets;
  bench_configuration.seeds = entry.seeds;
  bench_configuration.pool = entry.pool;
  plan_runs(bench_configuration);
  for (const Configuration& run : bench_configuration.runs) {
    if (among(own.budgets, run.solve.budget) && among(own.seeds, run.seed)) continue;
    const auto same_budget = std::ranges::find_if(own.runs, [&](const Configuration& other) {
      return other.solve.budget == run.solve.budget;
    });
    require_follows(same_budget == own.runs.end() ? own.runs.back() : *same_budget, run, own.name);
  }
  return bench_configuration;
}

}  // namespace umf
