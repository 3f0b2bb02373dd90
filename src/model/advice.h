// umf.json of a checkpoint: what its makers recommend to those who decode with it. It changes
// nothing that the model computes, and choices of the user stand above it.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/folder.h"

namespace umf {

struct Advice {
  std::string where;  // the file, for messages
  int window = 0;     // tokens of an answer; 0: not said
  // Fields of the recommended action and their values as text, on top of the family's. Whether an
  // action has them is for those to check who know actions.
  std::vector<std::pair<std::string, std::string>> action = {};
};

// Nothing is recommended where there is no umf.json. Throws Error naming the file and the key.
Advice read_advice(const Folder& folder);
// From the file's text.
Advice parse_advice(const std::string& text, const std::string& where);

}  // namespace umf
