// umf bench: solve many problems, grade on the hidden tests, keep a run directory.
#include <fmt/core.h>

#include <cstdio>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "bench/runner.h"
#include "bench/summary.h"
#include "cli/bench_plan.h"
#include "cli/common.h"
#include "cli/judges.h"
#include "cli/progress.h"
#include "session/problem_search.h"

namespace umf {
namespace {

void check(const BenchCliOptions& options) {
  if (options.dataset.empty())
    throw Error("umf bench needs a data set: a JSON Lines file; --help shows more");
  if (options.out.empty()) throw Error("umf bench needs --out DIR, the run directory");
  const auto& [pool_budget, pool_quantum, pool_cap] = options.pool;
  // Configurations may have pools of their own.
  if (options.configs.empty() && pool_budget == 0 && (pool_quantum != 0 || pool_cap != 0))
    throw Error("--pool-quantum and --pool-cap need a --pool-budget");
  if (options.judge_threads < 1) throw Error("--judge-threads must be at least 1");
  if (!(options.heartbeat_seconds >= 0.01 && options.heartbeat_seconds <= 3600))
    throw Error("--heartbeat is in seconds, from 0.01 to 3600");
}

struct NoJudge final : Reward {
  Verdict judge(std::string_view) override { return {}; }
};

// Throws what the first search would throw, before anything is written.
void require_fit(const BenchConfiguration& bench_configuration, ModelCache& model_cache,
                 const Task& task) {
  NoJudge judge;
  for (const Configuration& run : bench_configuration.runs) {
    try {
      ProblemSearch(run, model_cache, task.problem, judge);
    } catch (const ContextExceeded&) {
      // This problem's alone: it is recorded as failed, and others may fit.
    } catch (const Error& mistake) {
      throw Error(fmt::format("configuration '{}': {}", bench_configuration.name, mistake.what()));
    }
  }
}

// "12/500 done, 1 failed, 40 s left  HumanEval/17 umf 803/3072 passes".
std::string describe(const BenchNews& news, int done_before, double seconds) {
  const Tally& tally = news.tally;
  std::string line = fmt::format("{}/{} done", tally.done, tally.total);
  if (tally.failed > 0) line += fmt::format(", {} failed", tally.failed);
  if (tally.done > done_before) {
    const double left =
        seconds / (tally.done - done_before) * (tally.total - tally.done - tally.failed);
    line += fmt::format(", {:.0f} s left", left);
  }
  line += "  " + news.job;
  if (news.budget > 0) line += fmt::format(" {}/{} passes", news.passes, news.budget);
  return line;
}

int exit_status(BenchEnd end) {
  switch (end) {
    case BenchEnd::kComplete:
      return 0;
    case BenchEnd::kFailures:
      return kExitNo;
    case BenchEnd::kStopped:
      return interrupting_signal() == SIGINT ? kExitInterrupted : kExitTryAgain;
    case BenchEnd::kOthersAtWork:
      return kExitTryAgain;
  }
  return 2;
}

void print_summary(const RunDirectory& run, bool as_json) {
  ResultIndex results(run.results());
  results.refresh();
  const auto summary = summarise(run.manifest(), results.all());
  if (as_json)
    print_in_order(summary);
  else
    fmt::print("{}", summary_table(summary));
}

int bench(const BenchCliOptions& options) {
  check(options);
  const CommonOptions& common = options.search.common;
  const Dataset dataset = read_chosen(options);
  if (!common.quiet) {
    for (const std::string& line : dataset.skipped) fmt::print(stderr, "left out: {}\n", line);
  }
  const auto backend = options.search.make_backend();
  const auto model_cache = make_model_cache(options.search, *backend);
  const std::vector<BenchConfiguration> bench_configurations =
      make_bench_configurations(options, *model_cache);
  for (const BenchConfiguration& bench_configuration : bench_configurations)
    require_fit(bench_configuration, *model_cache, dataset.tasks[0]);
  const RunDirectory run = RunDirectory::start(
      options.out, make_manifest(options, dataset, bench_configurations, *model_cache),
      options.resume);

  watch_for_interrupts({SIGINT, SIGTERM, SIGUSR1});
  Progress progress(common.quiet);
  std::optional<int> done_before;
  Judges judges(common, {.unsafe = options.search.unsafe}, interrupt_token());
  const JudgeTools tools = judges.tools();
  const BenchEnd end = run_bench(
      run,
      {.tasks = dataset.tasks,
       .bench_configurations = bench_configurations,
       .model_cache = *model_cache,
       .tools = tools,
       .judge_threads = options.judge_threads,
       .heartbeat_seconds = options.heartbeat_seconds,
       .wait_for_others = !options.no_wait},
      {.stop = interrupted,
       .news =
           [&](const BenchNews& news) {
             if (!done_before) done_before = news.tally.done;
             progress.show([&] { return describe(news, *done_before, progress.seconds()); });
           },
       .warn =
           [&](const std::string& warning) {
             progress.clear();
             fmt::print(stderr, "warning: {}\n", warning);
           }});
  progress.clear();
  print_summary(run, common.json);
  if (end == BenchEnd::kFailures && !common.quiet)
    fmt::print(stderr,
               "some results failed; umf status {} names them, and the same command tries "
               "them again\n",
               options.out);
  return exit_status(end);
}

}  // namespace

Command bench_command() {
  return {"bench", "solve many problems at one or several budgets and grade them",
          [](OptionSet& options) {
            auto o = std::make_shared<BenchCliOptions>();
            o->declare(options);
            return [o] { return bench(*o); };
          }};
}

}  // namespace umf
