#include "bench/runner.h"

#include <fmt/core.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <deque>
#include <exception>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <set>
#include <thread>
#include <utility>

#include "base/cancelled.h"
#include "base/error.h"
#include "base/task_threads.h"
#include "base/utc.h"
#include "bench/last_worker.h"
#include "bench/shared_problem.h"
#include "bench/views.h"
#include "bench/waiting.h"

namespace umf {
namespace {

// More answers than this do not wait for their verdict: they would be lost with the process.
constexpr std::size_t kWaitingPerJudge = 4;
constexpr double kLongestSleep = 0.1;  // in which a request to stop is not seen

// Each worker of a process has devices of its own: "dream on 0, llada on 1".
Json with_devices(Json about, const ModelCache& model_cache) {
  if (!model_cache.is_spread()) return about;
  std::string text;
  for (const StandingModel& model : model_cache.standing())
    text += fmt::format("{}{} on {}", text.empty() ? "" : ", ", model.name, model.device);
  about["devices"] = text;
  return about;
}

// A claimed job while its parts are graded on other threads.
struct OpenJob {
  const BenchJob job;
  const std::shared_ptr<Grading> grading;
  std::mutex mutex;
  int parts_left = 0;
  bool settled = true;  // no part failed

  OpenJob(BenchJob claimed, std::shared_ptr<Grading> graders)
      : job(std::move(claimed)), grading(std::move(graders)) {}
};

class Runner {
 public:
  Runner(const RunDirectory& run, const BenchPlan& plan, ModelCache& model_cache,
         const BenchHooks& hooks)
      : run_(run),
        plan_(plan),
        model_cache_(model_cache),
        hooks_(hooks),
        heartbeat_(run.workers(), this_process(), plan.heartbeat_seconds,
                   with_devices(plan.about, model_cache)),
        board_(run, heartbeat_, part_of_plan()),
        views_(run, board_.leases()),
        waiting_(shortest_pause()),
        writer_(run.results() / (heartbeat_.self().id + ".jsonl")),
        judges_(plan.judge_threads, kWaitingPerJudge * plan.judge_threads) {}

  BenchEnd work();

 private:
  RunPart part_of_plan() const;
  const Task& task(int problem) const;
  const BenchConfiguration& bench_configuration(int configuration) const;
  bool stopped() const { return hooks_.stop && hooks_.stop(); }
  void pause(double seconds) const;  // or until it is to stop
  void warn_of_bad_lines();
  void finish_views();
  double shortest_pause() const { return std::min(1.0, plan_.heartbeat_seconds); }
  // False: nothing will come any more for this worker.
  bool await_others();
  void do_job(BenchJob job);
  SharedProblem& shared(int problem);
  std::vector<const Configuration*> runs_for(const BenchJob& job,
                                             const std::vector<long>& budgets) const;
  std::vector<Result> unjudged(const OpenJob& open);
  bool search(const std::shared_ptr<OpenJob>& open, const Configuration& configuration);
  void submit(const std::shared_ptr<OpenJob>& open, std::vector<Result> results);
  void record(OpenJob& open, std::vector<Result> results);
  void retire_finished(double older_than);
  bool forget_lost();

