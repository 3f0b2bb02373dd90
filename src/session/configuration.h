// How problems are searched: chosen once, for any number of them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/json.h"
#include "decode/walker.h"
#include "model/shelf.h"
#include "search/searches.h"
#include "session/problem.h"
#include "solve/solve.h"
#include "solve/treasure.h"

namespace umf {

inline constexpr int kDefaultWindows = 16;  // of a budget

struct Configuration {
  std::string search_name;
  std::vector<int> models;               // numbers on the shelf
  std::vector<std::string> model_names;  // what this configuration calls them
  std::vector<Action> actions;           // `model` counts in `models`
  std::vector<std::string>
      action_names;  // unique: the model's name, with a number where it acts in several ways
  WalkOptions walk;
  SolveOptions solve;
  SearchOptions search_options;
  TreasureOptions treasure;
  std::uint64_t seed = 0;
  int workers = 1;  // replicas of the shelf that one search uses; changes no result
};

// The largest window that one of the models recommends.
int recommended_window(const Configuration& configuration, Shelf& shelf);
// Forward passes to spend; each half of a pair gets half of them.
void set_budget(Configuration& configuration, long budget);
// The recommended action of a model, by its number in `models`: what options and requests change.
Action first_action(const Configuration& configuration, Shelf& shelf, int model);
// Appends an action, completed and named. The search and its budget must be there before.
void add_action(Configuration& configuration, Action action);

// An action as "key=value,..." with every field.
std::string action_text(Action action);

// Whether one run at the largest budget gives the results of the smaller ones.
bool is_anytime(const Configuration& configuration);

// Each model with the problem as its chat template and tokenizer put it.
std::vector<Participant> make_participants(const Configuration& configuration, Shelf& shelf,
                                           const Problem& problem);

// Everything that walks depend on, but for the problem: the version, the backend, the models by
// fingerprint, the actions and how they walk.
Json describe_walks(const Configuration& configuration, const Shelf& shelf);
// That, and what the search makes of them: all options but the budget.
Json describe(const Configuration& configuration, const Shelf& shelf);

}  // namespace umf
