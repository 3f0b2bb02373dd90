// umf bench: solve many problems, grade on the hidden tests, keep a run directory.
#include <fmt/core.h>

#include <cstdio>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "bench/result_log.h"
#include "bench/run_tables.h"
#include "bench/summary.h"
#include "cli/bench_run.h"
#include "cli/common.h"
#include "setup/say.h"

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
  check_run_options(options);
}

// Of the run as it is now: others may have extended it.
nlohmann::ordered_json print_summary(const RunDirectory& run, bool as_json) {
  ResultIndex results(run, BadLines::kAreWarnings);
  results.refresh();
  auto summary = summarise(run.manifest(), results.all());
  if (as_json)
    print_in_order(summary);
  else
    fmt::print("{}", summary_text(summary));
  return summary;
}

// What to do next, in the words of the exit statuses.
void tell(BenchEnd end, const std::string& run) {
  if (end == BenchEnd::kFailures)
    say("some results failed; umf status {} names them, and the same command tries "
        "them again\n",
        run);
  if (end == BenchEnd::kStopped)
    say("stopped, and what was begun is saved; the same command goes on with it\n");
  if (end == BenchEnd::kOthersAtWork)
    say("nothing is left for this worker; others are at work on the rest: umf status {}\n", run);
}

int bench(const BenchCliOptions& options) {
  check(options);
  leave_on({SIGTERM, SIGUSR1}, kExitTryAgain);  // models may take minutes; nothing is lost so far
  const CommonOptions& common = options.search.common;
  const Dataset dataset = read_chosen(options);
  const WorkerDevices devices = options.search.worker_devices();
  const auto backend = devices.make_backend();
  const auto model_cache = make_model_cache(options.search, devices, *backend);
  const std::vector<BenchConfiguration> bench_configurations =
      make_bench_configurations(options, *model_cache);
  require_places_used(*model_cache);
  const RunDirectory run = start_run(options, dataset, bench_configurations, *model_cache);
  tell_places(*model_cache, common.quiet);
  watch_for_interrupts({SIGINT, SIGTERM, SIGUSR1});
  const BenchEnd end = work_off(run, options, dataset, bench_configurations, *model_cache);
  const auto summary = print_summary(RunDirectory::open(options.out), common.json);
  if (!common.quiet) tell(end, options.out);
  if (end == BenchEnd::kComplete && summary["complete"] == false && !common.quiet)
    say("what this command names is done; the run has more, which the commands that added it work "
        "off\n");
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
