// States of the window by number: equal states have equal ids.
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "base/token.h"
#include "search/trial.h"

namespace umf {

// What decides the future of a rollout.
struct WindowState {
  int lexicon = 0;  // which of the run's lexicons the cells' ids belong to
  std::vector<Token> cells;
  int steps_left = 0;  // of the rule that counts them (origin); otherwise 0
  bool operator==(const WindowState&) const = default;
};

// Stores every state once, its cells one after the other in one array. The root, where all cells of
// the nominal window are masked, is state 0 in every lexicon. One thread at a time.
class StateTable {
 public:
  // `masks`: the mask token of each lexicon.
  StateTable(int window, std::vector<Token> masks);

  // The id of an equal state, or a new one. When it throws (memory), the table is as before.
  StateId intern(const WindowState& state);
  // The root is in the first lexicon.
  WindowState at(StateId id) const;
  int masks(StateId id) const { return entries_[id].masks; }
  int size() const { return static_cast<int>(entries_.size()); }

 private:
  struct Entry {
    std::size_t begin;
    int length, masks, lexicon, steps_left;
  };
  std::span<const Token> cells(const Entry& entry) const;
  bool is_root(const WindowState& state, int masks) const;
  bool equal(const Entry& entry, const WindowState& state) const;

  int window_;
  std::vector<Token> masks_;
  std::vector<Token> cells_;  // of all states but the root
  std::vector<Entry> entries_;
  std::unordered_multimap<std::uint64_t, StateId> by_hash_;
};

}  // namespace umf
