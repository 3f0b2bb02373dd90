// The configurations of the paper by name: which search, which published models, which actions in
// which order.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "session/search_request.h"

namespace umf {

struct Preset {
  std::string name, summary;
  std::string search;                 // a name of the table of searches
  std::vector<ActionChoice> actions;  // the first is the strongest; names of published models
  int block_length = 0;               // 0: no blocks
  std::string pair_method;            // the search of each half, when `search` is "pair"
};

// UnMaskFork and its variants first, then the 28 baseline configurations in the order of their
// table.
std::span<const Preset> presets();

// Throws Error when there is none.
const Preset& find_preset(const std::string& name);

// Where a preset's model is published: its Hugging Face id.
std::string published_id(const std::string& model);

}  // namespace umf
