// Finished rollouts, found again from every state they passed: a repeated trial costs nothing.
#pragma once

#include <optional>
#include <vector>

#include "search/search.h"

namespace umf {

// Keyed by (state, action). Exact because an action is a pure function of the state: the cached end
// is the end that running it again would reach (docs/algorithm.md#cached-ends).
class RolloutCache {
 public:
  // Enters a complete rollout of `trial.action` for the starting state and for every checkpoint on
  // its path but the end. Only trials with draw 0 may be entered. A pair that is known keeps its
  // first entry.
  void insert(const Trial& trial, const Outcome& outcome);
  bool contains(StateId state, int action) const;
  // The outcome of running `action` from `state`: passes 0, cached. `passes_at` tells what it would
  // have cost.
  std::optional<Outcome> find(StateId state, int action) const;

 private:
  // A rollout is stored once; each of its pairs points at where the rest of the path begins.
  struct Entry {
    std::uint64_t key = kEmpty;
    std::uint32_t place = 0, rollout = 0;
  };
  struct Rollout {
    std::uint32_t begin = 0, end = 0;  // its places; one past the last
    double reward = 0;
  };
  static constexpr std::uint64_t kEmpty = ~std::uint64_t{0};

  static std::uint64_t key_of(StateId state, int action);
  std::size_t slot_of(std::uint64_t key) const;  // where the key is, or where it would go
  bool enter(const Entry& entry);                // false: known already
  void grow();

  std::vector<Entry>
      table_;  // open addressing with linear probing; a power of two, at most half full
  std::size_t used_ = 0;
  std::vector<Place> places_;  // the paths, one behind the other
  std::vector<int> passes_;    // that lead there from the start of their rollout
  std::vector<Rollout> rollouts_;
};

}  // namespace umf
