#include "cli/bench_plan.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <climits>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <set>

#include "base/error.h"
#include "base/files.h"
#include "base/utc.h"
#include "base/version.h"
#include "cli/command_line.h"
#include "reward/drop_tests.h"
#include "setup/option_file.h"

namespace umf {
namespace {

std::vector<long> parse_budgets(const std::string& text, const std::string& where) {
  std::set<long> budgets;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    long budget = 0;
    const auto [stop, failure] = std::from_chars(text.data() + begin, text.data() + end, budget);
    if (failure != std::errc() || stop != text.data() + end || budget < 1 || budget > INT_MAX)
      throw Error(fmt::format("{}: --budget takes forward passes: 768,1536,... not '{}'", where,
                              text.substr(begin, end - begin)));
    budgets.insert(budget);
    begin = end + 1;
  }
  return {budgets.begin(), budgets.end()};
}

// So much of the pool can go to one problem, unless --pool-cap says otherwise.
constexpr long kCapOfBudget = 8;

std::string checked_name(const Json& entry, const std::string& where) {
  if (!entry.is_object() || !entry.contains("name") || !entry["name"].is_string())
    throw Error(where + ": a configuration is an object with a 'name'");
  return plain_name(entry, "", where);
}

// Nothing where no pool is asked for.
std::optional<Pool> make_pool(const PoolCliOptions& options, const Configuration& configuration) {
  if (options.budget == 0) return std::nullopt;
  const Pool pool{.budget = options.budget,
                  .quantum = options.quantum == 0 ? configuration.walk.window : options.quantum,
                  .cap = options.cap == 0 ? kCapOfBudget * options.budget : options.cap};
  check(pool);
  if (pool.cap > INT_MAX) throw Error("--pool-cap is more than a search can have");
  if (!configuration.search().facts.traits.anytime)
    throw Error(
        fmt::format("a search by {} with a larger budget does not go on from a smaller one, so its "
                    "budget cannot grow in rounds; give its configuration \"pool-budget\": 0",
                    configuration.search_name));
  if (configuration.solve.policy == BudgetPolicy::kFinish)
    throw Error("--pool-budget counts every pass; the budget policy finish goes beyond it");
  return pool;
}

// One search for all budgets where a smaller one is the beginning of a larger one.
BenchConfiguration make_bench_configuration(std::string name, SolveCliOptions options,
                                            std::vector<long> budgets,
                                            const PoolCliOptions& pool_options,
                                            ModelCache& model_cache) {
  if (budgets.empty() && pool_options.budget > 0) budgets = {pool_options.budget};
  if (options.seconds > 0 && pool_options.budget > 0)
    throw Error(
        "a pool shares passes that searches leave; with --seconds they leave what a clock says");
  if (options.seconds > 0 && budgets.empty())
    throw Error(
        "results are kept by budget: with --seconds give a --budget, the most that is wanted");
  options.budget = budgets.empty() ? 0 : static_cast<int>(budgets.back());
  options.workers = 1;  // a run has many searches: each worker takes one of its own
  Configuration largest = make_configuration(options, model_cache);
  if (budgets.empty()) budgets = {largest.solve.budget};
  BenchConfiguration bench_configuration{std::move(name), budgets, {}};
  bench_configuration.pool = make_pool(pool_options, largest);
  if (largest.search().facts.traits.anytime) {
    std::vector<long> points =
        bench_configuration.pool ? with_steps(budgets, *bench_configuration.pool) : budgets;
    largest.solve.budget = points.back();
    points.pop_back();
    largest.solve.curve = std::move(points);
    bench_configuration.runs.push_back(std::move(largest));
    return bench_configuration;
  }
  for (const long budget : budgets) {
    options.budget = static_cast<int>(budget);
    bench_configuration.runs.push_back(make_configuration(options, model_cache));
  }
  return bench_configuration;
}

}  // namespace

