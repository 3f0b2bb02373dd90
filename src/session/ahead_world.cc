#include "session/ahead_world.h"

#include <algorithm>

namespace umf {
namespace {

PossibleRewards possible_rewards(const Reward& reward) {
  PossibleRewards possible;
  if (const int parts = reward.parts(); parts > 0) {
    possible = {.values = {}, .between = false};
    for (int i = 0; i <= parts; ++i)
      possible.values.push_back(static_cast<double>(i) / static_cast<double>(parts));
  }
  return possible;
}

}  // namespace

AheadWorld::AheadWorld(States& states, std::vector<Walker> walkers, Reward& reward,
                       WalkObserver observer)
    : states_(states),
      cheap_(reward.cheap()),
      paces_(states.setup().actions().size()),
      pool_(std::move(walkers), std::move(observer), progress_),
      judging_(reward, pool_.size(), progress_) {}

AheadWorld::~AheadWorld() { finish(); }

Outcome AheadWorld::walk(const Trial& trial, int limit) {
  // The same trial once more is cut for a smaller budget; what follows depends on the larger one.
  if (trial != asked_ || limit > limit_) limit_ = limit;
  asked_ = trial;
  while (true) {
    const TaskPointer task = wanted(trial, limit);
    attend([&] { return task->finished(); });
    std::erase(tasks_, task);
    if (task->serves(limit)) return hand_over(*task);
  }
}

// A walk with more to spend is of no use where it would be cut: it is made again.
AheadWorld::TaskPointer AheadWorld::wanted(const Trial& trial, int limit) {
  if (const TaskPointer task = find(trial)) {
    if (task->finished() ? task->serves(limit) : task->limit <= limit) {
      task->want();
      return task;
    }
    drop(task);
  }
  make_room();
  return begin(trial, limit, /*ahead=*/false);
}

AheadWorld::TaskPointer AheadWorld::find(const Trial& trial) const {
  const auto known =
      std::ranges::find_if(tasks_, [&](const TaskPointer& task) { return task->trial == trial; });
  return known == tasks_.end() ? nullptr : *known;
}

AheadWorld::TaskPointer AheadWorld::begin(const Trial& trial, int limit, bool ahead) {
  tasks_.push_back(
      pool_.begin(std::make_shared<WalkTask>(trial, states_.at(trial.from), limit, ahead)));
  return tasks_.back();
}

void AheadWorld::drop(const TaskPointer& task) {
  task->cancel();
  std::erase(tasks_, task);
}

// What is asked for goes before guesses; the one with the fewest passes is the smallest loss.
void AheadWorld::make_room() {
  if (pool_.idle() > 0) return;
  TaskPointer least;
  for (const TaskPointer& task : tasks_) {
    if (!task->finished() && (!least || task->passes() < least->passes())) least = task;
  }
  if (least) drop(least);
}

Outcome AheadWorld::hand_over(WalkTask& task) {
  if (task.ahead) speculation_.used += task.passes();
  task.rethrow();
  if (task.walk().feasible && task.walk().complete) {
    Pace& pace = paces_[task.trial.action];
    pace.masks += states_.masks(task.trial.from);
    pace.passes += task.walk().passes;
  }
  return states_.number(task.walk());
}

Verdict AheadWorld::judge(StateId end) {
  const std::string text = states_.text(end);
  judging_.begin(text);
  attend([&] { return judging_.finished(text); });
  Verdict verdict = judging_.hand_over(text);
  rewards_ += bounded(verdict.reward);
  ++judged_;
  return verdict;
}

template <class Done>
void AheadWorld::attend(const Done& done) {
  while (true) {
    const long seen = progress_.count();
    if (done()) return;
    if (forecast_) look_ahead();
    progress_.wait_beyond(seen);
  }
}

// A pass per mask, or as many masks per pass as the action has shown so far.
long AheadWorld::expected_passes(const Trial& trial) const {
  const long masks = states_.masks(trial.from);
  const Pace& pace = paces_[trial.action];
  return commits_one(trial.action) || pace.masks == 0 ? masks : masks * pace.passes / pace.masks;
}

// Walks get what the budget will probably leave: what they give does not depend on it.
void AheadWorld::look_ahead() {
  const bool to_judge =
      std::ranges::any_of(tasks_, [](const TaskPointer& task) { return task->finished(); });
  if (pool_.idle() <= 0 && !to_judge) return;
  ForecastOptions options{.guesses = pool_.size() > 1};
  if (judged_ > 0) options.likely = rewards_ / static_cast<double>(judged_);
  options.at_most =
      std::min(2 * pool_.size() + 2, std::max(0, pool_.idle()) + static_cast<int>(tasks_.size()));
  long limit = limit_ - expected_passes(asked_);
  for (const auto& [trial, certain] : forecast_(options)) {
    if (limit <= 0) return;
    const TaskPointer task = find(trial);
    if (!task && pool_.idle() > 0) {
      begin(trial, static_cast<int>(limit), /*ahead=*/true);
      speculation_.forced += certain;
    }
    if (task && certain && task->finished() && !task->failed() && task->walk().feasible)
      judging_.begin(states_.text(task->walk().path.back()));
    limit -= expected_passes(trial);
  }
}

Speculation AheadWorld::finish() {
  for (const TaskPointer& task : tasks_) task->cancel();
  tasks_.clear();
  pool_.stop();
  judging_.stop();
  speculation_.passes = pool_.passes_ahead();
  return speculation_;
}

AheadWorld::Forecast forecast_of(const Search& search, const RolloutCache& known,
                                 const States& states, const Reward& reward, bool use_cache) {
  return [&,
          outlook = Outlook{.known = &known,
                            .targets = states.setup().targets(),
                            .masks = [&states](StateId id) { return states.masks(id); },
                            .use_cache = use_cache},
          possible = possible_rewards(reward)](ForecastOptions options) {
    options.possible = possible;
    return search.forecast(outlook, options);
  };
}

}  // namespace umf
