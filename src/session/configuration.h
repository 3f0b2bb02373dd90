// How problems are searched: chosen once, for any number of them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/json.h"
#include "decode/walker.h"
#include "model/model_cache.h"
#include "session/problem.h"
#include "solve/searches.h"
#include "solve/solve.h"

namespace umf {

struct Configuration {
  std::string search_name;
  std::vector<int> models;               // numbers in the model cache
  std::vector<std::string> model_names;  // what this configuration calls them
  std::vector<Action> actions;           // `model` counts in `models`
  std::vector<std::string>
      action_names;  // unique: the model's name, with a number where it acts in several ways
  WalkOptions walk;
  SolveOptions solve;
  ChosenOptions search_options;
  std::uint64_t seed = 0;
  double seconds = 0;  // that a search may take; 0: any
  int workers = 1;     // replicas of the model cache that one search uses; changes no result

  const SearchEntry& search() const { return find_search(search_name); }
};

// Appends an action and names it.
void add_action(Configuration& configuration, Action action);

// The names of an action's models, "dream" or "dream+llada".
std::string models_text(const Configuration& configuration, const Action& action);
// By author, as WalkSetup numbers them: those of the actions, then "relay/dream" and so on.
std::vector<std::string> author_names(const Configuration& configuration);

// The settings of each, models by number.
std::vector<std::string> action_texts(const Configuration& configuration);

// What the search is made from, but for the cache.
SearchSetup setup_of(const Configuration& configuration);

// Each model with the problem as its chat template and tokenizer put it.
std::vector<Participant> make_participants(const Configuration& configuration,
                                           ModelCache& model_cache, const Problem& problem);

// Everything that walks depend on, but for the problem: the version, the backend, the models by
// fingerprint, the actions and how they walk.
Json describe_walks(const Configuration& configuration, const ModelCache& model_cache);
// That, and what the search makes of them: all options but the budget.
Json describe(const Configuration& configuration, const ModelCache& model_cache);

}  // namespace umf
