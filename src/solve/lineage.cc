#include "solve/lineage.h"

#include <algorithm>

namespace umf {

void Lineage::add(const Trial& trial, const Outcome& outcome) {
  StateId parent = trial.from;
  for (const Place& place : outcome.path) {
    known_.try_emplace(place.state, Origin{parent, trial.action, place.masks});
    parent = place.state;
  }
}

void Lineage::add_openings(StateId end, const std::vector<Opening>& openings) {
  for (const Opening& opening : openings)
    known_.try_emplace(opening.place.state, Origin{end, kOpened, opening.place.masks});
}

std::vector<int> Lineage::actions(StateId state) const {
  std::vector<int> found;
  for (Origin origin = known_.at(state); origin.action != kRoot;
       origin = known_.at(origin.parent)) {
    if (origin.action != kOpened) found.push_back(origin.action);
  }
  std::reverse(found.begin(), found.end());
  return found;
}

std::vector<StateId> Lineage::states(StateId state) const {
  std::vector<StateId> found;
  for (Origin origin = known_.at(state); origin.action != kRoot;
       origin = known_.at(origin.parent)) {
    if (origin.action != kOpened) found.push_back(state);
    state = origin.parent;
  }
  std::reverse(found.begin(), found.end());
  return found;
}

}  // namespace umf
