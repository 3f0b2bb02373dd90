// umf simulate: the search on a table of rewards, no model.
#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <memory>
#include <nlohmann/json.hpp>
#include <unordered_map>

#include "base/error.h"
#include "cli/common.h"
#include "search/checkpoints.h"
#include "solve/simulation.h"

namespace umf {
namespace {

struct SimulateOptions {
  int actions = 2, window = 768;
  std::string budget = "12288", ratios = "0.9,0.8,0.7,0.6,0.5,0.4,0.2", policy = "cut";
  std::string exploration = "1", rewards, cells_per_pass = "1", passes;
  bool no_cache = false;
  UnMaskForkOptions search;
};

template <class Number>
Number parse_number(const std::string& text, const std::string& option) {
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) {
    throw Error(fmt::format("--{} = {} is not a value this option can take", option, text));
  }
  return value;
}

constexpr double kMostPasses = 1e6;  // of a level; more than any window has

using RewardTable = std::unordered_map<std::string, double>;

// A JSON object from "00110011", one digit per level, to a reward; null stands for a judge that
// failed.
RewardTable read_rewards(const std::string& file, int levels) {
  RewardTable table;
  if (file.empty()) return table;
  const std::string path = file == "-" ? "standard input" : file;
  const Json json = parse_json(read_input(file), path);
  if (!json.is_object())
    throw Error(path + ": expected an object from sequences of actions to rewards");
  for (const auto& [sequence, reward] : json.items()) {
    if (sequence.size() != levels ||
        sequence.find_first_not_of("0123456789") != std::string::npos) {
      throw Error(fmt::format("{}: '{}' is not a sequence of {} actions, one digit for each level",
                              path, sequence, levels));
    }
    if (!reward.is_number() && !reward.is_null()) {
      throw Error(fmt::format("{}: the reward of '{}' is not a number", path, sequence));
    }
    table[sequence] =
        reward.is_null() ? std::numeric_limits<double>::quiet_NaN() : reward.get<double>();
  }
  return table;
}

// Comma-separated: one number for all actions, or one for each.
std::vector<PassCosts> costs_by_rate(const SimulateOptions& options,
                                     std::span<const int> level_masks) {
  std::vector<PassCosts> costs;
  const std::string& text = options.cells_per_pass;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    const std::string entry = text.substr(begin, end - begin);
    begin = end + 1;
    const double rate = parse_number<double>(entry, "cells-per-pass");
    if (!std::isfinite(rate) || rate < 1)
      throw Error(fmt::format("--cells-per-pass = {}: a pass commits one cell at least", entry));
    costs.push_back(costs_at(rate, level_masks));
  }
  return costs;
}

// The passes that the levels of one action take.
PassCosts read_level_passes(const Json& json, const std::string& path,
                            std::span<const int> level_masks) {
  const std::size_t levels = level_masks.size() - 1;
  if (!json.is_array() || json.size() != levels)
    throw Error(fmt::format("{}: expected the passes of each of {} levels, not {}", path, levels,
                            json.dump()));
  std::vector<double> passes;
  for (const Json& entry : json) {
    if (!entry.is_number() || entry.get<double>() < 0 || entry.get<double>() > kMostPasses)
      throw Error(fmt::format("{}: {} is not a number of passes", path, entry.dump()));
    passes.push_back(entry.get<double>());
  }
  return {level_masks, passes};
}

// A JSON list with one number for each level, or with such a list for each action.
std::vector<PassCosts> read_passes(const std::string& file, std::span<const int> level_masks) {
  const std::string path = file == "-" ? "standard input" : file;
  const Json json = parse_json(read_input(file), path);
  if (!json.is_array() || json.empty())
    throw Error(path + ": expected a list with the passes of each level, or one for each action");
  if (!json.front().is_array()) return {read_level_passes(json, path, level_masks)};
  std::vector<PassCosts> costs;
  for (const Json& entry : json) costs.push_back(read_level_passes(entry, path, level_masks));
  return costs;
}

std::vector<PassCosts> costs_of(const SimulateOptions& options, std::span<const int> level_masks) {
  const bool by_level = !options.passes.empty();
  if (by_level && options.cells_per_pass != "1")
    throw Error("--cells-per-pass and --passes both say what a rollout costs; give one of them");
  std::vector<PassCosts> costs =
      by_level ? read_passes(options.passes, level_masks) : costs_by_rate(options, level_masks);
  if (costs.size() == 1) costs.resize(options.actions, costs.front());
  if (std::cmp_not_equal(costs.size(), options.actions))
    throw Error(
        fmt::format("{} has entries for {} actions; give one for all, or one for each of {}",
                    by_level ? options.passes : "--cells-per-pass", costs.size(), options.actions));
  return costs;
}

