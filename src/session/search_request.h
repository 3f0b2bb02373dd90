// How somebody wants problems to be searched, before any model is opened: what command lines, bench
// files and HTTP requests fill.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "session/configuration.h"

namespace umf {

inline constexpr int kDefaultWindows = 16;        // of a budget
inline constexpr long kNoBudget = 1'000'000'000;  // where time is what ends a search

// A model by the name that actions use, and where its checkpoint is.
struct ModelChoice {
  std::string name, where;
};

// One way to unmask: KEY=VALUE,... on top of what the model recommends.
struct ActionChoice {
  std::string model;  // its name, or several joined by '+'; empty where there is one model only
  std::string fields;
};

// The names in "a+b", or the whole where it is one of `known`.
std::vector<std::string> split_models(const std::string& model,
                                      const std::vector<ModelChoice>& known);

struct SearchRequest {
  std::string search = default_search();
  std::string preset;  // brings a search, models and actions; the fields below come on top
  std::vector<ModelChoice> models;  // the strongest first; at least one where there is no preset
  std::vector<ActionChoice>
      actions;            // the strongest first; none: the recommended one of each model
  ChosenOptions options;  // of the search
  int window = 0;         // 0: what the models recommend; with a preset the paper's
  long budget = 0;        // 0: 16 windows; with `seconds`, where the search allows it, no end
  double seconds = 0;     // that the search may take; 0: any
  std::string ratios;     // empty: the paper's
  std::string budget_policy = "cut", window_policy = "preserve-masks", budget_unit = "passes";
  int block_length = 0;  // 0: none, or the preset's
  bool use_cache = true, closed_text = false;
  std::optional<double> stop_at_reward = 1;
  std::vector<long> curve;  // smaller budgets whose results are wanted too
  std::uint64_t seed = 0;
  int workers = 1;
  bool workers_chosen = true;  // for this search; else a search that cannot use several has one
};

// The same search in full: what a preset brings is written out, and every action names its models.
// Throws Error.
SearchRequest expanded(SearchRequest request);

// The number in the model cache of a model, which is opened where need be.
using OpenModel = std::function<int(const ModelChoice& choice)>;

// Opens the models and checks that all fits together. Throws Error.
Configuration plan_search(const SearchRequest& wanted, ModelCache& model_cache,
                          const OpenModel& open);

}  // namespace umf
