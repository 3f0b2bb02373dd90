#include "solve/ask_tell.h"

#include <fmt/core.h>

#include <algorithm>
#include <climits>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>
#include <unordered_map>

#include "base/cancelled.h"
#include "base/error.h"
#include "search/forecast.h"

namespace umf {

class AskTell::World final : public umf::World {
 public:
  explicit World(const AskTellOptions& options);
  ~World() override;

  Place root() const override { return {0, options_.steps}; }
  int actions() const override { return options_.actions; }
  int model_of(int action) const override { return action; }
  Outcome walk(const Trial& trial, int limit) override;
  Verdict judge(StateId end) override;

  std::vector<Asked> ask(int at_most);
  void tell(const Trial& trial, const std::vector<StateId>& states, Verdict verdict);
  Solution solution() const;
  bool ended() const;

 private:
  struct Told {
    Trial trial;
    Outcome outcome;
    Verdict verdict;
  };

  void run();
  bool observe(const RolloutEvent& event);
  std::vector<Foreseen> forecast(int at_most) const;
  Told* find_told(const Trial& trial);
  Outcome checked(const Trial& trial, const std::vector<StateId>& states) const;
  Asked asked(const Trial& trial, int limit, bool certain) const {
    const int steps = masks_.at(trial.from);
    return {trial, steps, std::min(steps, limit), certain};
  }

