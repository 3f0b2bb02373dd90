#include "cli/bench_run.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include "base/error.h"
#include "cli/common.h"
#include "session/problem_search.h"
#include "setup/judges.h"
#include "setup/progress.h"
#include "setup/say.h"

namespace umf {
namespace {

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

// A worker that waits keeps what its scheduler gave it, a GPU mostly, from everybody else.
bool under_scheduler() {
  return std::ranges::any_of(std::array{"SLURM_JOB_ID", "PBS_JOBID", "LSB_JOBID"},
                             [](const char* job) { return std::getenv(job) != nullptr; });
}

// For umf status: what computes here, and as which job of a scheduler.
Json about_worker(const ModelCache& model_cache, const CommonOptions& common) {
  Json about = {{"backend", model_cache.backend().name()}};
  if (common.device) about["device"] = *common.device;
  const auto add = [&](const char* key, const char* variable) {
    if (const char* value = std::getenv(variable)) about[key] = value;
  };
  add("gpus", "CUDA_VISIBLE_DEVICES");
  add("slurm_job", "SLURM_JOB_ID");
  const char *array = std::getenv("SLURM_ARRAY_JOB_ID"), *task = std::getenv("SLURM_ARRAY_TASK_ID");
  if (array != nullptr && task != nullptr) about["slurm_job"] = fmt::format("{}_{}", array, task);
  add("slurm_task", "SLURM_PROCID");
  add("pbs_job", "PBS_JOBID");
  add("lsf_job", "LSB_JOBID");
  return about;
}

bool waits_for_others(const BenchCliOptions& options) {
  return options.wait || (!options.no_wait && !under_scheduler());
}

// In results; the search under way counts by its passes, so that the estimate does not jump where
// a search is long.
double done_so_far(const BenchNews& news) {
  const double under_way = news.budget > 0 ? 1.0 * news.passes / news.budget : 0;
  return news.tally.done + news.tally.failed + std::min(1.0, under_way);
}

// "12/500 done, 1 failed, 40 s left  HumanEval/17 umf 803/3072 passes".
std::string describe(const BenchNews& news, const Pace& pace) {
  const Tally& tally = news.tally;
  std::string line = fmt::format("{}/{} done", tally.done, tally.total);
  if (tally.failed > 0) line += fmt::format(", {} failed", tally.failed);
  if (const auto left = pace.seconds_left(tally.total))
    line += fmt::format(", {} left", time_in_words(*left));
  line += "  " + news.job;
  if (news.budget > 0) line += fmt::format(" {}/{} passes", news.passes, news.budget);
  return line;
}

// All budgets and seeds that the run has of them, whichever command added them.
std::vector<BenchConfiguration> all_widened(
    const std::vector<BenchConfiguration>& bench_configurations, const Manifest& manifest) {
  std::vector<BenchConfiguration> wide;
  for (const BenchConfiguration& one : bench_configurations) {
    const auto entry = std::ranges::find(manifest.configurations, one.name, &Manifest::Entry::name);
    wide.push_back(widened(one, *entry));
  }
  return wide;
}

}  // namespace

void check_run_options(const BenchCliOptions& options) {
  if (options.extend && options.resume)
    throw Error("--extend and --resume: a run that is extended must be there anyway");
  if (options.judge_threads < 1) throw Error("--judge-threads must be at least 1");
  if (!(options.heartbeat_seconds >= 0.01 && options.heartbeat_seconds <= 3600))
    throw Error("--heartbeat is in seconds, from 0.01 to 3600");
  if (options.wait && options.no_wait) throw Error("--wait and --no-wait exclude each other");
}

RunDirectory start_run(const BenchCliOptions& options, const Dataset& dataset,
                       const std::vector<BenchConfiguration>& bench_configurations,
                       ModelCache& model_cache) {
  for (const BenchConfiguration& bench_configuration : bench_configurations)
    require_fit(bench_configuration, model_cache, dataset.tasks[0]);
  std::vector<Manifest> history;
  if (std::filesystem::exists(std::filesystem::path(options.out) / "config.json"))
    history = RunDirectory::open(options.out).history();
  const Json manifest = make_manifest(options, dataset, bench_configurations, model_cache, history);
  const bool mix = options.search.mix_devices;
  return options.extend ? RunDirectory::extend(options.out, manifest, mix)
                        : RunDirectory::start(options.out, manifest, options.resume, mix);
}

BenchEnd work_off(const RunDirectory& run, const BenchCliOptions& options, const Dataset& dataset,
                  const std::vector<BenchConfiguration>& bench_configurations,
                  ModelCache& model_cache) {
  const auto wide = all_widened(bench_configurations, run.manifest());
  Progress progress(options.search.common.quiet);
  Pace pace;
  Judges judges(options.search.common, {.unsafe = options.search.unsafe}, interrupt_token());
  judges.stand_beside(model_cache);
  const JudgeTools tools = judges.tools();
  return run_bench(run,
                   {.tasks = dataset.tasks,
                    .bench_configurations = wide,
                    .model_cache = model_cache,
                    .tools = tools,
                    .judge_threads = options.judge_threads,
                    .heartbeat_seconds = options.heartbeat_seconds,
                    .wait_for_others = waits_for_others(options),
                    .about = about_worker(model_cache, options.search.common)},
                   {.stop = interrupted,
                    .news =
                        [&](const BenchNews& news) {
                          pace.note(done_so_far(news), progress.seconds());
                          progress.show([&] { return describe(news, pace); });
                        },
                    .warn =
                        [&](const std::string& warning) {
                          progress.clear();
                          say("warning: {}\n", warning);
                        }});
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
      return kExitOthersAtWork;
  }
  return 2;
}

}  // namespace umf
