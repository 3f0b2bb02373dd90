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

AheadWorld::AheadWorld(Walker& states, std::vector<Walker*> crew, Reward& reward,
                       WalkObserver observer)
    : states_(states),
      crew_(std::move(crew), std::move(observer), bell_),
      judging_(reward, crew_.size(), bell_) {}

AheadWorld::~AheadWorld() { finish(); }

Outcome AheadWorld::walk(const Trial& trial, int limit) {
  // The same trial once more is cut for a smaller budget; what follows depends on the larger one.
  if (trial != asked_ || limit > limit_) limit_ = limit;
  asked_ = trial;
  while (true) {
    const WalkPointer walk = wanted(trial, limit);
    attend([&] { return walk->finished(); });
    std::erase(walks_, walk);
    if (walk->serves(limit)) return hand_over(*walk);
  }
}

// A walk with more to spend is of no use where it would be cut: it is made again.
AheadWorld::WalkPointer AheadWorld::wanted(const Trial& trial, int limit) {
  if (const WalkPointer walk = find(trial)) {
    if (walk->finished() ? walk->serves(limit) : walk->limit <= limit) {
      walk->want();
      return walk;
    }
    drop(walk);
  }
  make_room();
  return begin(trial, limit, /*ahead=*/false);
}

AheadWorld::WalkPointer AheadWorld::find(const Trial& trial) const {
  const auto known =
      std::ranges::find_if(walks_, [&](const WalkPointer& walk) { return walk->trial == trial; });
  return known == walks_.end() ? nullptr : *known;
}

AheadWorld::WalkPointer AheadWorld::begin(const Trial& trial, int limit, bool ahead) {
  walks_.push_back(
      crew_.begin(std::make_shared<Walk>(trial, states_.state(trial.from), limit, ahead)));
  return walks_.back();
}

void AheadWorld::drop(const WalkPointer& walk) {
  walk->cancel();
  std::erase(walks_, walk);
}

// What is asked for goes before guesses; the one with the fewest passes is the smallest loss.
void AheadWorld::make_room() {
  if (crew_.idle() > 0) return;
  WalkPointer least;
  for (const WalkPointer& walk : walks_) {
    if (!walk->finished() && (!least || walk->passes() < least->passes())) least = walk;
  }
  if (least) drop(least);
}

Outcome AheadWorld::hand_over(Walk& walk) {
  if (walk.ahead) speculation_.used += walk.passes();
  walk.rethrow();
  Outcome outcome = walk.outcome();
  for (std::size_t i = 0; i < outcome.path.size(); ++i)
    outcome.path[i].state = states_.restore(walk.states()[i]);
  return outcome;
}

Verdict AheadWorld::judge(StateId end) {
  const std::string text = states_.text(end);
  judging_.begin(text);
  attend([&] { return judging_.finished(text); });
  const Verdict& verdict = judging_.verdict(text);
  rewards_ += bounded(verdict.reward);
  ++judged_;
  return verdict;
}

template <class Done>
void AheadWorld::attend(const Done& done) {
  while (true) {
    const long seen = bell_.rings();
    if (done()) return;
    if (forecast_) look_ahead();
    bell_.wait_beyond(seen);
  }
}

// Walks get what the budget will leave if all before them spend a pass per mask; some spend less.
void AheadWorld::look_ahead() {
  const bool to_judge =
      std::ranges::any_of(walks_, [](const WalkPointer& walk) { return walk->finished(); });
  if (crew_.idle() <= 0 && !to_judge) return;
  ForecastOptions options{.guesses = crew_.size() > 1};
  if (judged_ > 0) options.likely = rewards_ / static_cast<double>(judged_);
  options.at_most =
      std::min(2 * crew_.size() + 2, std::max(0, crew_.idle()) + static_cast<int>(walks_.size()));
  long limit = limit_ - states_.masks(asked_.from);
  for (const auto& [trial, certain] : forecast_(options)) {
    if (limit <= 0) return;
    const WalkPointer walk = find(trial);
    if (!walk && crew_.idle() > 0) {
      begin(trial, static_cast<int>(limit), /*ahead=*/true);
      speculation_.forced += certain;
    }
    if (walk && certain && walk->finished() && !walk->failed() && walk->outcome().feasible)
      judging_.begin(walk->text());
    limit -= states_.masks(trial.from);
  }
}

Speculation AheadWorld::finish() {
  for (const WalkPointer& walk : walks_) walk->cancel();
  walks_.clear();
  crew_.stop();
  judging_.stop();
  speculation_.passes = crew_.passes_ahead();
  return speculation_;
}

AheadWorld::Forecast forecast_of(const Search& search, const RolloutCache& known,
                                 const Walker& states, const Reward& reward, bool use_cache) {
  return [&,
          outlook = Outlook{.known = &known,
                            .targets = states.targets(),
                            .masks = [&states](StateId id) { return states.masks(id); },
                            .use_cache = use_cache},
          possible = possible_rewards(reward)](ForecastOptions options) {
    options.possible = possible;
    return search.forecast(outlook, options);
  };
}

}  // namespace umf
