// The states of a search by number, and what they mean.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "decode/state_table.h"
#include "decode/walk.h"
#include "decode/walk_setup.h"

namespace umf {

// One thread at a time.
class States {
 public:
  explicit States(WalkSetup setup);

  const WalkSetup& setup() const { return setup_; }
  int size() const { return table_.size(); }

  // The root is in the ids of the first lexicon.
  WindowState at(StateId id) const { return table_.at(id); }
  int masks(StateId id) const { return table_.masks(id); }
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

  // The id of an equal state, or a new one. States of other walks with the same setup may be given,
  // also those of an earlier run.
  StateId intern(const WindowState& state) { return table_.intern(state); }
  Outcome number(Walk walk);
  // Equal children are merged.
  Branching number(const WindowBranching& branching);

 private:
  Place place(const WindowState& state);

  WalkSetup setup_;
  StateTable table_;
};

}  // namespace umf