  const RunDirectory& run_;
  const BenchPlan& plan_;
  ModelCache& model_cache_;
  const BenchHooks& hooks_;
  const Heartbeat heartbeat_;
  JobBoard board_;
  SharedViews views_;
  std::set<std::string> warned_;
  Waiting waiting_;
  ResultWriter writer_;
  // A finished job stays claimed for a while: see kKeptWhenDone. With the time at which it was
  // done.
  std::mutex ended_mutex_;
  std::deque<std::pair<double, Lease>> finished_;
  std::vector<Lease> lost_;  // to others
  int shared_problem_ = -1;
  std::unique_ptr<SharedProblem> shared_;
  TaskThreads judges_;  // last: its threads use the above
};

RunPart Runner::part_of_plan() const {
  std::set<std::string> ids, configurations;
  for (const Task& task : plan_.tasks) ids.insert(task.problem.id);
  for (const BenchConfiguration& one : plan_.bench_configurations) configurations.insert(one.name);
  return part_of(run_.manifest(), ids, configurations);
}

const Task& Runner::task(int problem) const {
  const std::string& id = run_.manifest().ids[problem];
  return *std::ranges::find(plan_.tasks, id,
                            [](const Task& task) -> const std::string& { return task.problem.id; });
}

const BenchConfiguration& Runner::bench_configuration(int configuration) const {
  return *std::ranges::find(plan_.bench_configurations,
                            run_.manifest().configurations[configuration].name,
                            &BenchConfiguration::name);
}

BenchEnd Runner::work() {
  write_problems(run_, plan_.tasks);
  while (!stopped()) {
    views_.refresh_now_and_then(board_.results());
    forget_lost();
    auto job = board_.next();
    warn_of_bad_lines();
    retire_finished(kKeptWhenDone);
    if (job) {
      waiting_.over();
      do_job(*std::move(job));
    } else if (!await_others()) {
      break;
    }
  }
  const bool stopped_early = stopped();
  if (stopped_early) judges_.stop();
  finish_views();
  board_.results().refresh_all();
  const Tally tally = board_.tally();
  if (tally.done == tally.total) {
    retire_finished(0);
    if (is_complete(run_, board_.results())) clear_away(run_, board_.leases(), heartbeat_);
    return BenchEnd::kComplete;
  }
  if (stopped_early) return BenchEnd::kStopped;
  return tally.done + tally.failed == tally.total ? BenchEnd::kFailures : BenchEnd::kOthersAtWork;
}

// Whoever is asked to stop does not wait to hear whether another one lives.
void Runner::finish_views() {
  while (!views_.finish(board_.results()) && !stopped()) pause(shortest_pause());
}

void Runner::warn_of_bad_lines() {
  for (const std::string& warning : board_.results().warnings()) {
    if (warned_.insert(warning).second && hooks_.warn)
      hooks_.warn(warning + "; going on without that result");
  }
}

void Runner::pause(double seconds) const {
  const double until = steady_seconds() + seconds;
  for (double left = seconds; left > 0 && !stopped(); left = until - steady_seconds())
    std::this_thread::sleep_for(std::chrono::duration<double>(std::min(left, kLongestSleep)));
}

bool Runner::await_others() {
  judges_.drain();  // what it finishes may be all that was missing
  if (forget_lost()) return true;
  board_.results().refresh_of({heartbeat_.self().id});
  const Tally tally = board_.tally();
  const bool all_tried = tally.done + tally.failed == tally.total && !board_.others_at_work();
  const bool waits = plan_.wait_for_others || !board_.all_known_to_live();
  if (all_tried || !waits) return false;
  if (hooks_.news) hooks_.news({tally, "waiting for other workers"});
  pause(waiting_.next_pause(board_.until_next_try()));
  return true;
}

// The searches that give the budgets.
std::vector<const Configuration*> Runner::runs_for(const BenchJob& job,
                                                   const std::vector<long>& budgets) const {
  std::vector<const Configuration*> runs;
  for (const Configuration& run : bench_configuration(job.configuration).runs) {
    if (run.seed != job.seed) continue;
    std::vector<long> gives = run.solve.curve;
    gives.push_back(run.solve.budget);
    const bool wanted = std::find_first_of(gives.begin(), gives.end(), budgets.begin(),
                                           budgets.end()) != gives.end();
    if (wanted) runs.push_back(&run);
  }
  return runs;
}

// Earlier results that only want their verdict: answers are not searched again.
std::vector<Result> Runner::unjudged(const OpenJob& open) {
  const Manifest& manifest = run_.manifest();
  std::vector<Result> results;
  for (const long budget : open.job.budgets) {
    const Result* known = board_.results().find(
        {manifest.ids[open.job.problem], manifest.configurations[open.job.configuration].name,
         budget, open.job.seed});
    if (known != nullptr && known->status == ResultStatus::kUnjudged) results.push_back(*known);
  }
  return results;
}

SharedProblem& Runner::shared(int problem) {
  if (problem != shared_problem_)
    shared_ = std::make_unique<SharedProblem>(task(problem), plan_.tools);
  shared_problem_ = problem;
  return *shared_;
}

void Runner::do_job(BenchJob job) {
  const auto grading = shared(job.problem).grading;
  const auto open = std::make_shared<OpenJob>(std::move(job), grading);

  std::vector<Result> regraded = unjudged(*open);
  std::vector<long> budgets = open->job.budgets;
  for (const Result& result : regraded) std::erase(budgets, result.key.budget);
  const auto runs = runs_for(open->job, budgets);
  open->parts_left = static_cast<int>(runs.size()) + (regraded.empty() ? 0 : 1);
  if (!regraded.empty()) submit(open, std::move(regraded));
  for (const Configuration* run : runs) {
    if (!search(open, *run)) return;
  }
}

// False when it was stopped.
bool Runner::search(const std::shared_ptr<OpenJob>& open, const Configuration& configuration) {
  const Problem& problem = task(open->job.problem).problem;
  const std::string& name = run_.manifest().configurations[open->job.configuration].name;
  const std::string& job = open->job.lease.job;
  const long budget = configuration.solve.budget;
  const auto& traits = configuration.search().facts.traits;
  const Tally tally = board_.tally();
  SharedProblem& common = shared(open->job.problem);
  Searched searched = search_task(
      {.problem = problem,
       .configuration = configuration,
       .name = name,
       .checkpoint = traits.resumable
                         ? run_.adopt_checkpoint(job, budget, heartbeat_.self().id, traits.anytime)
                         : std::filesystem::path(),
       .trace = run_.trace(job, budget),
       .check = [&] { common.check(); },
       .stop = hooks_.stop,
       .progress =
           [&](long passes) {
             if (hooks_.news)
               hooks_.news({tally, fmt::format("{} {}", problem.id, name), passes, budget});
           },
       .warn = hooks_.warn},
      model_cache_, common.reward, common.walks);
  if (searched.stopped) return false;
  std::erase_if(searched.results, [&](const Result& result) {
    return std::ranges::find(open->job.budgets, result.key.budget) == open->job.budgets.end();
  });
  for (Result& result : searched.results) result.device = model_cache_.backend().arithmetic();
  // Of the search that gives all of them: once.
  if (!searched.results.empty()) searched.results.back().passes = searched.passes;
  submit(open, std::move(searched.results));
  return true;
}

void Runner::submit(const std::shared_ptr<OpenJob>& open, std::vector<Result> results) {
  for (Result& result : results) {
    const Result* earlier = board_.results().find(result.key);
    result.tries = earlier == nullptr ? 1 : earlier->tries + 1;
  }
  judges_.submit([this, open, results = std::move(results)](int) { record(*open, results); });
}

// On a thread of its own.
void Runner::record(OpenJob& open, std::vector<Result> results) {
  try {
    for (Result& result : results) open.grading->grade(result);
  } catch (const Cancelled&) {
    return;  // the job stays open for whoever goes on with the run
  }
  const std::lock_guard lock(open.mutex);
  for (Result& result : results) {
    result.worker = heartbeat_.self().id;
    result.made_for = run_.manifest().made_for(open.job.problem, open.job.configuration);
    result.finished = unix_time();
    open.settled = open.settled && result.settled();
    // One who was taken for dead leaves the job to who took it.
    if (!board_.leases().holds(open.job.lease)) {
      const std::lock_guard ended_lock(ended_mutex_);
      lost_.push_back(open.job.lease);
      return;
    }
    writer_.append(result);
  }
  if (--open.parts_left > 0 || !open.settled) return;  // failures stay claimed while this one lives
  run_.remove_checkpoints(open.job.lease.job + "-");
  const std::lock_guard ended_lock(ended_mutex_);
  finished_.emplace_back(steady_seconds(), open.job.lease);
}

// Whether there were any: they are free as soon as those who took them over die.
bool Runner::forget_lost() {
  const std::lock_guard lock(ended_mutex_);
  for (const Lease& lease : lost_) board_.forget(lease);
  return !std::exchange(lost_, {}).empty();
}

void Runner::retire_finished(double older_than) {
  const std::lock_guard lock(ended_mutex_);
  const double now = steady_seconds();
  while (!finished_.empty() && now - finished_.front().first >= older_than) {
    board_.retire(finished_.front().second);
    finished_.pop_front();
  }
}

// Hooks for several workers; the first failure stops them all.
class SharedHooks {
 public:
  explicit SharedHooks(const BenchHooks& hooks) : hooks_(hooks) {
    shared_.stop = [this] { return failed_ || (hooks_.stop && hooks_.stop()); };
    if (hooks.news) shared_.news = [this](const BenchNews& news) { alone(hooks_.news, news); };
    if (hooks.warn) shared_.warn = [this](const std::string& what) { alone(hooks_.warn, what); };
  }

