#include "search/forced_miss.h"

#include <algorithm>

namespace umf {
namespace {

// Rounding moves a score by some 1e-16, a tie lies 1e-12 from its threshold: what is nearer than
// this to turning is not relied on.
constexpr double kUnsure = 1e-13;

// What the search does next if the running rollouts get certain rewards.
struct Next {
  std::optional<Trial> trial;
  std::vector<double> margins;  // of the comparisons that led there

  bool decided_like(const Next& other) const {
    return std::equal(margins.begin(), margins.end(), other.margins.begin(), other.margins.end(),
                      [](double a, double b) {
                        return (a > kUnsure && b > kUnsure) || (a < -kUnsure && b < -kUnsure);
                      });
  }
};

Next next_after(const UnMaskFork& search, std::span<const Trial> running, const Outlook& outlook,
                std::span<const double> rewards) {
  Next next;
  Rehearsal rehearsal(search, outlook);
  rehearsal.search().record_margins(&next.margins);
  for (std::size_t i = 0; i < running.size(); ++i) {
    if (rehearsal.next_walk() != running[i]) return next;
    rehearsal.suppose(running[i], rewards[i]);
  }
  next.trial = rehearsal.next_walk();
  return next;
}

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
                                 const Outlook& outlook, const PossibleRewards& possible) {
  std::vector<std::size_t> choice(running.size());
  std::vector<double> rewards(running.size(), possible.values.front());
  const Next first = next_after(search, running, outlook, rewards);
  if (!first.trial) return std::nullopt;
  while (advance(choice, possible.values.size())) {
    std::ranges::transform(choice, rewards.begin(),
                           [&](std::size_t digit) { return possible.values[digit]; });
    const Next next = next_after(search, running, outlook, rewards);
    if (next.trial != first.trial) return std::nullopt;
    if (possible.between && !next.decided_like(first)) return std::nullopt;
  }
  return first.trial;
}

}  // namespace umf
