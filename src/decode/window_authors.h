// Which action wrote which cell of a window, while a search goes on: for those who draw.
#pragma once

#include <span>
#include <unordered_map>
#include <vector>

#include "decode/states.h"

namespace umf {

inline constexpr int kNobody = -1;  // of a mask

// One thread at a time, and not while states are made.
class WindowAuthors {
 public:
  // Those of the search; must outlive this.
  explicit WindowAuthors(const States& states) : states_(states) {}

  // After every rollout, in order: the states it passed are known from then on. Where two ways meet
  // in one state, the authors of the first stay.
  void learn(const Trial& trial, const Outcome& outcome);

  // Of a window that a walk of `trial` came to, cell by cell: an action's number, or nobody. What
  // was there before it keeps its author, also where another tokenizer cuts it otherwise.
  std::vector<int> of(const Trial& trial, std::span<const Token> window) const;

 private:
  std::vector<int> inherited(const Trial& trial, const WindowState& entered) const;

  const States& states_;
  std::unordered_map<StateId, std::vector<int>> known_;
};

}  // namespace umf
