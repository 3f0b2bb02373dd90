// Where states come from: the masks they have left and the actions that lead to them.
#pragma once

#include <unordered_map>
#include <vector>

#include "search/trial.h"

namespace umf {

class Lineage {
 public:
  explicit Lineage(Place root) { known_[root.state] = {root.state, kRoot, root.masks}; }

  // The states on the path follow each other from `trial.from`. Where two paths meet, the first
  // stays.
  void add(const Trial& trial, const Outcome& outcome);
  // States that an end was opened to: what leads to the end leads to them.
  void add_openings(StateId end, const std::vector<Opening>& openings);
  int masks(StateId state) const { return known_.at(state).masks; }
  std::vector<int> actions(StateId state) const;     // from the root, one per level
  std::vector<StateId> states(StateId state) const;  // that these lead to, `state` the last

 private:
  static constexpr int kRoot = -1, kOpened = -2;
  struct Origin {
    StateId parent = 0;
    int action = -1;  // kRoot, kOpened or an action
    int masks = 0;
  };
  std::unordered_map<StateId, Origin> known_;
};

}  // namespace umf
