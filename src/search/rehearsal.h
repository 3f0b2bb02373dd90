// Playing a search on before its rollouts have ended: what would it ask for next?
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "search/rollout_cache.h"
#include "search/search.h"

namespace umf {

// What is known of the world while rollouts still run.
struct Outlook {
  const RolloutCache* known = nullptr;  // of the run
  std::span<const int> targets;         // masks at the checkpoints, falling
  std::function<int(StateId)> masks;    // of a state that was reached
  bool use_cache = true;                // off: known trials are walked again
  int first_action = 0;                 // what the cache calls action 0 of the search
};

// A copy of a search that is told supposed rewards. The checkpoints of a supposed rollout have
// negative ids: what is known of them is how many masks they have and that their action goes on.
template <class Searching>
class Rehearsal {
 public:
  Rehearsal(const Searching& search, const Outlook& outlook) : search_(search), outlook_(outlook) {}
  Rehearsal(const Rehearsal&) = delete;

  Searching& search() { return search_; }

  // The next trial that will be walked; nothing when none is left, or when it starts from a state
  // that is not there yet.
  std::optional<Trial> next_walk() {
    while (const std::optional<Trial> trial = search_.ask()) {
      const std::optional<Outcome> outcome = recall(*trial);
      if (!outcome) return trial->from < 0 ? std::nullopt : trial;
      search_.tell(*trial, *outcome);
    }
    return std::nullopt;
  }

  // Goes on as if the trial that was asked for last had run to its end and got `reward`.
  void suppose(const Trial& trial, double reward) {
    supposed_.push_back({trial, reward});
    search_.tell(trial, rest_of(supposed_.size() - 1, masks_at(trial.from)));
  }

 private:
  struct Supposed {
    Trial trial;
    double reward;
  };

  std::optional<Outcome> recall(const Trial& trial) const {
    if (!outlook_.use_cache || trial.draw != 0) return std::nullopt;
    if (trial.from >= 0)
      return outlook_.known->find(trial.from, outlook_.first_action + trial.action);
    const std::size_t rollout = (-1 - trial.from) / stride();
    if (supposed_[rollout].trial.action != trial.action) return std::nullopt;
    return rest_of(rollout, masks_at(trial.from));
  }

  int masks_at(StateId state) const {
    return state >= 0 ? outlook_.masks(state) : target((-1 - state) % stride());
  }
  int target(std::size_t index) const {
    return index < outlook_.targets.size() ? outlook_.targets[index] : 0;
  }
  std::size_t stride() const { return outlook_.targets.size() + 1; }

  // A supposed rollout from where `masks` are left.
  Outcome rest_of(std::size_t rollout, int masks) const {
    Outcome outcome;
    for (std::size_t i = 0; i < stride(); ++i) {
      if (target(i) >= masks) continue;
      outcome.path.push_back({static_cast<StateId>(-1 - (rollout * stride() + i)), target(i)});
    }
    outcome.reward = supposed_[rollout].reward;
    return outcome;
  }

  Searching search_;
  const Outlook& outlook_;
  std::vector<Supposed> supposed_;
};

}  // namespace umf
