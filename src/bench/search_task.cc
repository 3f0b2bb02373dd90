#include "bench/search_task.h"

#include <sys/resource.h>

#include <cmath>
#include <optional>

#include "base/cancelled.h"
#include "base/error.h"
#include "base/files.h"
#include "session/problem_search.h"
#include "session/trace.h"

namespace umf {
namespace {

std::uint64_t peak_memory_bytes() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  return static_cast<std::uint64_t>(usage.ru_maxrss) * 1024;
}

// A checkpoint only saves time: a damaged one is left behind, and said so.
void keep_checkpoint(ProblemSearch& search, const SearchTask& task) {
  if (task.checkpoint.empty()) return;
  try {
    search.keep_checkpoint(task.checkpoint);
  } catch (const CheckpointInUse&) {
    throw;
  } catch (const Error& damage) {
    if (!std::filesystem::exists(task.checkpoint)) throw;
    if (task.warn) task.warn(std::string(damage.what()) + ". Starting that search anew.");
    std::filesystem::remove(task.checkpoint);
    search.keep_checkpoint(task.checkpoint);
  }
}

Result result_of(const SearchTask& task, const CurvePoint& point, const ProblemSearch& search) {
  const Ledger& ledger = point.ledger;
  Result r;
  r.key = {task.problem.id, task.name, point.budget, task.configuration.seed};
  r.stopped = name_of(point.stopped);
  r.nfe = ledger.nfe;
  r.rollouts = ledger.rollouts();
  r.hits = ledger.hits;
  r.saved_nfe = ledger.saved_capped;
  r.spared_nfe = ledger.spared;
  r.partial_nfe = ledger.partial;
  r.equivalents = ledger.equivalents;
  r.switches = ledger.switches;
  r.evaluations = ledger.evaluations;
  r.unmask_seconds = point.walk_seconds;
  r.reward_seconds = point.judge_seconds;
  if (!point.best) return r;
  r.answer = search.text(point.best->end);
  if (std::isfinite(point.best->reward)) r.reward = point.best->reward;
  r.complete = point.best->complete;
  r.iteration = point.best->iteration;
  for (const int action : point.best->actions)
    r.path.push_back(task.configuration.action_names[action]);
  return r;
}

// Every budget of the search failed for the same reason.
Searched failed(const SearchTask& task, const std::string& why) {
  std::vector<long> budgets = task.configuration.solve.curve;
  budgets.push_back(task.configuration.solve.budget);
  Searched searched;
  for (const long budget : budgets) {
    Result result;
    result.key = {task.problem.id, task.name, budget, task.configuration.seed};
    result.status = ResultStatus::kFailed;
    result.stopped = name_of(Stop::kError);
    result.why = why;
    searched.results.push_back(std::move(result));
  }
  return searched;
}

// Counts, notes and stops.
class TaskObserver final : public SearchObserver {
 public:
  TaskObserver(const SearchTask& task, const States& states) : task_(task), tracer_(states) {}

  bool passed(const Pass&) override {
    if (task_.progress) task_.progress(++passes_);
    return go_on();
  }
  bool rolled_out(const RolloutEvent& event) override {
    if (!task_.trace.empty()) trace_ += trace_line(tracer_.event(event));
    return go_on();
  }
  const std::string& trace() const { return trace_; }

 private:
  bool go_on() const { return !task_.stop || !task_.stop(); }

  const SearchTask& task_;
  TraceWriter tracer_;
  std::string trace_;
  long passes_ = 0;
};

Searched search_with(ProblemSearch& search, const SearchTask& task, const ModelCache& model_cache,
                     const WalkMemo& memo) {
  TaskObserver observer(task, search.states());
  const double loaded = model_cache.load_seconds();
  const long made = memo.passes();
  Solution solution = search.run(observer);
  if (solution.stopped == Stop::kInterrupted) return {.stopped = true};
  const double load_seconds = model_cache.load_seconds() - loaded;

  solution.curve.push_back({.budget = task.configuration.solve.budget,
                            .stopped = solution.stopped,
                            .best = solution.best,
                            .ledger = solution.ledger,
                            .walk_seconds = solution.walk_seconds,
                            .judge_seconds = solution.judge_seconds});
  Searched searched{.passes = memo.passes() - made + search.earlier_passes()};
  for (const CurvePoint& point : solution.curve) {
    Result r = result_of(task, point, search);
    if (solution.stopped == Stop::kError) {
      r.status = ResultStatus::kFailed;
      r.why = solution.message;
    }
    // The first walk of a model loads it.
    r.load_seconds = std::min(load_seconds, r.unmask_seconds);
    r.unmask_seconds -= r.load_seconds;
    r.peak_memory_bytes = peak_memory_bytes();
    searched.results.push_back(std::move(r));
  }
  if (!task.trace.empty() && solution.stopped != Stop::kError)
    write_file(task.trace, observer.trace());
  return searched;
}

}  // namespace

Searched search_task(const SearchTask& task, ModelCache& model_cache, Reward& reward,
                     WalkMemo& memo) {
  std::optional<ProblemSearch> search;
  try {
    search.emplace(task.configuration, model_cache, task.problem, reward, &memo);
    if (task.check) task.check();
  } catch (const Cancelled&) {
    return {.stopped = true};
  } catch (const Error& reason) {
    return failed(task, reason.what());
  }
  keep_checkpoint(*search, task);
  return search_with(*search, task, model_cache, memo);
}

}  // namespace umf
