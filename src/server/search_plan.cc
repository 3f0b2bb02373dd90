#include "server/search_plan.h"

#include <fmt/core.h>

#include <algorithm>

#include "search/checkpoints.h"
#include "server/api_error.h"

namespace umf {
namespace {

// Options that count something: far above what helps, far below what hurts the server.
constexpr std::int64_t kMostOfAnything = 4096;

void require_known_search(const std::string& name) {
  std::string known(kTreasureName);
  for (const SearchEntry& entry : searches()) {
    if (entry.name == name) return;
    known += fmt::format(", {}", entry.name);
  }
  if (name != kTreasureName) throw bad_request("umf.search", "must be one of " + known);
}

template <class Field>
void assign(Field& field, const Json& value, const std::string& param) {
  if constexpr (std::is_same_v<Field, bool>) {
    if (!value.is_boolean()) throw bad_request(param, "must be true or false");
  } else if constexpr (std::is_same_v<Field, std::string>) {
    if (!value.is_string()) throw bad_request(param, "must be a string");
  } else if constexpr (std::is_integral_v<Field>) {
    if (!value.is_number_unsigned() || value.get<std::uint64_t>() > kMostOfAnything)
      throw bad_request(param, fmt::format("must be a whole number up to {}", kMostOfAnything));
  } else {
    if (!value.is_number()) throw bad_request(param, "must be a number");
  }
  field = value.get<Field>();
}

template <class Options>
void set_options(Options& options, const ApiRequest& request) {
  for (const auto& [key, value] : request.umf.options) {
    bool found = false;
    options.visit([&, &key = key, &value = value](auto& field, const char* name, const char*) {
      if (key != name) return;
      assign(field, value, "umf.options." + key);
      found = true;
    });
    if (!found) throw bad_request("umf.options", "has a field that this search does not know");
  }
}

void set_options(Configuration& made, const ApiRequest& request) {
  const std::string& name = made.search_name;
  SearchOptions& options = made.search_options;
  if (name == "unmaskfork") return set_options(options.unmaskfork, request);
  if (name == "best-of-n") return set_options(options.best_of_n, request);
  if (name == "dts") return set_options(options.dts, request);
  if (name == "ab-mcts-m") return set_options(options.ab_mcts_m, request);
  if (name == "ab-mcts-a") return set_options(options.ab_mcts_a, request);
  if (name == "pair") {
    for (const auto& [key, value] : request.umf.options) {
      if (key == "passes")
        throw bad_request("umf.options.passes", "is half of 'umf.budget'; set that");
    }
    return set_options(options.pair, request);
  }
  if (name == kTreasureName) return set_options(made.treasure, request);
  if (!request.umf.options.empty())
    throw bad_request("umf.options", "is not for search '" + name + "', which has none");
}

void add_models(const ApiRequest& request, const TaskMaker& models, Configuration& made) {
  std::vector<std::string> names = request.umf.models;
  if (names.empty()) names = {models.find(request.model, "model").name};
  for (const RequestedAction& action : request.umf.actions) {
    if (!action.model.empty() && request.umf.models.empty() &&
        std::find(names.begin(), names.end(), action.model) == names.end())
      names.push_back(action.model);
  }
  for (const std::string& name : names) {
    const ServedModel& served = models.find(name, "umf.models");
    if (std::find(made.models.begin(), made.models.end(), served.number) != made.models.end())
      throw bad_request("umf.models", "names a model twice");
    made.models.push_back(served.number);
    made.model_names.push_back(served.name);
  }
}

int number_of(const Configuration& made, const std::string& name) {
  if (name.empty() && made.models.size() > 1)
    throw bad_request("umf.actions", "must each name a 'model' where there are several");
  for (std::size_t i = 0; i < made.model_names.size(); ++i) {
    if (name.empty() || made.model_names[i] == name) return static_cast<int>(i);
  }
  throw bad_request("umf.actions", "name a model that is not among 'umf.models'");
}

void add_actions(const ApiRequest& request, Shelf& shelf, Configuration& made) {
  for (const RequestedAction& wanted : request.umf.actions) {
    Action action = first_action(made, shelf, number_of(made, wanted.model));
    for (const auto& [key, value] : wanted.fields) set_field(action, key, value);
    add_action(made, action);
  }
  if (!request.umf.actions.empty()) return;
  for (int model = 0; model < static_cast<int>(made.models.size()); ++model) {
    Action action = first_action(made, shelf, model);
    if (request.temperature) action.temperature = static_cast<float>(*request.temperature);
    if (request.top_p) action.top_p = static_cast<float>(*request.top_p);
    add_action(made, action);
  }
}

}  // namespace

Configuration plan_search(const ApiRequest& request, const TaskMaker& models, Shelf& shelf) {
  const UmfRequest& umf = request.umf;
  require_known_search(umf.search);
  Configuration made;
  made.search_name = umf.search;
  made.seed = request.seed;
  made.walk.ratios = umf.ratios.empty()
                         ? std::vector<int>(std::begin(kPaperRatios), std::end(kPaperRatios))
                         : parse_ratios(umf.ratios);
  made.walk.block_length = umf.block_length;
  made.walk.closed_text = umf.closed_text;
  made.solve.policy = parse_budget_policy(umf.budget_policy);
  made.solve.use_cache = umf.use_cache;
  made.solve.stop_at_reward = umf.stop_at_reward;
  set_options(made, request);
  add_models(request, models, made);
  made.walk.window = request.max_tokens ? *request.max_tokens : recommended_window(made, shelf);
  set_budget(made, umf.budget != 0 ? umf.budget : kDefaultWindows * made.walk.window);
  add_actions(request, shelf, made);
  return made;
}

Problem asked_problem(const ApiRequest& request) {
  if (request.problem) return *request.problem;
  Problem problem;
  problem.id = "request";
  problem.prompt = request.messages.back().content;
  problem.earlier.assign(request.messages.begin(), request.messages.end() - 1);
  problem.reward = request.umf.reward;
  return problem;
}

}  // namespace umf
