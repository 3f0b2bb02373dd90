// Working ahead: the walks that a search will probably ask for while one is still running.
#pragma once

#include <vector>

#include "search/rehearsal.h"

namespace umf {

struct Foreseen {
  Trial trial;
  // Comes next whatever the rewards of all before it turn out to be.
  bool certain = false;
};

struct PossibleRewards {
  std::vector<double> values = {0, 1};
  // Every reward between these is possible too, not only they.
  bool between = true;
};

struct ForecastOptions {
  double likely = 0.5;  // what a rollout that still runs is taken to be worth
  int at_most = 1;
  bool guesses = true;       // off: only walks that are certain
  PossibleRewards possible;  // what may be certain depends on them
};

// The forecast of a search that can be copied: what a copy asks for when it is told likely rewards.
template <class Searching>
std::vector<Foreseen> rehearse(const Searching& search, const Outlook& outlook,
                               const ForecastOptions& options, bool certain = false) {
  std::vector<Foreseen> found;
  Rehearsal rehearsal(search, outlook);
  std::optional<Trial> trial = rehearsal.next_walk();
  while (trial && static_cast<int>(found.size()) < options.at_most) {
    rehearsal.suppose(*trial, options.likely);
    trial = rehearsal.next_walk();
    if (trial) found.push_back({*trial, certain});
  }
  return found;
}

// The same where nothing of it is certain.
template <class Searching>
std::vector<Foreseen> guess(const Searching& search, const Outlook& outlook,
                            const ForecastOptions& options) {
  return options.guesses ? rehearse(search, outlook, options) : std::vector<Foreseen>{};
}

}  // namespace umf
