#include "search/forecast.h"

#include <cmath>

#include "search/ab_mcts_a.h"
#include "search/ab_mcts_m.h"
#include "search/best_of_n.h"
#include "search/dts.h"
#include "search/pair.h"

namespace umf {
namespace {

// Whether a walk is forced is asked for the first few: every further one doubles the copies.
constexpr std::size_t kSurelyAhead = 3;
constexpr double kMostReplays = 256;

template <class Searching>
std::vector<Foreseen> rehearse(const Searching& search, const Outlook& outlook, double reward,
                               int at_most, bool certain = false) {
  std::vector<Foreseen> found;
  Rehearsal rehearsal(search, outlook);
  std::optional<Trial> trial = rehearsal.next_walk();
  while (trial && static_cast<int>(found.size()) < at_most) {
    rehearsal.suppose(*trial, reward);
    trial = rehearsal.next_walk();
    if (trial) found.push_back({*trial, certain});
  }
  return found;
}

void mark_certain(std::vector<Foreseen>& found, const UnMaskFork& search, const Outlook& outlook,
                  const PossibleRewards& possible) {
  const std::optional<Trial> asked = Rehearsal(search, outlook).next_walk();
  if (!asked) return;
  std::vector<Trial> running = {*asked};
  for (Foreseen& next : found) {
    if (running.size() > kSurelyAhead) return;
    const bool few = std::pow(possible.values.size(), running.size()) <= kMostReplays;
    // Whatever a judge may say lies between 0 and 1, as searches count it.
    const auto forced = forced_miss(search, running, outlook, few ? possible : PossibleRewards{});
    if (forced != next.trial) return;
    next.certain = true;
    running.push_back(next.trial);
  }
}

std::vector<Foreseen> forecast_turn(const Pair& pair, Outlook outlook,
                                    const ForecastRewards& rewards, int at_most) {
  outlook.first_action += pair.turn_action();
  std::vector<Foreseen> found = forecast(pair.turn(), outlook, rewards, at_most);
  for (Foreseen& next : found) next.trial.action += pair.turn_action();
  return found;
}

}  // namespace

// By what the search is, so that the seam that all searches share stays as narrow as it is.
std::vector<Foreseen> forecast(const Search& search, const Outlook& outlook,
                               const ForecastRewards& rewards, int at_most) {
  const auto guess = [&](const auto& known) {
    return rehearse(known, outlook, rewards.likely, at_most);
  };
  if (const auto* tree = dynamic_cast<const UnMaskFork*>(&search)) {
    std::vector<Foreseen> found = guess(*tree);
    mark_certain(found, *tree, outlook, rewards.possible);
    return found;
  }
  if (const auto* samples = dynamic_cast<const BestOfN*>(&search))
    return rehearse(*samples, outlook, rewards.likely, at_most, /*certain=*/true);
  if (const auto* pair = dynamic_cast<const Pair*>(&search))
    return forecast_turn(*pair, outlook, rewards, at_most);
  if (const auto* tree = dynamic_cast<const Dts*>(&search)) return guess(*tree);
  if (const auto* tree = dynamic_cast<const AbMctsM*>(&search)) return guess(*tree);
  if (const auto* tree = dynamic_cast<const AbMctsA*>(&search)) return guess(*tree);
  return {};
}

}  // namespace umf