  const AskTellOptions options_;
  const SearchEntry& entry_;
  std::vector<int> targets_;  // every step is a checkpoint
  mutable std::mutex mutex_;
  std::condition_variable to_search_, to_caller_;
  // While the search waits in walk() the caller's threads may look at it and at what it knows.
  const Search* search_ = nullptr;
  const RolloutCache* known_ = nullptr;
  std::optional<Asked> wanted_;  // what the search waits for
  std::vector<Trial> handed_out_;
  std::vector<Told> told_;  // and not taken by the search yet
  std::unordered_map<StateId, int> masks_;
  std::unordered_map<StateId, Verdict> verdicts_;
  double rewards_ = 0;
  long judged_ = 0;
  bool closing_ = false, ended_ = false;
  Solution solution_;
  std::exception_ptr failure_;
  std::thread thread_;  // last: it uses the above
};

AskTell::World::World(const AskTellOptions& options)
    : options_(options), entry_(find_search(options.search)) {
  if (options.actions < 1 || options.steps < 1)
    throw Error("a search needs one action and one step at least");
  if (entry_.make == nullptr)
    throw Error(fmt::format("search '{}' goes pass by pass: it needs models and cannot be asked",
                            entry_.facts.name));
  for (int masks = options.steps - 1; masks > 0; --masks) targets_.push_back(masks);
  masks_[0] = options.steps;
  solution_.ledger.actions.resize(options.actions);
  check_search(entry_, {.root = root(),
                        .actions = options.actions,
                        .seed = options.seed,
                        .budget = options.solve.budget,
                        .options = options.options});
  thread_ = std::thread([this] { run(); });
}

AskTell::World::~World() {
  {
    const std::lock_guard lock(mutex_);
    closing_ = true;
  }
  to_search_.notify_all();
  thread_.join();
}

void AskTell::World::run() {
  Solution solution;
  std::exception_ptr failure;
  try {
    solution = run_search(
        entry_,
        {.root = root(),
         .actions = options_.actions,
         .seed = options_.seed,
         .budget = options_.solve.budget,
         .options = options_.options},
        *this, options_.solve, [this](const RolloutEvent& event) { return observe(event); },
        [this](const Search& search, const RolloutCache& known) {
          const std::lock_guard lock(mutex_);
          search_ = &search;
          known_ = &known;
        });
    if (solution.stopped == Stop::kError) throw Error(solution.message);
  } catch (...) {
    failure = std::current_exception();
  }
  const std::lock_guard lock(mutex_);
  search_ = nullptr;
  solution_ = std::move(solution);
  failure_ = failure;
  ended_ = true;
  to_caller_.notify_all();
}

bool AskTell::World::observe(const RolloutEvent& event) {
  const std::lock_guard lock(mutex_);
  solution_.best = event.best;
  solution_.ledger = event.ledger;
  return true;
}

Outcome AskTell::World::walk(const Trial& trial, int limit) {
  std::unique_lock lock(mutex_);
  while (true) {
    if (closing_) throw Cancelled();
    if (Told* const known = find_told(trial)) {
      Told told = std::move(*known);
      told_.erase(told_.begin() + (known - told_.data()));
      // A walk that has been made for more than there is left is of no use: it is made again.
      if (told.outcome.passes <= limit) {
        std::erase(handed_out_, trial);
        wanted_.reset();
        if (told.outcome.feasible)
          verdicts_.try_emplace(told.outcome.path.back().state, std::move(told.verdict));
        return std::move(told.outcome);
      }
    }
    wanted_ = asked(trial, limit, /*certain=*/true);
    to_caller_.notify_all();
    to_search_.wait(lock);
  }
}

Verdict AskTell::World::judge(StateId end) {
  const std::lock_guard lock(mutex_);
  const Verdict& verdict = verdicts_.at(end);
  rewards_ += bounded(verdict.reward);
  ++judged_;
  return verdict;
}

std::vector<Foreseen> AskTell::World::forecast(int at_most) const {
  const Outlook outlook{.known = known_,
                        .targets = targets_,
                        .masks = [this](StateId state) { return masks_.at(state); },
                        .use_cache = options_.solve.use_cache};
  ForecastOptions options{.at_most = at_most};
  if (judged_ > 0) options.likely = rewards_ / static_cast<double>(judged_);
  return search_->forecast(outlook, options);
}

std::vector<AskTell::Asked> AskTell::World::ask(int at_most) {
  if (at_most < 1) throw Error(fmt::format("ask for one trial at least, not {}", at_most));
  std::unique_lock lock(mutex_);
  to_caller_.wait(lock, [this] { return wanted_ || ended_; });
  if (failure_) std::rethrow_exception(failure_);
  if (ended_) return {};
  std::vector<Asked> list = {*wanted_};
  if (at_most > 1) {
    for (const auto& [trial, certain] : forecast(at_most - 1 + static_cast<int>(told_.size()))) {
      if (std::cmp_equal(list.size(), at_most)) break;
      const bool listed =
          std::ranges::any_of(list, [&](const Asked& other) { return other.trial == trial; });
      if (!listed && find_told(trial) == nullptr) list.push_back(asked(trial, INT_MAX, certain));
    }
  }
  for (const Asked& one : list) {
    if (std::ranges::find(handed_out_, one.trial) == handed_out_.end())
      handed_out_.push_back(one.trial);
  }
  return list;
}

AskTell::World::Told* AskTell::World::find_told(const Trial& trial) {
  const auto found = std::ranges::find(told_, trial, &Told::trial);
  return found == told_.end() ? nullptr : &*found;
}

Outcome AskTell::World::checked(const Trial& trial, const std::vector<StateId>& states) const {
  int masks = masks_.at(trial.from);
  Outcome outcome;
  if (states.empty()) {
    outcome.complete = outcome.feasible = false;
    return outcome;
  }
  if (std::cmp_greater(states.size(), masks))
    throw Error(fmt::format("a walk from here has {} steps at most, not {}", masks, states.size()));
  for (const StateId state : states) {
    --masks;
    if (state <= 0) throw Error(fmt::format("a state after a step is above 0, not {}", state));
    const auto known = masks_.find(state);
    if (known != masks_.end() && known->second != masks)
      throw Error(fmt::format("state {} had {} steps left before, and now it has {}", state,
                              known->second, masks));
    outcome.path.push_back({state, masks});
    outcome.passes_at.push_back(++outcome.passes);
  }
  outcome.equivalents = outcome.passes;
  outcome.complete = masks == 0;
  return outcome;
}

void AskTell::World::tell(const Trial& trial, const std::vector<StateId>& states, Verdict verdict) {
  const std::lock_guard lock(mutex_);
  if (ended_) return;  // it was begun ahead and is not needed any more
  if (std::ranges::find(handed_out_, trial) == handed_out_.end())
    throw Error("this trial was not asked for, or has been told already");
  if (find_told(trial) != nullptr) throw Error("this trial has been told already");
  Outcome outcome = checked(trial, states);
  const bool waited_for = wanted_ && wanted_->trial == trial;
  const int limit = waited_for ? wanted_->limit : INT_MAX;
  if (outcome.passes > limit)
    throw Error(fmt::format("the walk may make {} steps, not {}", limit, outcome.passes));
  if (outcome.feasible && !outcome.complete && (!waited_for || outcome.passes < limit))
    throw Error(fmt::format("the walk ends {} steps before its end", outcome.path.back().masks));
  for (const Place& place : outcome.path) masks_.try_emplace(place.state, place.masks);
  told_.push_back({trial, std::move(outcome), std::move(verdict)});
  if (waited_for) wanted_.reset();
  to_search_.notify_all();
}

Solution AskTell::World::solution() const {
  const std::lock_guard lock(mutex_);
  return solution_;
}

bool AskTell::World::ended() const {
  const std::lock_guard lock(mutex_);
  return ended_;
}

AskTell::AskTell(const AskTellOptions& options) : world_(std::make_unique<World>(options)) {}
AskTell::~AskTell() = default;

std::vector<AskTell::Asked> AskTell::ask(int at_most) { return world_->ask(at_most); }
void AskTell::tell(const Trial& trial, const std::vector<StateId>& states, Verdict verdict) {
  world_->tell(trial, states, std::move(verdict));
}
Solution AskTell::solution() const { return world_->solution(); }
bool AskTell::ended() const { return world_->ended(); }

}  // namespace umf
