// Everything that `umf solve --json` tells of a search.
#pragma once

#include "session/problem_search.h"
#include "session/solution_json.h"

namespace umf {

// In seconds. The first walk of a model loads it: what the model cache took before the search is
// not the search's.
struct SearchTimes {
  double load = 0, total = 0, loaded_before = 0;
};

OrderedJson result_json(const Problem& problem, const Configuration& configuration,
                        const Solution& solution, const ProblemSearch& search,
                        const ModelCache& model_cache, const SearchTimes& times);

// Throws Error for a search that broke down, or that found nothing and was not called off.
void require_answer(const Solution& solution);

}  // namespace umf
