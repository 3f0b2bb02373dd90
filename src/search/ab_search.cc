#include "search/ab_search.h"

namespace umf {

std::optional<Trial> AbSearch::ask() {
  if (pending_ || !tree_.open(0)) return pending_;
  Draws draws(seed_, told_);
  generating_ = 0;
  AbChoice choice = choose(generating_, draws);
  while (choice.child >= 0) {
    generating_ = choice.child;
    choice = choose(generating_, draws);
  }
  pending_ = Trial{tree_[generating_].place.state, choice.action, told_ + 1};
  return pending_;
}

void AbSearch::tell(const Trial& trial, const Outcome& outcome) {
  pending_.reset();
  ++told_;
  if (!outcome.feasible || outcome.path.empty()) {
    tree_.forbid(generating_, trial.action);
  } else {
    learn(tree_.add(generating_, trial.action, outcome));
  }
}

}  // namespace umf
