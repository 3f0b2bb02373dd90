#include "bench/summary.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <numeric>
#include <vector>

#include "bench/comparison.h"
#include "bench/pooled_results.h"
#include "bench/seeded_statistics.h"
#include "bench/statistics.h"

namespace umf {
namespace {

using Results = std::map<ResultKey, Result>;
using Ordered = nlohmann::ordered_json;

// One configuration at one budget, over all problems and seeds.
class Group {
 public:
  int done = 0, failed = 0, missing = 0, judged = 0, passed = 0, with_reward = 0;
  double rewards = 0, equivalents = 0, load = 0, unmask = 0, reward = 0, grade = 0;
  long nfe = 0, partial = 0, rollouts = 0, hits = 0, saved = 0, switches = 0, evaluations = 0,
       passes = 0;
  std::uint64_t peak_memory_bytes = 0;

  std::vector<double> shares;  // of its seeds that passed, by problem

  explicit Group(const Column& column);
  Ordered json() const;

 private:
  void add(const Result* result);
  void add_seeds(Ordered& json) const;

  const Column& column_;
};

void Group::add(const Result* result) {
  if (result == nullptr) {
    ++missing;
  } else if (!result->settled()) {
    ++failed;
  } else {
    ++done;
    judged += result->passed.has_value();
    passed += result->passed.value_or(false);
    with_reward += result->reward.has_value();
    rewards += result->reward.value_or(0);
    load += result->load_seconds;
    unmask += result->unmask_seconds;
    reward += result->reward_seconds;
    grade += result->grade_seconds;
    nfe += result->nfe;
    partial += result->partial_nfe;
    equivalents += result->equivalents;
    rollouts += result->rollouts;
    hits += result->hits;
    saved += result->saved_nfe;
    switches += result->switches;
    evaluations += result->evaluations;
    passes += result->passes;
    peak_memory_bytes = std::max(peak_memory_bytes, result->peak_memory_bytes);
  }
}

Group::Group(const Column& column) : column_(column) {
  for (std::size_t problem = 0; problem < column.problems(); ++problem) {
    const int judged_before = judged, passed_before = passed;
    for (const Result* result : column.of(problem)) add(result);
    if (judged > judged_before)
      shares.push_back(1.0 * (passed - passed_before) / (judged - judged_before));
  }
}

// By seed: how many were judged, and passed.
void Group::add_seeds(Ordered& json) const {
  json["seeds"] = Ordered::array();
  for (std::size_t i = 0; i < column_.seeds.size(); ++i) {
    int judged_here = 0, passed_here = 0;
    for (std::size_t problem = 0; problem < column_.problems(); ++problem) {
      const Result* result = column_.of(problem)[i];
      if (result == nullptr || !result->passed) continue;
      ++judged_here;
      passed_here += *result->passed;
    }
    json["seeds"].push_back(
        {{"seed", column_.seeds[i]},
         {"judged", judged_here},
         {"passed", passed_here},
         {"pass@1",
          judged_here == 0 ? Ordered(nullptr) : Ordered(1.0 * passed_here / judged_here)}});
  }
}

Ordered Group::json() const {
  const auto mean = [](double sum, int count) -> Ordered {
    return count == 0 ? Ordered(nullptr) : Ordered(sum / count);
  };
  Ordered share = nullptr, interval = nullptr;
  if (judged > 0) {
    const bool several = column_.seeds.size() > 1;
    const Interval found =
        several ? clustered_interval(shares, judged) : wilson_interval(passed, judged);
    share = std::accumulate(shares.begin(), shares.end(), 0.0) / static_cast<double>(shares.size());
    interval = {found.low, found.high};
  }
  Ordered json = {{"configuration", column_.configuration},
                  {"budget", column_.budget},
                  {"done", done},
                  {"failed", failed},
                  {"missing", missing},
                  {"judged", judged},
                  {"passed", passed},
                  {"pass@1", share},
                  {"interval", interval},
                  {"mean_reward", mean(rewards, with_reward)},
                  {"nfe", mean(nfe, done)},
                  {"partial_nfe", mean(partial, done)},
                  {"equivalents", mean(equivalents, done)},
                  {"hit_rate", rollouts == 0 ? Ordered(nullptr) : Ordered(1.0 * hits / rollouts)},
                  {"saved_nfe", mean(saved, done)},
                  {"switches", mean(switches, done)},
                  {"evaluations", mean(evaluations, done)},
                  {"passes", passes},
                  {"seconds",
                   {{"load", mean(load, done)},
                    {"unmask", mean(unmask, done)},
                    {"reward", mean(reward, done)},
                    {"grade", mean(grade, done)}}},
                  {"peak_memory_bytes", peak_memory_bytes}};
  if (column_.seeds.size() > 1) add_seeds(json);
  return json;
}

// That were really made for the searches of a configuration, whatever the budget.
long passes_made(const Manifest& manifest, const Results& results, const Manifest::Entry& entry) {
  long passes = 0;
  for (const long budget : entry.recorded()) {
    for (const std::string& id : manifest.ids) {
      const auto found = results.find({id, entry.name, budget, entry.seed});
      passes += found == results.end() ? 0 : found->second.passes;
    }
  }
  return passes;
}

// One configuration with a pool; also what the pool had and where it went.
Ordered pool_group(const Manifest::Entry& entry, const PooledResults& pooled, long passes) {
  const Pool& pool = *entry.pool;
  const Column column{entry.name,   pool.budget,    /*pooled=*/true,
                      entry.window, pooled.results, {entry.seed}};
  Ordered json = Group(column).json();
  json["passes"] = passes;
  Ordered budgets = Ordered::array();
  for (const Result* result : pooled.results) {
    const bool took_part = result != nullptr && result->status != ResultStatus::kFailed;
    budgets.push_back(took_part ? result->key.budget : 0);
  }
  json["pool"] = {{"quantum", pool.quantum},
                  {"cap", pool.cap},
                  {"passes", pooled.allocation.passes},
                  {"spent", pooled.allocation.spent},
                  {"rounds", pooled.allocation.rounds},
                  {"last_round", pooled.allocation.last_round},
                  {"budgets", budgets}};
  return json;
}

Ordered pool_groups(const Manifest& manifest, const Results& results) {
  Ordered groups = Ordered::array();
  for (const Manifest::Entry& entry : manifest.configurations) {
    if (!entry.pool) continue;
    groups.push_back(pool_group(entry, pooled_results(manifest, entry, results),
                                passes_made(manifest, results, entry)));
  }
  return groups;
}

}  // namespace

Ordered summarise(const Manifest& manifest, const Results& results) {
  const std::vector<Column> columns = columns_of(manifest, results);
  Ordered groups = Ordered::array(), comparisons = Ordered::array(), pooled = Ordered::array();
  for (const Column& column : columns) {
    if (!column.pooled) groups.push_back(Group(column).json());
  }
  for (const PairComparison& one : compare(columns))
    (one.pooled ? pooled : comparisons).push_back(comparison_json(one));
  const Ordered pools = pool_groups(manifest, results);
  const auto complete = [](const Ordered& list) {
    return std::ranges::all_of(
        list, [](const Ordered& group) { return group["failed"] == 0 && group["missing"] == 0; });
  };
  Ordered summary = {{"complete", complete(groups) && complete(pools)},
                     {"problems", manifest.ids.size()},
                     {"left_out", manifest.left_out},
                     {"groups", groups},
                     {"comparisons", comparisons}};
  if (!manifest.devices.empty()) summary["devices"] = manifest.devices;
  if (manifest.devices.size() > 1) summary["mixed_devices"] = true;
  if (!pools.empty()) summary["pools"] = {{"groups", pools}, {"comparisons", pooled}};
  return summary;
}

}  // namespace umf