void PoolCliOptions::declare(OptionSet& options) {
  options.value("pool-budget", budget,
                "also spend so many passes times the problems over all of them together: what "
                "solved ones leave goes to the others");
  options.value("pool-quantum", quantum,
                "what an open problem gets of the pool in a round; 0 for a window");
  options.value("pool-cap", cap,
                "what a problem gets at most, and is searched up to; 0 for 8 times the pool's "
                "budget");
}

void BenchCliOptions::declare_run(OptionSet& options) {
  options.argument("DATASET", dataset, "a JSON Lines file, plain or gzip");
  options.value(
      "dataset-kind", data.kind,
      "evalplus, humaneval, mbpp, livecodebench, math or problems; by its fields without");
  options.value("prompt-style", data.prompt_style,
                "which wording of the prompts; the kind's default without");
  options.value("prompts", data.prompts, "a file of wordings in place of the built-in ones");
  options.flag("skip-bad", data.skip_bad, "leave out malformed lines instead of failing");
  options.value("limit", data.limit, "the first so many problems; 0 for all");
  options.value("ids", ids_file, "a file with the ids of the problems to take, one per line");
  options.value("sample", data.sample, "draw so many problems; 0 for all");
  options.value("sample-seed", data.sample_seed, "chooses which are drawn");
  options.value("judge-threads", judge_threads, "answers graded at once, beside the search");
  options.value(
      "heartbeat", heartbeat_seconds,
      "a worker of which nothing is seen for six times so many seconds is taken for dead; where a "
      "network file system caches longer than that, choose more");
}

void BenchCliOptions::declare(OptionSet& options) {
  options.value("out", out, "the run directory: made, or continued");
  options.flag("resume", resume, "refuse to begin: the run must be there");
  options.value("budget", budgets, "forward passes per problem, one or several: 768,1536,...");
  pool.declare(options);
  options.value("configs", configs, "a JSON file with several configurations");
  declare_run(options);
  options.value("drop-tests", drop_rate,
                "leave out this share of the visible tests, at random; the hidden ones stay");
  options.value("drop-seed", drop_seed, "chooses which are left out");
  options.flag("no-wait", no_wait, "leave when the rest is in other workers' hands; status 75");
  search.declare_shared(options);
  search.declare_machine(options);
  options.footer(
      "Run the same command again, at any time and on any number of machines that share DIR: it\n"
      "continues what is there. umf status DIR shows how far it is.\n"
      "DIR gets config.json, results.jsonl, samples.jsonl (EvalPlus), summary.json and traces.\n"
      "--configs: [{\"name\": \"umf\", \"preset\": \"umf-code\"}, {\"name\": \"bon\", \"search\": "
      "\"best-of-n\",\n"
      "            \"model\": [\"a=DIR\"], \"action\": [\"model=a,temperature=0.5\"], \"budget\": "
      "[768, 1536]}]\n"
      "            Keys are the options above, on top of those of the command line.\n"
      "Exit status: 0 complete, 1 some could not be searched or judged (run again to retry),\n"
      "75 stopped by SIGTERM or SIGUSR1 and saved, 130 stopped by Ctrl-C and saved, 2 an error.");
}

Dataset read_chosen(const BenchCliOptions& options) {
  DatasetOptions data = options.data;
  if (data.limit < 0 || data.sample < 0) throw Error("--limit and --sample must not be negative");
  if (!options.ids_file.empty()) data.ids = read_ids(options.ids_file);
  Dataset dataset = read_dataset(options.dataset, data);
  for (Task& task : dataset.tasks) {
    task.problem.reward =
        drop_tests(task.problem.reward, task.problem.id, options.drop_rate, options.drop_seed);
  }
  if (dataset.tasks.empty()) throw Error(fmt::format("'{}' has no problems", options.dataset));
  if (!options.search.common.quiet) {
    for (const std::string& line : dataset.skipped) fmt::print(stderr, "left out: {}\n", line);
  }
  return dataset;
}

