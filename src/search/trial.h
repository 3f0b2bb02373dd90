// The plain values that decoding and searching share: states by number, trials and their outcomes.
#pragma once

#include <cstdint>
#include <vector>

#include "base/token.h"

namespace umf {

// A state of the window. Equal states have equal ids; 0 is the root, where every cell is masked.
using StateId = std::int32_t;

// A state on a path, and how many masks are left there.
struct Place {
  StateId state = 0;
  int masks = 0;
  bool operator==(const Place&) const = default;
};

// Start at a state and stay with one action to the end.
struct Trial {
  StateId from = 0;
  int action = 0;  // index into the run's list; the first is the strongest
  // 0: the noise of the state, so that the same trial gives the same path again. Otherwise the
  // number of a fresh draw: searches that sample several children by one action count up.
  std::uint64_t draw = 0;
  bool operator==(const Trial&) const = default;
};

// What a pass put into a cell; the mask where it was masked again.
struct Write {
  int pass = 0;  // of its walk, from 1; 0: before the first
  int cell = 0;  // of the window
  Token token = 0;
  int model = 0;    // whose it is
  int lexicon = 0;  // whose ids token and window are in
  bool operator==(const Write&) const = default;
};

// A finished text with some cells masked again, to be filled by another action.
struct Opening {
  enum class Kind : std::uint8_t {
    kNamed,     // what a failing test names
    kLine,      // one line
    kBorrowed,  // one line, with room that the end of the window gives up
    kSuffix,    // everything from a line on
  };
  Kind kind = Kind::kLine;
  Place place;                      // what it makes of the end
  std::vector<int> cells;           // masked again
  int insert_at = 0, inserted = 0;  // masks that come in between; as many leave at the right
  bool operator==(const Opening&) const = default;
};
constexpr const char* name_of(Opening::Kind kind) {
  constexpr const char* kNames[] = {"named", "line", "borrowed", "suffix"};
  return kNames[static_cast<int>(kind)];
}

// What came of a trial.
struct Outcome {
  // The checkpoints passed, in order, and the end last. The first is the child state. An
  // interrupted rollout ends where it was cut, which may be before the first checkpoint.
  std::vector<Place> path;
  std::vector<int> passes_at;  // by place: the passes that lead there from the start of the trial
  double reward = 0;           // as judged: may be NaN (the judge failed), infinite or out of range
  int passes = 0;              // forward passes spent; 0 for a repeated trial
  int spared = 0;              // passes that were not needed because the text was closed
  int partial = 0;             // of those spent, over few rows (docs/algorithm.md#anchored-passes)
  double equivalents = 0;      // those spent by their arithmetic, in passes over all rows
  bool complete = true;        // no masks are left at the end
  bool cached = false;         // known from an earlier rollout
  bool feasible = true;  // false: the action cannot be applied to this state; nothing was spent
  std::vector<Write> writes = {};      // in order; none for a repeated trial
  std::vector<Opening> openings = {};  // of its end, for a search that asks for them
};

// A child that one more token makes, and the end that the same prediction fills it up to.
struct Branch {
  Place child;
  StateId completion = 0;
  bool operator==(const Branch&) const = default;
};

// What came of one forward pass from a state.
struct Branching {
  std::vector<Branch> branches;  // different children, in the order of their draws
  bool interrupted = false;      // by an observer; the pass was made
  bool feasible = true;          // as for an outcome; false: no pass was made
};

}  // namespace umf
