#include "solve/solve.h"

#include <fmt/core.h>

#include <algorithm>
#include <climits>
#include <limits>

#include "base/error.h"
#include "base/stopwatch.h"
#include "solve/attempt.h"
#include "solve/budget_curve.h"
#include "solve/judgements.h"

namespace umf {
namespace {

class Run {
 public:
  Run(Search& search, World& world, RolloutCache& known, const SolveOptions& options,
      const Observer& observer);
  Solution finish() &&;

 private:
  Stop explore();
  std::optional<Outcome> recall(const Trial& trial);
  bool fits(const Trial& trial);
  bool tries_out(const Trial& trial) const;
  bool proved_too_long(const Trial& trial, const Outcome& outcome) const;
  std::optional<Outcome> walk(const Trial& trial);
  void judge(const Trial& trial, Outcome& outcome);
  void keep_unjudged(const Outcome& outcome);
  bool observed(const Trial& trial, const Outcome& outcome) const;

  Outcome walk_world(const Trial& trial, long limit);
  // Books a rollout that ended at the end of `outcome`'s path, and keeps it if it is the best.
  Verdict score(const Trial& trial, Outcome& outcome, Ledger& ledger,
                std::optional<Candidate>& best, long& judged);
  void cut_curve(const Trial& trial, int passes, double seconds_before);
  void cut(CurvePoint& point, const Trial& trial);
  bool out_of_time() const { return options_.deadline != nullptr && options_.deadline->over(); }
  bool enough(double reward) const {
    return options_.stop_at_reward && reward >= *options_.stop_at_reward;
  }

