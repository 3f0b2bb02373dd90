#include "bench/run_tables.h"

#include <fmt/core.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

namespace umf {
namespace {

using Ordered = nlohmann::ordered_json;

std::string percent(const Ordered& share) {
  return share.is_null() ? "-" : fmt::format("{:.1f}", 100 * share.get<double>());
}

std::string number(const Ordered& value, int digits) {
  return value.is_null() ? "-" : fmt::format("{:.{}f}", value.get<double>(), digits);
}

std::string interval_of(const Ordered& group) {
  const Ordered& interval = group["interval"];
  if (interval.is_null()) return "-";
  return fmt::format("{} to {}", percent(interval[0]), percent(interval[1]));
}

// What pass@1 is a share of: "12 of 15".
std::string judged_of(const Ordered& group) {
  const int all =
      group["done"].get<int>() + group["failed"].get<int>() + group["missing"].get<int>();
  return fmt::format("{} of {}", group["judged"].get<int>(), all);
}

bool any(const Ordered& groups, const char* key) {
  return std::ranges::any_of(
      groups, [&](const Ordered& group) { return group[key].is_number() && group[key] > 0; });
}

// A column more, where there is anything in it.
void add_column(Table& table, const Ordered& groups, const char* head, const char* key,
                int digits) {
  if (!any(groups, key)) return;
  table.heads.push_back(head);
  for (std::size_t i = 0; i < groups.size(); ++i)
    table.rows[i].push_back(number(groups[i][key], digits));
}

std::vector<std::string> row_of(const Ordered& group) {
  return {group["configuration"].get<std::string>(), std::to_string(group["budget"].get<long>())};
}

bool has_seeds(const Ordered& groups) {
  return std::ranges::any_of(groups, [](const Ordered& group) { return group.contains("seeds"); });
}

// "3: 41.2 to 44.0": how many, and the lowest and highest of their shares.
std::string seed_shares(const Ordered& group) {
  if (!group.contains("seeds")) return "1";
  double low = 1, high = 0;
  for (const Ordered& seed : group["seeds"]) {
    if (seed["pass@1"].is_null()) continue;
    low = std::min(low, seed["pass@1"].get<double>());
    high = std::max(high, seed["pass@1"].get<double>());
  }
  const std::size_t count = group["seeds"].size();
  return low > high ? fmt::format("{}", count)
                    : fmt::format("{}: {:.1f} to {:.1f}", count, 100 * low, 100 * high);
}

// Passes over parts of the sequence, where there are any; beside the costs they would not fit.
Table partial_table(const Ordered& groups) {
  Table table{"Passes over parts of the sequence, and whole ones of the same arithmetic",
              {"configuration", "budget"},
              {}};
  for (const Ordered& group : groups) table.rows.push_back(row_of(group));
  add_column(table, groups, "partial", "partial_nfe", 1);
  add_column(table, groups, "whole ones", "equivalents", 1);
  return table;
}

std::string titled(const Table& table) { return wrapped(table.caption, "") + table_text(table); }

std::string groups_text(const Ordered& groups) {
  std::string text = table_text(score_table(groups)) + "\n" + titled(cost_table(groups));
  if (any(groups, "partial_nfe")) text += "\n" + titled(partial_table(groups));
  return text;
}

// The first configuration against each other one.
std::string comparisons_text(const Ordered& groups, const Ordered& comparisons) {
  Ordered of_the_first = Ordered::array();
  for (const Ordered& one : comparisons) {
    if (one["first"] == groups[0]["configuration"] && one["problems"] > 0)
      of_the_first.push_back(one);
  }
  return of_the_first.empty() ? "" : "\n" + titled(comparison_table(of_the_first));
}

std::string pools_text(const Ordered& pools) {
  std::string text = "\nbudgets pooled over all problems\n" + groups_text(pools["groups"]);
  for (const Ordered& group : pools["groups"]) {
    const Ordered& pool = group["pool"];
    text +=
        fmt::format("{}\n  {} of {} passes spent in {} rounds of {}; problems in the last: {}\n",
                    group["configuration"].get<std::string>(), pool["spent"].get<long>(),
                    pool["passes"].get<long>(), pool["rounds"].get<int>(),
                    pool["quantum"].get<long>(), pool["last_round"].get<int>());
  }
  return text + comparisons_text(pools["groups"], pools["comparisons"]);
}

std::string joined(const Ordered& list) {
  std::string text;
  for (const Ordered& one : list) text += (text.empty() ? "" : "; ") + one.get<std::string>();
  return text;
}

// A CSV file's heads are the keys, and those of what stands inside joined with "_".
std::vector<CsvColumn> columns_with(const std::vector<std::string>& pointers) {
  std::vector<CsvColumn> columns;
  for (const std::string& pointer : pointers) {
    std::string head = pointer.substr(1);
    std::ranges::replace(head, '/', '_');
    if (head == "interval_0") head = "low";
    if (head == "interval_1") head = "high";
    columns.push_back({std::move(head), pointer});
  }
  return columns;
}

}  // namespace

Table score_table(const Ordered& groups) {
  Table table{"Problems solved in percent (pass@1), with Wilson's 95 % intervals",
              {"configuration", "budget", "judged", "pass@1", "95 %", "reward"},
              {}};
  if (has_seeds(groups))
    table.caption +=
        "; of several seeds means over problems, with tries counted by what problems differ in";
  for (const Ordered& group : groups) {
    std::vector<std::string> row = row_of(group);
    for (std::string cell : {judged_of(group), percent(group["pass@1"]), interval_of(group),
                             number(group["mean_reward"], 3)})
      row.push_back(std::move(cell));
    table.rows.push_back(std::move(row));
  }
  add_column(table, groups, "failed", "failed", 0);
  add_column(table, groups, "missing", "missing", 0);
  if (!has_seeds(groups)) return table;
  table.heads.emplace_back("seeds");
  for (std::size_t i = 0; i < groups.size(); ++i) table.rows[i].push_back(seed_shares(groups[i]));
  return table;
}

Table cost_table(const Ordered& groups) {
  Table table{
      "What it cost, means per problem: passes, cache hits in percent, passes saved, switches of "
      "the model, seconds",
      {"configuration", "budget", "NFE", "hits", "saved", "switches", "unmask", "reward", "grade"},
      {}};
  for (const Ordered& group : groups) {
    const Ordered& seconds = group["seconds"];
    std::vector<std::string> row = row_of(group);
    for (std::string cell :
         {number(group["nfe"], 1), percent(group["hit_rate"]), number(group["saved_nfe"], 1),
          number(group["switches"], 2), number(seconds["unmask"], 2), number(seconds["reward"], 2),
          number(seconds["grade"], 2)})
      row.push_back(std::move(cell));
    table.rows.push_back(std::move(row));
  }
  return table;
}

Table comparison_table(const Ordered& comparisons) {
  Table table{
      "Differences of pass@1 in points on the problems that both were judged on, with Newcombe's "
      "paired 95 % intervals; problems that one alone solved; p of McNemar's exact test, corrected "
      "for all comparisons (Holm); problems that a difference like this would need",
      {"first - second", "budget", "points", "95 %", "alone", "p", "needed"},
      {}};
  if (std::ranges::any_of(comparisons, [](const Ordered& one) { return one.contains("seeds"); }))
    table.caption +=
        "; of several seeds: intervals by problem, problems of which one solved more seeds, p of "
        "the exact sign-flip test by problem";
  for (const Ordered& one : comparisons) {
    const double p = one["corrected_p"];
    table.rows.push_back(
        {fmt::format("{} - {}", one["first"].get<std::string>(), one["second"].get<std::string>()),
         fmt::format("{}{}", one["budget"].get<long>(), one["pooled"].get<bool>() ? " pool" : ""),
         fmt::format("{:+.1f}", 100 * one["difference"].get<double>()),
         fmt::format("{:+.1f} to {:+.1f}", 100 * one["interval"][0].get<double>(),
                     100 * one["interval"][1].get<double>()),
         fmt::format("{}, {}", one["only_first"].get<int>(), one["only_second"].get<int>()),
         p < 0.0001 ? "<0.0001" : fmt::format("{:.4f}", p), number(one["needed"], 0)});
  }
  return table;
}

std::vector<CsvColumn> score_columns() {
  return columns_with({"/configuration", "/budget", "/done", "/failed", "/missing", "/judged",
                       "/passed", "/pass@1", "/interval/0", "/interval/1", "/mean_reward"});
}

std::vector<CsvColumn> seed_columns() {
  return columns_with({"/configuration", "/budget", "/seed", "/judged", "/passed", "/pass@1"});
}

Ordered seeds_of(const Ordered& groups) {
  Ordered list = Ordered::array();
  for (const Ordered& group : groups) {
    for (Ordered seed : group.value("seeds", Ordered::array())) {
      seed["configuration"] = group["configuration"];
      seed["budget"] = group["budget"];
      list.push_back(std::move(seed));
    }
  }
  return list;
}

Table seed_table(const Ordered& seeds) {
  Table table{"Problems solved in percent (pass@1) with each seed",
              {"configuration", "budget", "seed", "judged", "pass@1"},
              {}};
  for (const Ordered& seed : seeds) {
    std::vector<std::string> row = row_of(seed);
    for (std::string cell : {seed["seed"].dump(), seed["judged"].dump(), percent(seed["pass@1"])})
      row.push_back(std::move(cell));
    table.rows.push_back(std::move(row));
  }
  return table;
}

std::vector<CsvColumn> cost_columns() {
  return columns_with({"/configuration", "/budget", "/done", "/nfe", "/partial_nfe", "/equivalents",
                       "/hit_rate", "/saved_nfe", "/switches", "/evaluations", "/passes",
                       "/seconds/load", "/seconds/unmask", "/seconds/reward", "/seconds/grade",
                       "/peak_memory_bytes"});
}

std::vector<CsvColumn> comparison_columns() {
  return columns_with({"/first", "/second", "/budget", "/pooled", "/problems", "/only_first",
                       "/only_second", "/difference", "/interval/0", "/interval/1", "/test", "/p",
                       "/corrected_p", "/decided", "/needed", "/sentence"});
}

std::string summary_text(const Ordered& summary) {
  std::string text = groups_text(summary["groups"]);
  if (const int left_out = summary["left_out"]; left_out > 0)
    text += fmt::format("{} malformed problems of the data set were left out\n", left_out);
  if (summary.contains("mixed_devices"))
    text += wrapped("mixed devices: " + joined(summary["devices"]), "  ");
  text += comparisons_text(summary["groups"], summary["comparisons"]);
  if (summary.contains("pools")) text += pools_text(summary["pools"]);
  return text;
}

}  // namespace umf
