#include "bench/pooled_results.h"

namespace umf {
namespace {

using Results = std::map<ResultKey, Result>;

struct Searched {
  std::vector<const Result*> at_steps;
  const Result* failure = nullptr;
  bool complete = true;
};

Searched searched(const Results& results, const std::string& id, const Manifest::Entry& entry,
                  const std::vector<long>& steps) {
  Searched search;
  for (const long step : steps) {
    const auto found = results.find({id, entry.name, step, entry.seed});
    const Result* result = found == results.end() ? nullptr : &found->second;
    search.at_steps.push_back(result);
    if (result != nullptr && result->status == ResultStatus::kFailed) search.failure = result;
    search.complete = search.complete && result != nullptr && search.failure == nullptr;
  }
  return search;
}

std::vector<PoolPoint> points_of(const Searched& search) {
  std::vector<PoolPoint> points;
  for (const Result* result : search.at_steps)
    points.push_back({result->nfe, result->stopped != name_of(Stop::kBudget)});
  return points;
}

}  // namespace

PooledResults pooled_results(const Manifest& manifest, const Manifest::Entry& entry,
                             const Results& results) {
  const std::vector<long> steps = entry.pool->steps();
  std::vector<Searched> searches;
  std::vector<std::vector<PoolPoint>> points;
  for (const std::string& id : manifest.ids) {
    searches.push_back(searched(results, id, entry, steps));
    if (searches.back().complete) points.push_back(points_of(searches.back()));
  }
  // At least one step for each: the budget covers a quantum.
  PooledResults pooled{.allocation = allocate(*entry.pool, points), .results = {}};
  auto got = pooled.allocation.steps.begin();
  for (const Searched& search : searches)
    pooled.results.push_back(search.complete ? search.at_steps[*got++ - 1] : search.failure);
  return pooled;
}

}  // namespace umf
