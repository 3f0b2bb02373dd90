// From options, presets and defaults to everything a search needs.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/common.h"
#include "decode/walker.h"
#include "model/shelf.h"
#include "problem.h"
#include "search/searches.h"
#include "solve.h"
#include "treasure.h"

namespace umf {

struct SolveCliOptions {
  CommonOptions common;
  std::string problem, preset, search = "unmaskfork", ratios, budget_policy = "cut",
                               window_policy = "preserve-masks";
  std::string stop_at_reward = "1", trace, checkpoint, curve, memory_limit;
  std::vector<std::string> models, actions;
  int budget = 0, window = 0, block_length = 0;
  std::uint64_t seed = 0;
  bool no_cache = false, closed_text = false, list_presets = false, list_searches = false;
  SearchOptions search_options;
  TreasureOptions treasure;

  void declare(OptionSet& options);
};

struct SolveSetup {
  std::string search_name;
  std::unique_ptr<Shelf> shelf;
  std::vector<Participant> participants;
  std::vector<Action> actions;
  std::vector<std::string>
      action_names;  // unique: the model's name, with a number where it acts in several ways
  WalkOptions walk;
  SolveOptions solve;
  SearchOptions search_options;
  TreasureOptions treasure;
  std::uint64_t seed = 0;

  SearchSetup search_setup(Place root, const RolloutCache& cache) const;
};

// Finds and opens the models, renders the prompt for each, and checks that all fits together.
SolveSetup make_setup(const SolveCliOptions& options, const Problem& problem, Backend& backend);

// An action as "key=value,..." with every field.
std::string action_text(Action action);

}  // namespace umf