  const BenchHooks& hooks() const { return shared_; }
  void fail(std::exception_ptr failure) {
    const std::lock_guard lock(mutex_);
    if (!failure_) failure_ = std::move(failure);
    failed_ = true;
  }
  void rethrow() const {
    if (failure_) std::rethrow_exception(failure_);
  }

 private:
  template <class Hook, class Value>
  void alone(const Hook& hook, const Value& value) {
    const std::lock_guard lock(mutex_);
    hook(value);
  }

  const BenchHooks& hooks_;
  BenchHooks shared_;
  std::mutex mutex_;
  std::atomic<bool> failed_ = false;
  std::exception_ptr failure_;
};

}  // namespace

BenchEnd run_bench(const RunDirectory& run, const BenchPlan& plan, const BenchHooks& hooks) {
  const int workers = plan.model_cache.replicas();
  std::vector<BenchEnd> ends(workers, BenchEnd::kOthersAtWork);
  SharedHooks shared(hooks);
  const auto work = [&](int worker) {
    try {
      ends[worker] = Runner(run, plan, plan.model_cache.replica(worker), shared.hooks()).work();
    } catch (...) {
      shared.fail(std::current_exception());
    }
  };
  std::vector<std::thread> others;
  for (int worker = 1; worker < workers; ++worker) others.emplace_back(work, worker);
  work(0);
  for (std::thread& other : others) other.join();
  shared.rethrow();
  return *std::ranges::min_element(ends);  // whoever saw more done knows better
}

}  // namespace umf
