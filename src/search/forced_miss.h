// Working ahead: which rollout comes next, whatever the rewards of those that still run.
#pragma once

#include <span>

#include "search/forecast.h"
#include "search/unmaskfork.h"

namespace umf {

// The next miss after `running`, if it is the same for all their rewards and starts from a state
// that is known already; otherwise nothing. `running` are the trial that `search` asked for and the
// misses that were forced after it, in this order (docs/algorithm.md#working-ahead).
//
// Every score is an affine function of the rewards that are missing, so a comparison that comes out
// the same at all extremes comes out the same in between. Right as long as a running rollout passes
// no state that another has passed; where paths do meet, the named trial may turn out not to be the
// next one: consume results in the order in which the search asks for them. Copies the search
// 2^running times.
std::optional<Trial> forced_miss(const UnMaskFork& search, std::span<const Trial> running,
                                 const Outlook& outlook, const PossibleRewards& rewards = {});

}  // namespace umf
