// What umf tune found, for programs and for people.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "bench/tuning.h"

namespace umf {

struct Tuning {
  std::string dataset;  // its name
  int window = 0;
  double loss = 0;
  long budget = 0;  // of the searches
  std::vector<TunedAction> actions;
  std::string actions_run, searches_run;  // the run directories
  Scores action_scores, search_scores;
  TunedChoice choice;
  std::vector<TunedSearch> searches;
  int best = 0;                          // of the searches
  nlohmann::ordered_json configuration;  // as --config takes it
  std::string file;                      // where that is written
};

// "96.0 % of 300 problems solved (93.1 to 97.7) with 52.1 passes each".
std::string in_words(const Scores& scores, int which);

nlohmann::ordered_json tuning_json(const Tuning& tuning);
// The same as tables, and what follows from them.
std::string tuning_text(const nlohmann::ordered_json& tuning);

}  // namespace umf
