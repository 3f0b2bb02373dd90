// The states of a search by number, and what they mean.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/verdict.h"
#include "decode/walk.h"
#include "decode/walk_setup.h"

namespace umf {

// Stores every state once, its cells one after the other in one array. Equal states have equal ids;
// the root, where all cells of the nominal window are masked, is state 0 in every lexicon. One
// thread at a time.
class States {
 public:
  explicit States(WalkSetup setup);

  const WalkSetup& setup() const { return setup_; }
  int size() const { return static_cast<int>(entries_.size()); }

  // The root is in the ids of the first lexicon.
  WindowState at(StateId id) const;
  int masks(StateId id) const { return entries_[id].masks; }
  const Lexicon& lexicon_of(const WindowState& state) const { return setup_.lexicon_of(state); }

  // The answer in a state: the bytes before the first token that ends it, without special tokens
  // and masks. May be invalid UTF-8.
  std::string text(StateId id) const { return text(at(id)); }
  std::string text(WindowState state) const;

  // The trial's state in the ids of the action's model, as its walk begins; nothing when it does
  // not fit there.
  std::optional<WindowState> enter(const Trial& trial) const {
    return setup_.enter(at(trial.from), trial.action);
  }

  // The id of an equal state, or a new one: of a walk with the same setup, also in an earlier run.
  // When it throws (memory), nothing has changed.
  StateId intern(const WindowState& state);
  Outcome number(const Walk& walk);
  // How the text of a state without masks can be opened again.
  std::vector<Opening> openings(StateId end, const Verdict& verdict);
  // Equal children are merged.
  Branching number(const WindowBranching& branching);

 private:
  struct Entry {
    std::size_t begin;
    int length, masks, lexicon, steps_left, writer;
  };
  std::span<const Token> cells(const Entry& entry) const;
  bool is_root(const WindowState& state, int masks) const;
  bool equal(const Entry& entry, const WindowState& state) const;
  Place place(const WindowState& state);

  WalkSetup setup_;
  std::vector<Token> cells_;  // of all states but the root
  std::vector<Entry> entries_;
  std::unordered_multimap<std::uint64_t, StateId> by_hash_;
};

}  // namespace umf
