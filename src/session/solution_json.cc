#include "session/solution_json.h"

#include <fmt/core.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "session/search_request.h"

namespace umf {
namespace {

OrderedJson search_json(const Configuration& configuration, const Solution& solution) {
  const Ledger& ledger = solution.ledger;
  const long budget = configuration.solve.budget;
  OrderedJson json = {{"name", configuration.search_name},
                      {"budget", budget == kNoBudget ? OrderedJson(nullptr) : OrderedJson(budget)},
                      {"nfe", ledger.nfe},
                      {"rollouts", ledger.rollouts()},
                      {"hits", ledger.hits},
                      {"misses", ledger.misses},
                      {"hit_rate", ledger.hit_rate()},
                      {"saved_nfe", ledger.saved_capped},
                      {"switches", ledger.switches},
                      {"evaluations", ledger.evaluations},
                      {"nodes", solution.nodes},
                      {"depth", solution.depth},
                      {"stopped", name_of(solution.stopped)}};
  if (configuration.walk.closed_text) json["spared_nfe"] = ledger.spared;
  if (!is_exact(configuration.actions)) {
    json["partial_nfe"] = ledger.partial;
    json["equivalents"] = ledger.equivalents;
  }
  return json;
}

OrderedJson actions_json(const Configuration& configuration, const Ledger& ledger) {
  OrderedJson list = OrderedJson::array();
  for (std::size_t i = 0; i < configuration.actions.size(); ++i) {
    const Action& action = configuration.actions[i];
    const auto& best = ledger.actions[i].best_reward;
    list.push_back({{"name", configuration.action_names[i]},
                    {"model", models_text(configuration, action)},
                    {"strategy", name_of(action.strategy)},
                    {"temperature", std::stod(fmt::format("{}", action.temperature))},
                    {"commit", name_of(action.commit)},
                    {"seed", action.seed},
                    {"nfe", ledger.actions[i].nfe},
                    {"best_reward", best ? finite(*best) : OrderedJson(nullptr)}});
    if (is_exact(action)) continue;
    list.back()["anchor"] = name_of(action.anchor);
    list.back()["active"] = action.active;
  }
  return list;
}

OrderedJson best_json(const Configuration& configuration, const std::optional<Candidate>& best) {
  OrderedJson path = OrderedJson::array();
  if (!best) return {{"path", path}, {"iteration", 0}};
  for (const int action : best->actions) path.push_back(configuration.action_names[action]);
  return {{"path", path}, {"iteration", best->iteration}};
}

}  // namespace

OrderedJson finite(double value) {
  return std::isfinite(value) ? OrderedJson(value) : OrderedJson(nullptr);
}

OrderedJson solution_json(const Configuration& configuration, const Solution& solution) {
  OrderedJson json = {
      {"reward", solution.best ? finite(solution.best->reward) : OrderedJson(nullptr)},
      {"complete", solution.best && solution.best->complete},
      {"search", search_json(configuration, solution)},
      {"actions", actions_json(configuration, solution.ledger)},
      {"best", best_json(configuration, solution.best)}};
  if (!is_exact(configuration.actions)) json["approximate"] = true;
  return json;
}

}  // namespace umf
