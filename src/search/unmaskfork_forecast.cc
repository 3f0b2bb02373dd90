// What UnMaskFork will ask for next, and how much of it is certain.
#include <cmath>

#include "base/elementary.h"
#include "search/forced_miss.h"

namespace umf {
namespace {

// Whether a walk is forced is asked for the first few: every further one doubles the copies.
constexpr std::size_t kSurelyAhead = 3;
constexpr double kMostReplays = 256;

void mark_certain(std::vector<Foreseen>& found, const UnMaskFork& search, const Outlook& outlook,
                  const PossibleRewards& possible) {
  const std::optional<Trial> asked = Rehearsal(search, outlook).next_walk();
  if (!asked) return;
  std::vector<Trial> running = {*asked};
  for (Foreseen& next : found) {
    if (running.size() > kSurelyAhead) return;
    const bool few = elementary::pow(possible.values.size(), running.size()) <= kMostReplays;
    // Whatever a judge may say lies between 0 and 1, as searches count it.
    const auto forced = forced_miss(search, running, outlook, few ? possible : PossibleRewards{});
    if (forced != next.trial) return;
    next.certain = true;
    running.push_back(next.trial);
  }
}

}  // namespace

std::vector<Foreseen> UnMaskFork::forecast(const Outlook& outlook,
                                           const ForecastOptions& options) const {
  std::vector<Foreseen> found = rehearse(*this, outlook, options);
  mark_certain(found, *this, outlook, options.possible);
  if (!options.guesses) std::erase_if(found, [](const Foreseen& next) { return !next.certain; });
  return found;
}

}  // namespace umf
