// umf tune: measure ways to unmask on a data set, and write the best down for --config.
#include <fmt/core.h>

#include <cstdio>

#include "base/error.h"
#include "cli/bench_run.h"
#include "cli/common.h"
#include "cli/tuner.h"
#include "setup/say.h"

namespace umf {
namespace {

constexpr std::size_t kFewProblems = 30;

void declare(TuneOptions& tune, OptionSet& options) {
  options.value("out", tune.out,
                "the directory for runs and tuned.json: made, or continued; NAME.tune without it");
  options.values("model", tune.bench.search.models,
                 "NAME=WHERE or WHERE, repeatable; without it the embedded models");
  options.value("loss", tune.loss,
                "points of solved problems that a faster rule may lose against one cell per pass");
  options.value("budget", tune.budget, "forward passes of a search; 0 for 4 windows");
  options.value("window", tune.bench.search.window,
                "tokens of the answer; 0 for what the models recommend");
  options.value("seed", tune.bench.search.seed, "chooses the noise of all actions");
  tune.bench.declare_run(options);
  tune.bench.search.declare_machine(options);
  options.footer(
      "Round 1 measures one answer per problem: every model with every commit rule, and relays\n"
      "and polls of all models. Round 2 measures searches over the best of them. The best search\n"
      "becomes DIR/tuned.json:\n"
      "  umf tune problems.jsonl --model a=DIR --model b=DIR --limit 200\n"
      "  umf solve problem.json --config problems.tune/tuned.json --budget 2048\n"
      "Run the same command again, at any time and on any number of machines that share DIR: it\n"
      "continues what is there. Rounds are run directories: umf status DIR/round-1 and\n"
      "umf report DIR/round-1 work on them. docs/tuning.md tells how rules are chosen.\n"
      "Exit status: 0 tuned, 1 tuned without problems that could not be searched or judged (run\n"
      "again to retry), 75 stopped by SIGTERM or SIGUSR1 and saved, 130 stopped by Ctrl-C and\n"
      "saved, 2 an error.");
}

void check(const TuneOptions& options) {
  if (options.bench.dataset.empty())
    throw Error("umf tune needs a data set: a JSON Lines file; --help shows more");
  if (!(options.loss >= 0 && options.loss <= 100))
    throw Error(fmt::format("--loss is in points, from 0 to 100, not {}", options.loss));
  if (options.budget < 0)
    throw Error(fmt::format("--budget must not be negative, not {}", options.budget));
  check_run_options(options.bench);
}

// A search can only choose among answers that it can judge.
void check(const Dataset& dataset, const std::string& path) {
  for (const Task& task : dataset.tasks) {
    if (task.problem.reward.is_null())
      throw Error(
          fmt::format("'{}': problem '{}' has no visible tests, and a search needs them; give it a "
                      "reward, or choose others with --ids",
                      path, task.problem.id));
  }
}

void warn_of_few(std::size_t problems) {
  if (problems >= kFewProblems) return;
  say("warning: {} problem{} only: the intervals are wide, and what is chosen may be "
      "chance\n",
      problems, problems == 1 ? "" : "s");
}

int tune(const TuneOptions& options) {
  check(options);
  leave_on({SIGTERM, SIGUSR1}, kExitTryAgain);
  const Dataset dataset = read_chosen(options.bench);
  check(dataset, options.bench.dataset);
  const WorkerDevices devices = options.bench.search.worker_devices();
  const auto backend = devices.make_backend();
  const auto model_cache = make_model_cache(options.bench.search, devices, *backend);
  Tuner tuner(options, dataset, *model_cache);
  require_places_used(*model_cache);
  tell_places(*model_cache, options.bench.search.common.quiet);
  warn_of_few(dataset.tasks.size());
  const std::optional<Tuning> tuning = tuner.run();
  if (!tuning) return exit_status(BenchEnd::kStopped);
  const auto json = tuning_json(*tuning);
  if (options.bench.search.common.json)
    print_in_order(json);
  else
    fmt::print("{}", tuning_text(json));
  return tuning->action_scores.left_out + tuning->search_scores.left_out == 0 ? 0 : kExitNo;
}

}  // namespace

Command tune_command() {
  return {"tune", "find the actions that suit a data set, and write them down for --config",
          [](OptionSet& options) {
            auto o = std::make_shared<TuneOptions>();
            declare(*o, options);
            return [o] { return tune(*o); };
          }};
}

}  // namespace umf
