#include "session/crew.h"

#include <utility>

namespace umf {

// A walk depends on its trial alone, so one that had less to spend than allowed now serves if it
// came to its end, and one that had more if it did not need it.
bool Walk::serves(int most) const {
  if (limit == most) return true;
  if (error_) return limit < most;
  if (outcome_.complete || !outcome_.feasible) return outcome_.passes <= most;
  return outcome_.passes < limit;  // the observer ended it
}

Crew::Crew(std::vector<Walker*> walkers, WalkObserver observer, Bell& bell)
    : walkers_(std::move(walkers)),
      observer_(std::move(observer)),
      bell_(bell),
      threads_(static_cast<int>(walkers_.size())) {}

std::shared_ptr<Walk> Crew::begin(std::shared_ptr<Walk> walk) {
  ++busy_;
  threads_.submit([this, walk](int thread) { run(*walk, *walkers_[thread]); });
  return walk;
}

void Crew::run(Walk& walk, Walker& walker) {
  try {
    if (!walk.cancelled_) walk_on(walk, walker);
  } catch (...) {
    walk.error_ = std::current_exception();
  }
  --busy_;
  walk.finished_.store(true, std::memory_order_release);
  bell_.ring();
}

void Crew::walk_on(Walk& walk, Walker& walker) {
  const Trial trial{walker.restore(walk.from_), walk.trial.action, walk.trial.draw};
  walk.outcome_ = walker.walk(
      trial, walk.limit, [&](auto window, auto commits) { return observe(walk, window, commits); });
  for (const Place& place : walk.outcome_.path) walk.states_.push_back(walker.state(place.state));
  if (!walk.outcome_.path.empty()) walk.text_ = walker.text(walk.outcome_.path.back().state);
}

bool Crew::observe(Walk& walk, std::span<const Token> window, std::span<const Commit> commits) {
  ++walk.passes_;
  if (walk.ahead) ++passes_ahead_;
  if (walk.cancelled_) return false;
  return !walk.wanted_ || !observer_ || observer_(window, commits);
}

}  // namespace umf
