#include "search/forced_miss.h"

#include <algorithm>
#include <cmath>

namespace umf {
namespace {

// Rounding moves a score by some 1e-16, a tie lies 1e-12 from its threshold: what is nearer than
// this to turning is not relied on.
constexpr double kUnsure = 1e-13;

// What the search does next if the running rollouts get certain rewards.
class Replay {
 public:
  Replay(const UnMaskFork& search, std::span<const Trial> running, const RolloutCache& known,
         std::span<const int> targets, std::span<const double> rewards)
      : search_(search), running_(running), known_(known), targets_(targets), rewards_(rewards) {
    search_.record_margins(&margins_);
    next_ = find_next();
  }
  Replay(const Replay&) = delete;

  const std::optional<Trial>& next() const { return next_; }
  bool decides_like(const Replay& other) const {
    return std::equal(margins_.begin(), margins_.end(), other.margins_.begin(),
                      other.margins_.end(), [](double a, double b) {
                        return (a > kUnsure && b > kUnsure) || (a < -kUnsure && b < -kUnsure);
                      });
  }

 private:
  std::optional<Trial> find_next() {
    std::size_t told = 0;
    while (const std::optional<Trial> trial = search_.ask()) {
      const int masks = search_.node(search_.selected()).masks;
      if (told < running_.size() && *trial == running_[told]) {
        search_.tell(*trial, outcome_of(told++, masks));
      } else if (trial->from < 0) {
        const std::size_t rollout = (-1 - trial->from) / stride();
        if (trial->action != running_[rollout].action)
          return std::nullopt;  // its start is not known yet
        search_.tell(*trial, outcome_of(rollout, masks));
      } else if (const auto outcome = known_.find(trial->from, trial->action)) {
        search_.tell(*trial, *outcome);
      } else {
        return told == running_.size() ? trial : std::nullopt;
      }
    }
    return std::nullopt;
  }

  // The rest of a running rollout, from where `masks` are left: its states have placeholders for
  // ids.
  Outcome outcome_of(std::size_t rollout, int masks) const {
    Outcome outcome;
    for (std::size_t i = 0; i <= targets_.size(); ++i) {
      const int target = i < targets_.size() ? targets_[i] : 0;
      const auto id = static_cast<StateId>(-1 - (rollout * stride() + i));
      if (target < masks) outcome.path.push_back({id, target});
    }
    outcome.reward = rewards_[rollout];
    return outcome;
  }
  std::size_t stride() const { return targets_.size() + 1; }

  UnMaskFork search_;
  std::span<const Trial> running_;
  const RolloutCache& known_;
  std::span<const int> targets_;
  std::span<const double> rewards_;
  std::vector<double> margins_;
  std::optional<Trial> next_;
};

// The next way to give each rollout one of `values`, like counting; false after the last.
bool advance(std::vector<std::size_t>& choice, std::size_t values) {
  for (std::size_t& digit : choice) {
    if (++digit < values) return true;
    digit = 0;
  }
  return false;
}

}  // namespace

std::optional<Trial> forced_miss(const UnMaskFork& search, std::span<const Trial> running,
                                 const RolloutCache& known, std::span<const int> targets,
                                 const PossibleRewards& possible) {
  std::vector<std::size_t> choice(running.size());
  const std::vector<double> start(running.size(), possible.values.front());
  const Replay first(search, running, known, targets, start);
  if (!first.next()) return std::nullopt;
  do {
    std::vector<double> rewards;
    for (const std::size_t digit : choice) rewards.push_back(possible.values[digit]);
    const Replay replay(search, running, known, targets, rewards);
    if (replay.next() != first.next()) return std::nullopt;
    if (possible.between && !replay.decides_like(first)) return std::nullopt;
  } while (advance(choice, possible.values.size()));
  return first.next();
}

}  // namespace umf
