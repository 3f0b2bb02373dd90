#include "session/result_json.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/error.h"

namespace umf {
namespace {

OrderedJson curve_json(const Solution& solution, const ProblemSearch& search) {
  OrderedJson list = OrderedJson::array();
  for (const CurvePoint& point : solution.curve) {
    OrderedJson json = {
        {"budget", point.budget}, {"nfe", point.ledger.nfe}, {"stopped", name_of(point.stopped)}};
    json["reward"] = point.best ? finite(point.best->reward) : OrderedJson(nullptr);
    json["answer"] = point.best ? OrderedJson(search.text(point.best->end)) : OrderedJson(nullptr);
    list.push_back(json);
  }
  return list;
}

OrderedJson speculative_json(const Speculation& speculation) {
  return {
      {"passes", speculation.passes}, {"used", speculation.used}, {"wasted", speculation.wasted()}};
}

}  // namespace

OrderedJson result_json(const Problem& problem, const Configuration& configuration,
                        const Solution& solution, const ProblemSearch& search,
                        const ModelCache& model_cache, const SearchTimes& times) {
  const double loaded =
      std::min(model_cache.load_seconds() - times.loaded_before, solution.walk_seconds);
  OrderedJson json = {{"id", problem.id}, {"answer", nullptr}};
  if (solution.best) json["answer"] = search.text(solution.best->end);
  json.update(solution_json(configuration, solution));
  json.update({{"seconds",
                {{"load", times.load + loaded},
                 {"unmask", solution.walk_seconds - loaded},
                 {"reward", solution.judge_seconds},
                 {"total", times.total}}},
               {"weights",
                {{"loads", model_cache.loads()},
                 {"returns", model_cache.returns()},
                 {"seconds_returning", model_cache.seconds_returning()}}},
               {"speculative", speculative_json(search.speculation())},
               {"why", solution.best ? solution.best->why : ""}});
  if (model_cache.backend().approximate()) json["approximate"] = true;
  if (!solution.curve.empty()) json["curve"] = curve_json(solution, search);
  return json;
}

void require_answer(const Solution& solution) {
  if (solution.stopped == Stop::kError) throw Error(solution.message);
  if (!solution.best && solution.stopped != Stop::kInterrupted)
    throw Error("no answer was found: the budget allows no forward pass");
}

}  // namespace umf
