#include "bench/summary.h"

#include <fmt/core.h>

#include <algorithm>
#include <functional>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "bench/pooled_results.h"
#include "bench/statistics.h"

namespace umf {
namespace {

using Results = std::map<ResultKey, Result>;
using Ordered = nlohmann::ordered_json;

// The results of one configuration at one budget, a null where a problem has none. Every pair of
// configurations is compared, so results are looked up once and not for each pair.
using Column = std::vector<const Result*>;

Column column_of(const Manifest& manifest, const Results& results, const std::string& name,
                 long budget) {
  Column column;
  for (const std::string& id : manifest.ids) {
    const auto found = results.find({id, name, budget});
    column.push_back(found == results.end() ? nullptr : &found->second);
  }
  return column;
}

// One configuration at one budget, over all problems.
struct Group {
  int done = 0, failed = 0, missing = 0, judged = 0, passed = 0, with_reward = 0;
  double rewards = 0, equivalents = 0, load = 0, unmask = 0, reward = 0, grade = 0;
  long nfe = 0, partial = 0, rollouts = 0, hits = 0, saved = 0, switches = 0, evaluations = 0,
       passes = 0;
  std::uint64_t peak_memory_bytes = 0;

  void add(const Result* result);
  Ordered json(const std::string& name, long budget) const;
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

Ordered Group::json(const std::string& name, long budget) const {
  const auto mean = [](double sum, int count) -> Ordered {
    return count == 0 ? Ordered(nullptr) : Ordered(sum / count);
  };
  Ordered share = nullptr, interval = nullptr;
  if (judged > 0) {
    const Interval wilson = wilson_interval(passed, judged);
    share = static_cast<double>(passed) / judged;
    interval = {wilson.low, wilson.high};
  }
  return {{"configuration", name},
          {"budget", budget},
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
}

Group group_of(const Column& column) {
  Group group;
  for (const Result* result : column) group.add(result);
  return group;
}

// That were really made for the searches of a configuration, whatever the budget.
long passes_made(const Manifest& manifest, const Results& results, const Manifest::Entry& entry) {
  long passes = 0;
  for (const long budget : entry.recorded()) {
    for (const Result* result : column_of(manifest, results, entry.name, budget))
      passes += result == nullptr ? 0 : result->passes;
  }
  return passes;
}

// One configuration with a pool; also what the pool had and where it went.
Ordered pool_group(const Manifest::Entry& entry, const PooledResults& pooled, long passes) {
  const Pool& pool = *entry.pool;
  Ordered json = group_of(pooled.results).json(entry.name, pool.budget);
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

Paired pair_up(const Column& first, const Column& second) {
  Paired pairs;
  for (std::size_t i = 0; i < first.size(); ++i) {
    const Result *one = first[i], *other = second[i];
    if (one == nullptr || other == nullptr || !one->passed || !other->passed) continue;
    if (*one->passed) {
      ++(*other->passed ? pairs.both : pairs.only_first);
    } else {
      ++(*other->passed ? pairs.only_second : pairs.neither);
    }
  }
  return pairs;
}

Ordered comparison(const std::string& first, const std::string& second, long budget,
                   const Paired& pairs) {
  const Interval interval = paired_interval(pairs);
  return {{"first", first},
          {"second", second},
          {"budget", budget},
          {"problems", pairs.problems()},
          {"only_first", pairs.only_first},
          {"only_second", pairs.only_second},
          {"difference", pairs.difference()},
          {"interval", {interval.low, interval.high}},
          {"mcnemar_p", mcnemar_exact(pairs.only_first, pairs.only_second)}};
}

Ordered pools_json(const Manifest& manifest, const Results& results) {
  Ordered groups = Ordered::array(), comparisons = Ordered::array();
  std::vector<std::pair<const Manifest::Entry*, Column>> earlier;
  for (const Manifest::Entry& entry : manifest.configurations) {
    if (!entry.pool) continue;
    const PooledResults pooled = pooled_results(manifest, entry, results);
    groups.push_back(pool_group(entry, pooled, passes_made(manifest, results, entry)));
    for (const auto& [other, column] : earlier) {
      if (other->pool->budget != entry.pool->budget) continue;
      comparisons.push_back(
          comparison(other->name, entry.name, entry.pool->budget, pair_up(column, pooled.results)));
    }
    earlier.emplace_back(&entry, pooled.results);
  }
  return {{"groups", groups}, {"comparisons", comparisons}};
}

std::string percent(const Ordered& share) {
  return share.is_null() ? "-" : fmt::format("{:.1f}", 100 * share.get<double>());
}

std::string number(const Ordered& value, int digits) {
  return value.is_null() ? "-" : fmt::format("{:.{}f}", value.get<double>(), digits);
}

// What pass@1 is a share of: "12 of 15".
std::string judged_of(const Ordered& group) {
  const int all =
      group["done"].get<int>() + group["failed"].get<int>() + group["missing"].get<int>();
  return fmt::format("{} of {}", group["judged"].get<int>(), all);
}

std::string groups_table(const Ordered& groups, std::size_t width) {
  std::string table = fmt::format(
      "{:<{}} {:>7} {:>5} {:>9} {:>7} {:>15} {:>7} {:>9} {:>6} {:>8} {:>8} {:>9} {:>8} {:>8}\n",
      "configuration", width, "budget", "done", "judged", "pass@1", "95 %", "reward", "NFE", "hits",
      "saved", "switches", "unmask s", "reward s", "grade s");
  for (const Ordered& group : groups) {
    const std::string interval =
        group["interval"].is_null()
            ? "-"
            : fmt::format("{} to {}", percent(group["interval"][0]), percent(group["interval"][1]));
    table += fmt::format(
        "{:<{}} {:>7} {:>5} {:>9} {:>7} {:>15} {:>7} {:>9} {:>6} {:>8} {:>8} {:>9} {:>8} {:>8}",
        group["configuration"].get<std::string>(), width, group["budget"].get<long>(),
        group["done"].get<int>(), judged_of(group), percent(group["pass@1"]), interval,
        number(group["mean_reward"], 3), number(group["nfe"], 1), percent(group["hit_rate"]),
        number(group["saved_nfe"], 1), number(group["switches"], 2),
        number(group["seconds"]["unmask"], 2), number(group["seconds"]["reward"], 2),
        number(group["seconds"]["grade"], 2));
    if (group["partial_nfe"].is_number() && group["partial_nfe"] > 0)
      table += fmt::format("  {} passes partial, {} whole ones by arithmetic",
                           number(group["partial_nfe"], 1), number(group["equivalents"], 1));
    if (const int failed = group["failed"]; failed > 0) table += fmt::format("  {} failed", failed);
    if (const int missing = group["missing"]; missing > 0)
      table += fmt::format("  {} missing", missing);
    table += '\n';
  }
  return table;
}

// The first configuration against each other one.
std::string comparisons_table(const Ordered& groups, const Ordered& comparisons,
                              std::size_t width) {
  std::string rows;
  for (const Ordered& c : comparisons) {
    if (c["first"] != groups[0]["configuration"] || c["problems"] == 0) continue;
    rows += fmt::format("{:<{}} {:>7} {:>+7.1f}  {:>+6.1f} to {:>+5.1f} {:>9} {:>9} {:>9.4f}\n",
                        c["second"].get<std::string>(), width, c["budget"].get<long>(),
                        100 * c["difference"].get<double>(), 100 * c["interval"][0].get<double>(),
                        100 * c["interval"][1].get<double>(), c["only_first"].get<int>(),
                        c["only_second"].get<int>(), c["mcnemar_p"].get<double>());
  }
  if (rows.empty()) return "";
  return fmt::format("\n{} compared to (points of pass@1 on the same problems)\n",
                     groups[0]["configuration"].get<std::string>()) +
         fmt::format("{:<{}} {:>7} {:>7} {:>16} {:>9} {:>9} {:>9}\n", "configuration", width,
                     "budget", "points", "95 %", "only it", "only that", "p") +
         rows;
}

std::string pools_table(const Ordered& pools, std::size_t width) {
  std::string table = "\nbudgets pooled over all problems\n" + groups_table(pools["groups"], width);
  for (const Ordered& group : pools["groups"]) {
    const Ordered& pool = group["pool"];
    table +=
        fmt::format("{:<{}} {} of {} passes spent in {} rounds of {}; problems in the last: {}\n",
                    group["configuration"].get<std::string>(), width, pool["spent"].get<long>(),
                    pool["passes"].get<long>(), pool["rounds"].get<int>(),
                    pool["quantum"].get<long>(), pool["last_round"].get<int>());
  }
  return table + comparisons_table(pools["groups"], pools["comparisons"], width);
}

}  // namespace

Ordered summarise(const Manifest& manifest, const Results& results) {
  std::map<std::pair<std::string, long>, Column> columns;
  for (const Manifest::Entry& entry : manifest.configurations) {
    for (const long budget : entry.budgets)
      columns[{entry.name, budget}] = column_of(manifest, results, entry.name, budget);
  }
  Ordered groups = Ordered::array(), comparisons = Ordered::array();
  bool complete = true;
  const auto& entries = manifest.configurations;
  for (auto entry = entries.begin(); entry != entries.end(); ++entry) {
    for (const long budget : entry->budgets) {
      const Column& column = columns.at({entry->name, budget});
      const Group group = group_of(column);
      complete = complete && group.failed + group.missing == 0;
      groups.push_back(group.json(entry->name, budget));
      for (auto other = entry + 1; other != entries.end(); ++other) {
        const auto theirs = columns.find({other->name, budget});
        if (theirs == columns.end()) continue;
        comparisons.push_back(
            comparison(entry->name, other->name, budget, pair_up(column, theirs->second)));
      }
    }
  }
  const Ordered pools = pools_json(manifest, results);
  for (const Ordered& group : pools["groups"])
    complete = complete && group["failed"] == 0 && group["missing"] == 0;
  Ordered summary = {{"complete", complete},
                     {"problems", manifest.ids.size()},
                     {"left_out", manifest.left_out},
                     {"groups", groups},
                     {"comparisons", comparisons}};
  if (!pools["groups"].empty()) summary["pools"] = pools;
  return summary;
}

std::string summary_table(const Ordered& summary) {
  std::size_t width = std::string("configuration").size();
  for (const Ordered& group : summary["groups"])
    width = std::max(width, group["configuration"].get<std::string>().size());
  std::string table = groups_table(summary["groups"], width);
  if (const int left_out = summary["left_out"]; left_out > 0)
    table += fmt::format("{} malformed problems of the data set were left out\n", left_out);
  table += comparisons_table(summary["groups"], summary["comparisons"], width);
  if (summary.contains("pools")) table += pools_table(summary["pools"], width);
  return table;
}

}  // namespace umf