double look_up(const RewardTable& table, std::span<const int> actions) {
  std::string sequence;
  for (const int action : actions) sequence += static_cast<char>('0' + action);
  const auto entry = table.find(sequence);
  return entry == table.end() ? 0.0 : entry->second;
}

SolveOptions limits_of(const SimulateOptions& options) {
  if (options.actions < 1 || options.actions > 10)
    throw Error("--actions is from 1 to 10: one digit names one");
  if (options.window < 1) throw Error("--window is at least 1");
  const long budget = parse_number<long>(options.budget, "budget");
  if (budget < 0) throw Error(fmt::format("--budget must not be negative, not {}", budget));
  return {.budget = budget,
          .policy = parse_budget_policy(options.policy),
          .use_cache = !options.no_cache};
}

nlohmann::ordered_json report(const Simulation& simulation) {
  const Solution& solution = simulation.solution;
  const Ledger& ledger = solution.ledger;
  return {{"misses", ledger.misses},
          {"hits", ledger.hits},
          {"nfe", ledger.nfe},
          {"saved_full", ledger.saved_full},
          {"saved_capped", ledger.saved_capped},
          {"switches", ledger.switches},
          {"nodes", simulation.nodes},
          {"depth", simulation.depth},
          {"best", solution.best ? nlohmann::ordered_json(solution.best->reward)
                                 : nlohmann::ordered_json()},
          {"order", simulation.order}};
}

int simulate(SimulateOptions& options) {
  const SolveOptions limits = limits_of(options);
  options.search.exploration = parse_number<double>(options.exploration, "exploration");
  if (!std::isfinite(options.search.exploration)) throw Error("--exploration is a finite number");
  const std::vector<int> ratios = parse_ratios(options.ratios);
  const std::vector<int> level_masks = masks_of_levels(options.window, ratios);
  const RewardTable table = read_rewards(options.rewards, static_cast<int>(level_masks.size()) - 1);
  TableWorld world(
      options.actions, options.window, ratios,
      [&](std::span<const int> actions) { return look_up(table, actions); },
      costs_of(options, level_masks));
  watch_for_interrupts();
  const Simulation simulation = umf::simulate(world, options.search, limits,
                                              [](const RolloutEvent&) { return !interrupted(); });
  print_in_order(report(simulation));
  return simulation.solution.stopped == Stop::kInterrupted ? kExitInterrupted : 0;
}

void declare(OptionSet& options, SimulateOptions& o) {
  options.value("actions", o.actions, "how many there are to choose from, 1 to 10");
  options.value("window", o.window, "masks at the root: what one rollout costs, a mask a pass");
  options.value("budget", o.budget, "forward passes");
  options.value("ratios", o.ratios,
                "where the search may branch: shares of the window still masked");
  options.value("cells-per-pass", o.cells_per_pass,
                "how many masks a pass commits on average, from 1 on; one number, or one for each "
                "action as in 3.4,2.1");
  options.value("passes", o.passes,
                "instead: a JSON file with the passes that each level takes, [3, 2.5, ...], or a "
                "list of such lists, one for each action; - for stdin");
  options.value("budget-policy", o.policy,
                "what a rollout that does not fit does: cut, finish or skip");
  options.flag("no-cache", o.no_cache, "run and pay repeated rollouts");
  o.search.visit([&](auto& field, const char* name, const char* help) {
    if constexpr (std::is_same_v<std::decay_t<decltype(field)>, bool>) {
      options.flag(name, field, help);
    } else {
      options.value(name, o.exploration, help);
    }
  });
  options.value("rewards", o.rewards,
                "a JSON object from sequences of actions to rewards; - for stdin");
  options.footer(
      "In \"order\", *00>1 is a new rollout of action 1 from the node that actions 0, 0 lead to.\n"
      "Levels lie between the window, the ratios and the end: 8 of them by default.\n"
      "Example: umf simulate --window 768 --budget 3072 --cells-per-pass 3.4");
}

}  // namespace

Command simulate_command() {
  return {"simulate", "the search on a table of rewards, no model", [](OptionSet& options) {
            auto o = std::make_shared<SimulateOptions>();
            declare(options, *o);
            return [o] { return simulate(*o); };
          }};
}

}  // namespace umf
