// Who wrote which cell of a window: known for every state that a search has passed.
#pragma once

#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "decode/states.h"

namespace umf {

inline constexpr int kNobody = -1;  // of a mask

// The authors of a window's cells when it is cut in another way: a change of tokenizer keeps all
// bytes of text in their order, and whoever wrote the first byte of a new token is its author.
std::vector<int> carried_over(const std::vector<int>& authors, std::span<const Token> from,
                              const Lexicon& from_lexicon, std::span<const Token> to,
                              const Lexicon& to_lexicon);

struct AuthoredText {
  std::string bytes;
  int author = 0;
  bool operator==(const AuthoredText&) const = default;
};

// What a rollout wrote, one write after the other, from the window as its action found it: also
// where models hand it to each other.
class Replay {
 public:
  // Both must outlive it. The window must fit the action.
  Replay(const States& states, const Trial& trial, const Outcome& outcome);

  bool done() const { return next_ == outcome_.writes.size(); }
  const WindowState& window() const { return window_; }
  const Write& next() const { return outcome_.writes[next_]; }
  // Whether the next write is in other ids than the window so far. Then it is cut anew, once.
  bool changes_ids() const { return next().lexicon != window_.lexicon; }
  void change_ids();
  void write();

 private:
  const States& states_;
  const Outcome& outcome_;
  WindowState window_;
  std::size_t next_ = 0;
};

// Authors are numbered as WalkSetup does it: by action, and by model where an action has several.
// One thread at a time, and not while states are made.
class Authors {
 public:
  // Those of the search; must outlive this.
  explicit Authors(const States& states) : states_(states) {}

  // After every rollout, in order: the states it passed are known from then on. Where two ways meet
  // in one state, the authors of the first stay.
  void learn(const Trial& trial, const Outcome& outcome);

  // Of a window that a walk of `trial` came to, cell by cell. What was there before the walk keeps
  // its author, also where another tokenizer cuts it otherwise. `writers`: those of a Pass.
  std::vector<int> of(const Trial& trial, const Lexicon& lexicon, std::span<const Token> window,
                      std::span<const int> writers = {}) const;

  // The text of a state, in pieces by author; neighbours differ. What nobody is known to have
  // written, in a rollout that was never learned, is by `otherwise`.
  std::vector<AuthoredText> text(StateId state, int otherwise) const;

 private:
  std::vector<int> inherited(const Trial& trial, const WindowState& entered) const;
  void learn_alone(const Trial& trial, const Outcome& outcome);
  void learn_together(const Trial& trial, const Outcome& outcome);

  const States& states_;
  std::unordered_map<StateId, std::vector<int>> known_;
};

}  // namespace umf
