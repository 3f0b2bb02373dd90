#include "solve/treasure.h"

#include <fmt/core.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "base/error.h"
#include "base/stopwatch.h"
#include "solve/attempt.h"
#include "solve/judgements.h"

namespace umf {
namespace {

struct Scored {
  Place child;
  double reward = 0;
};

class Beam {
 public:
  Beam(World& world, int action, const TreasureOptions& options, const SolveOptions& limits,
       const Observer& observer);
  Solution finish() &&;

 private:
  Stop explore();
  // Why the search ends with this parent; nothing when it goes on.
  std::optional<Stop> expand(const Place& parent);
  std::optional<Stop> score(const Place& parent, const Branch& branch, std::uint64_t draw,
                            int passes);
  void keep(const Branch& branch, const Verdict& verdict);
  void prune();

  World& world_;
  const int action_, children_;
  const std::size_t width_;
  const SolveOptions& limits_;
  const Observer& observer_;
  std::vector<Scored> beam_;
  std::vector<Scored> scored_;     // of the next level: by parent, then by draw
  std::optional<Candidate> full_;  // the best window without masks
  Solution solution_;
  Ledger& ledger_ = solution_.ledger;
  Lineage lineage_;
  Judgements judgements_;
};

// As many windows as the budget pays for (docs/algorithm.md#treasure).
std::size_t width_of(const World& world, const TreasureOptions& options, long budget) {
  if (options.beam > 0) return options.beam;
  return std::max<long>(budget / std::max(world.root().masks, 1), 1);
}

Beam::Beam(World& world, int action, const TreasureOptions& options, const SolveOptions& limits,
           const Observer& observer)
    : world_(world),
      action_(action),
      children_(options.children),
      width_(width_of(world, options, limits.budget)),
      limits_(limits),
      observer_(observer),
      beam_{{world.root()}},
      lineage_(world.root()),
      judgements_(world, limits.judge_failures, solution_.judge_seconds) {
  ledger_.actions.resize(world.actions());
}

// One turn is one pass for every window of the beam that has masks; the others keep their place.
Stop Beam::explore() {
  const auto open = [](const Scored& window) { return window.child.masks > 0; };
  while (std::ranges::any_of(beam_, open)) {
    for (const Scored& parent : beam_) {
      if (!open(parent)) {
        scored_.push_back(parent);
        continue;
      }
      if (ledger_.nfe >= limits_.budget) return Stop::kBudget;
      if (const std::optional<Stop> stop = expand(parent.child)) return *stop;
    }
    prune();
  }
  return Stop::kExhausted;
}

std::optional<Stop> Beam::expand(const Place& parent) {
  const Branching branching = [&] {
    const Stopwatch stopwatch(solution_.walk_seconds);
    return attempt([&] { return world_.branch(parent.state, action_, children_); });
  }();
  if (!branching.feasible) return std::nullopt;
  ledger_.count_passes(action_, 1);
  if (branching.interrupted) {
    const bool out_of_time = limits_.deadline != nullptr && limits_.deadline->over();
    return out_of_time ? Stop::kTime : Stop::kInterrupted;
  }
  std::uint64_t draw = 0;
  for (const Branch& branch : branching.branches) {
    ++draw;
    if (const auto stop = score(parent, branch, draw, /*passes=*/draw == 1)) return stop;
  }
  return std::nullopt;
}

std::optional<Stop> Beam::score(const Place& parent, const Branch& branch, std::uint64_t draw,
                                int passes) {
  const Trial trial{parent.state, action_, draw};
  Outcome outcome{.path = {branch.child}, .passes = passes};
  if (branch.child.masks > 0) outcome.path.push_back({branch.completion, 0});
  lineage_.add(trial, outcome);
  Verdict verdict;
  try {
    verdict = judgements_.of(branch.completion, ledger_.judged);
  } catch (const Cancelled&) {
    if (!solution_.best) keep(branch, {std::numeric_limits<double>::quiet_NaN(), kNotJudged});
    throw;
  }
  outcome.reward = verdict.reward;
  ledger_.count_miss(world_.model_of(action_));
  ledger_.count_reward(action_, verdict.reward);
  scored_.push_back({branch.child, verdict.reward});
  keep(branch, verdict);
  const bool go_on =
      !observer_ || observer_({trial, outcome, ledger_, solution_.best, lineage_, &verdict});
  if (limits_.stop_at_reward && verdict.reward >= *limits_.stop_at_reward) return Stop::kReward;
  if (!go_on) return Stop::kInterrupted;
  return std::nullopt;
}

void Beam::keep(const Branch& branch, const Verdict& verdict) {
  const Candidate candidate{.end = branch.completion,
                            .reward = verdict.reward,
                            .iteration = ledger_.rollouts(),
                            .actions = {action_},
                            .path = {branch.completion},
                            .why = verdict.why,
                            .tests = verdict.tests};
  const auto offer = [&](std::optional<Candidate>& best) {
    if (!best || better(candidate, *best)) best = candidate;
  };
  offer(solution_.best);
  if (branch.child.masks == 0) offer(full_);
}

// Equal rewards stay in the order of their parents and draws.
void Beam::prune() {
  std::ranges::stable_sort(scored_, [](const Scored& a, const Scored& b) {
    return better({.reward = a.reward}, {.reward = b.reward});
  });
  if (scored_.size() > width_) scored_.resize(width_);
  beam_ = std::exchange(scored_, {});
  solution_.nodes += static_cast<int>(beam_.size());
  solution_.depth += !beam_.empty();
}

Solution Beam::finish() && {
  run_to_end(solution_, [this] { return explore(); });
  // What ended the search by its reward is the answer, also where it is a completion.
  if (full_ && solution_.stopped != Stop::kReward) solution_.best = std::move(full_);
  return std::move(solution_);
}

}  // namespace

Solution treasure(World& world, int action, const TreasureOptions& options,
                  const SolveOptions& limits, const Observer& observer) {
  if (options.children < 1)
    throw Error(fmt::format("treasure needs at least 1 child, not {}", options.children));
  if (options.beam < 0)
    throw Error(fmt::format("the beam must be at least 1, not {}", options.beam));
  if (!limits.curve.empty())
    throw Error("treasure has no curve: its beam depends on the budget. Run it once per budget.");
  return Beam(world, action, options, limits, observer).finish();
}

}  // namespace umf