  Search& search_;
  World& world_;
  RolloutCache& known_;
  const SolveOptions& options_;
  const Observer& observer_;
  Solution solution_;
  Ledger& ledger_ = solution_.ledger;
  Lineage lineage_;
  BudgetCurve curve_;
  Judgements judgements_;
  Verdict verdict_;  // of the last miss
};

Run::Run(Search& search, World& world, RolloutCache& known, const SolveOptions& options,
         const Observer& observer)
    : search_(search),
      world_(world),
      known_(known),
      options_(options),
      observer_(observer),
      lineage_(world.root()),
      curve_(options.curve),
      judgements_(world, options.judge_failures, solution_.judge_seconds) {
  ledger_.actions.resize(world.actions());
}

// One turn is one rollout, new or known (docs/algorithm.md#one-iteration).
Stop Run::explore() {
  while (ledger_.nfe < options_.budget) {
    curve_.close_up_to(ledger_.nfe, solution_, Stop::kBudget);
    const std::optional<Trial> trial = search_.ask();
    if (!trial) return Stop::kExhausted;
    std::optional<Outcome> outcome = recall(*trial);
    if (!outcome) {
      if (!fits(*trial)) return Stop::kBudget;
      outcome = walk(*trial);
      if (!outcome) return out_of_time() ? Stop::kTime : Stop::kInterrupted;
      if (proved_too_long(*trial, *outcome)) return Stop::kBudget;
      if (outcome->feasible) judge(*trial, *outcome);
    }
    search_.tell(*trial, *outcome);
    if (!outcome->feasible) continue;
    const bool go_on = observed(*trial, *outcome);
    if (enough(outcome->reward)) return Stop::kReward;
    if (!go_on) return Stop::kInterrupted;
    // Not after what is free: a budget of the passes made so far would end here, too.
    if (!outcome->cached && out_of_time()) return Stop::kTime;
  }
  return Stop::kBudget;
}

std::optional<Outcome> Run::recall(const Trial& trial) {
  if (!options_.use_cache || trial.draw != 0) return std::nullopt;
  std::optional<Outcome> outcome = known_.find(trial.from, trial.action);
  if (outcome) {
    const int passes = outcome->passes_at.back();
    ledger_.count_hit(passes, options_.budget - ledger_.nfe);
    curve_.count_hit(passes, ledger_.nfe);
  }
  return outcome;
}

bool Run::fits(const Trial& trial) {
  if (options_.policy != BudgetPolicy::kSkip || tries_out(trial)) return true;
  const long end = ledger_.nfe + lineage_.masks(trial.from);
  curve_.close_up_to(std::min(end, options_.budget) - 1, solution_, Stop::kBudget);
  return end <= options_.budget;
}

// Where what a rollout costs is not known before, only walking shows whether it fits. One that does
// not is paid for and not judged.
bool Run::tries_out(const Trial& trial) const {
  return options_.policy == BudgetPolicy::kSkip && !world_.commits_one(trial.action);
}
bool Run::proved_too_long(const Trial& trial, const Outcome& outcome) const {
  return tries_out(trial) && outcome.feasible && !outcome.complete &&
         ledger_.nfe >= options_.budget;
}

// Nothing when the walk was interrupted.
std::optional<Outcome> Run::walk(const Trial& trial) {
  const bool cuts = options_.policy == BudgetPolicy::kCut;
  const bool bounded_by_budget = cuts || tries_out(trial);
  const long left = bounded_by_budget ? options_.budget - ledger_.nfe : LONG_MAX;
  const long limit = std::min(left, search_.pass_limit());
  const double before = solution_.walk_seconds;
  Outcome outcome = walk_world(trial, limit);
  if (!outcome.feasible) return outcome;
  const bool stopped = !outcome.complete && outcome.passes < limit;
  const bool interrupted = stopped && !(cuts && out_of_time());
  if (cuts && !interrupted) cut_curve(trial, outcome.passes, before);
  if (tries_out(trial)) {
    const long last = std::min(ledger_.nfe + outcome.passes, options_.budget) - 1;
    curve_.close_up_to(last, solution_, Stop::kBudget, [&](CurvePoint& point) {
      point.ledger.count_passes(trial.action, static_cast<int>(point.budget - point.ledger.nfe));
    });
  }
  ledger_.count_passes(trial.action, outcome);
  ledger_.spared += outcome.spared;
  if (interrupted) return std::nullopt;
  return outcome;
}

void Run::judge(const Trial& trial, Outcome& outcome) {
  try {
    verdict_ = score(trial, outcome, ledger_, solution_.best, ledger_.judged);
  } catch (const Cancelled&) {
    if (!solution_.best) keep_unjudged(outcome);
    throw;
  }
  if (trial.draw == 0 && outcome.complete) known_.insert(trial, outcome);
  if (!search_.wants_openings() || !outcome.complete || enough(outcome.reward)) return;
  outcome.openings = attempt([&] { return world_.openings(outcome.path.back().state, verdict_); });
  lineage_.add_openings(outcome.path.back().state, outcome.openings);
}

void Run::keep_unjudged(const Outcome& outcome) {
  const StateId end = outcome.path.back().state;
  solution_.best = {.end = end,
                    .reward = std::numeric_limits<double>::quiet_NaN(),
                    .complete = outcome.complete,
                    .iteration = ledger_.rollouts() + 1,
                    .actions = lineage_.actions(end),
                    .path = lineage_.states(end),
                    .why = kNotJudged};
}

bool Run::observed(const Trial& trial, const Outcome& outcome) const {
  return !observer_ || observer_({trial, outcome, ledger_, solution_.best, lineage_,
                                  outcome.cached ? nullptr : &verdict_});
}

Outcome Run::walk_world(const Trial& trial, long limit) {
  const Stopwatch stopwatch(solution_.walk_seconds);
  const int passes = static_cast<int>(std::min<long>(limit, INT_MAX));
  Outcome outcome = attempt([&] { return world_.walk(trial, passes); });
  solution_.walk_seconds += world_.earlier_seconds();
  if (outcome.feasible) lineage_.add(trial, outcome);
  return outcome;
}

Verdict Run::score(const Trial& trial, Outcome& outcome, Ledger& ledger,
                   std::optional<Candidate>& best, long& judged) {
  const StateId end = outcome.path.back().state;
  Verdict verdict = judgements_.of(end, judged);
  outcome.reward = verdict.reward;
  ledger.count_miss(world_.model_of(trial.action));
  ledger.count_reward(trial.action, verdict.reward);
  Candidate candidate{.end = end,
                      .reward = verdict.reward,
                      .complete = outcome.complete,
                      .iteration = ledger.rollouts()};
  if (best && !better(candidate, *best)) return verdict;
  candidate.actions = lineage_.actions(end);
  candidate.path = lineage_.states(end);
  candidate.why = verdict.why;
  candidate.tests = verdict.tests;
  best = std::move(candidate);
  return verdict;
}

// The smaller budgets that end inside this rollout would have cut it. What that costs is not the
// run's.
void Run::cut_curve(const Trial& trial, int passes, double seconds_before) {
  const double walked = solution_.walk_seconds, judged = solution_.judge_seconds;
  const long last = std::min(ledger_.nfe + passes, options_.budget) - 1;
  curve_.close_up_to(last, solution_, Stop::kBudget, [&](CurvePoint& point) {
    const double share = static_cast<double>(point.budget - point.ledger.nfe) / passes;
    cut(point, trial);
    point.walk_seconds = seconds_before + share * (walked - seconds_before);
    solution_.curve_seconds += solution_.walk_seconds - walked + solution_.judge_seconds - judged;
    solution_.walk_seconds = walked;
    solution_.judge_seconds = judged;
  });
}

void Run::cut(CurvePoint& point, const Trial& trial) {
  const double judged = solution_.judge_seconds;
  const Deadline::Extension extension(options_.deadline);
  Outcome outcome = walk_world(trial, point.budget - point.ledger.nfe);
  solution_.curve_passes += outcome.passes;
  point.ledger.count_passes(trial.action, outcome);
  score(trial, outcome, point.ledger, point.best, solution_.curve_judgements);
  point.judge_seconds += solution_.judge_seconds - judged;
  if (enough(outcome.reward)) point.stopped = Stop::kReward;
}

Solution Run::finish() && {
  run_to_end(solution_, [this] { return explore(); });
  curve_.close_up_to(LONG_MAX, solution_, solution_.stopped);
  solution_.curve = std::move(curve_).points();
  solution_.nodes = search_.nodes();
  solution_.depth = search_.depth();
  return std::move(solution_);
}

void check(const World& world, const SolveOptions& options) {
  const int cost = world.root().masks;
  bool cost_known = true;
  for (int action = 0; action < world.actions(); ++action)
    cost_known = cost_known && world.commits_one(action);
  if (options.policy == BudgetPolicy::kSkip && cost_known && options.budget > 0 &&
      options.budget < cost) {
    throw Error(
        fmt::format("a budget of {} does not cover one rollout of {} forward passes; raise the "
                    "budget, or use the budget policy cut or finish",
                    options.budget, cost));
  }
  for (const long budget : options.curve) {
    if (budget <= options.budget) continue;
    throw Error(fmt::format("a curve up to {} needs a budget of at least that, not {}", budget,
                            options.budget));
  }
}

}  // namespace

BudgetPolicy parse_budget_policy(const std::string& name) {
  if (name == "cut") return BudgetPolicy::kCut;
  if (name == "finish") return BudgetPolicy::kFinish;
  if (name == "skip") return BudgetPolicy::kSkip;
  throw Error(fmt::format("there is no budget policy '{}'; choose cut, finish or skip", name));
}

const char* name_of(BudgetPolicy policy) {
  constexpr const char* kNames[] = {"cut", "finish", "skip"};
  return kNames[static_cast<int>(policy)];
}

Solution solve(Search& search, World& world, RolloutCache& known, const SolveOptions& options,
               const Observer& observer) {
  check(world, options);
  return Run(search, world, known, options, observer).finish();
}

}  // namespace umf
