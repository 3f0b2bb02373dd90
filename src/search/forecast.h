// Working ahead: the walks that a search will probably ask for while one is still running.
#pragma once

#include "search/forced_miss.h"

namespace umf {

struct Foreseen {
  Trial trial;
  // Comes next whatever the rewards of all before it turn out to be.
  bool certain = false;
};

struct ForecastRewards {
  double likely = 0.5;  // what a rollout that still runs is taken to be worth
  PossibleRewards possible;
};

// Up to `at_most` walks that follow the trial which `search` has asked for and was not told, in
// order. A guess about when work is worth starting, never about what it gives: a search may turn
// out to ask for something else. Ends where a walk would start from a state that is not there yet.
std::vector<Foreseen> forecast(const Search& search, const Outlook& outlook,
                               const ForecastRewards& rewards, int at_most);

}  // namespace umf
