// Which action wrote which part of an answer, to the byte: the path to it is known from its root.
// WindowAuthors tells it of any window while a search goes on, cell by cell.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "decode/states.h"

namespace umf {

struct AuthoredText {
  std::string bytes;
  int action = 0;
  bool operator==(const AuthoredText&) const = default;
};

// The text of the last state of `path`, in pieces by the action that committed them; neighbours
// differ. `path` holds the states that `actions` lead to, one after the other, from the root. Text
// keeps its author, byte by byte, when another model's tokenizer cuts it in another way.
std::vector<AuthoredText> authorship(const States& states, std::span<const StateId> path,
                                     std::span<const int> actions);

}  // namespace umf