std::vector<BenchConfiguration> make_bench_configurations(const BenchCliOptions& options,
                                                          ModelCache& model_cache) {
  if (options.configs.empty()) {
    std::string name =
        options.search.preset.empty() ? options.search.search : options.search.preset;
    return {make_bench_configuration(std::move(name), options.search,
                                     parse_budgets(options.budgets, "umf bench"), options.pool,
                                     model_cache)};
  }
  const Json list = parse_json(read_input(options.configs), options.configs);
  if (!list.is_array() || list.empty())
    throw Error(fmt::format("'{}' must be a list of configurations", options.configs));
  return make_bench_configurations(options, list, options.configs, model_cache);
}

std::vector<BenchConfiguration> make_bench_configurations(const BenchCliOptions& options,
                                                          const Json& list,
                                                          const std::string& source,
                                                          ModelCache& model_cache) {
  std::vector<BenchConfiguration> bench_configurations;
  std::set<std::string> names;
  for (const Json& entry : list) {
    std::string name =
        checked_name(entry, fmt::format("{} entry {}", source, bench_configurations.size() + 1));
    const std::string where = fmt::format("{}: '{}'", source, name);
    if (!names.insert(name).second) throw Error(where + " is there twice");
    SolveCliOptions own = options.search;
    std::string budgets = options.budgets;
    PoolCliOptions pool = options.pool;
    parse_options(where, words_of(entry, where), [&](OptionSet& set) {
      own.declare_shared(set);
      set.value("budget", budgets, "");
      pool.declare(set);
    });
    try {
      bench_configurations.push_back(make_bench_configuration(
          std::move(name), own, parse_budgets(budgets, where), pool, model_cache));
    } catch (const Error& mistake) {
      throw Error(fmt::format("{}: {}", where, mistake.what()));
    }
  }
  return bench_configurations;
}

Json make_manifest(const BenchCliOptions& options, const Dataset& dataset,
                   const std::vector<BenchConfiguration>& bench_configurations,
                   const ModelCache& model_cache) {
  Json ids = Json::array(), models = Json::array(), configurations = Json::array();
  for (const Task& task : dataset.tasks) ids.push_back(task.problem.id);
  for (int i = 0; i < model_cache.size(); ++i) {
    const Checkpoint& checkpoint = model_cache.checkpoint(i);
    models.push_back({{"directory", checkpoint.location.place()},
                      {"commit", checkpoint.location.commit},
                      {"fingerprint", checkpoint.run_fingerprint()}});
  }
  for (const BenchConfiguration& bench_configuration : bench_configurations) {
    const Configuration& largest = bench_configuration.runs.back();
    Json json = describe(largest, model_cache);
    json["name"] = bench_configuration.name;
    json["budgets"] = bench_configuration.budgets;
    if (bench_configuration.pool) json["pool"] = pool_json(*bench_configuration.pool);
    json["model_names"] = largest.model_names;
    json["action_names"] = author_names(largest);
    if (!is_exact(largest.actions)) json["approximate"] = true;
    configurations.push_back(std::move(json));
  }
  Json json = {{"made_by", {{"command", command_line()}, {"started", unix_time()}}},
               {"version", version()},
               {"backend", model_cache.backend().name()},
               {"dataset",
                {{"path", std::filesystem::absolute(options.dataset).string()},
                 {"kind", dataset.kind},
                 {"fingerprint", dataset.fingerprint},
                 {"prompt_style", options.data.prompt_style},
                 {"problems", ids},
                 {"left_out", dataset.skipped.size()}}},
               {"tests", {{"drop_rate", options.drop_rate}, {"drop_seed", options.drop_seed}}},
               {"models", models},
               {"configurations", configurations}};
  if (model_cache.backend().approximate()) json["approximate"] = true;
  return json;
}

}  // namespace umf
