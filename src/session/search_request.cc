#include "session/search_request.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/error.h"
#include "search/checkpoints.h"
#include "search/pair.h"
#include "session/presets.h"

namespace umf {
namespace {

constexpr int kPaperWindow = 768;

// With a preset a model given by name says where it lies.
void add_model(std::vector<ModelChoice>& models, const ModelChoice& choice) {
  const auto known = std::ranges::find(models, choice.name, &ModelChoice::name);
  if (known == models.end())
    models.push_back(choice);
  else
    known->where = choice.where;
}

// The models of a preset; the request's come on top.
std::vector<ModelChoice> take_preset(const Preset& preset, SearchRequest& request) {
  std::vector<ModelChoice> models;
  for (const ActionChoice& action : preset.actions) {
    for (const std::string& name : split_models(action.model, {}))
      add_model(models, {name, published_id(name)});
  }
  request.preset.clear();
  request.search = preset.search;
  request.actions.insert(request.actions.begin(), preset.actions.begin(), preset.actions.end());
  if (!preset.pair_method.empty()) request.options.set<Pair>({preset.pair_method});
  if (request.block_length == 0) request.block_length = preset.block_length;
  if (request.window == 0) request.window = kPaperWindow;
  return models;
}

int number_of(const std::string& name, const std::vector<ModelChoice>& models) {
  const auto known = std::ranges::find(models, name, &ModelChoice::name);
  if (known == models.end()) throw Error(fmt::format("no --model is called '{}'", name));
  return static_cast<int>(known - models.begin());
}

int largest_window(const Configuration& made, ModelCache& model_cache) {
  int largest = 0;
  for (const int number : made.models)
    largest = std::max(largest, recommended_window(model_cache.model(number).info()));
  return largest;
}

// The budget is one trajectory. Without a choice it is the paper's: a pass for each cell, and all
// others in the loop (docs/algorithm.md#remdm).
void set_trajectory(Action& action, long passes) {
  if (!is_trajectory(action)) action.remask = Remask::kConfidenceLoop;
  if (action.passes == 0) action.passes = static_cast<int>(passes);
  action.block = 0;
  action.grow = false;
}

void add_actions(const SearchRequest& request, ModelCache& model_cache, Configuration& made) {
  const SearchEntry& entry = find_search(made.search_name);
  const SearchEntry& working = working_search(entry, made.search_options);
  const long passes = made.solve.budget / (entry.method != nullptr ? 2 : 1);
  for (const ActionChoice& choice : request.actions) {
    std::vector<int> models;
    std::vector<const ModelInfo*> infos;
    for (const std::string& name : split_models(choice.model, request.models)) {
      models.push_back(number_of(name, request.models));
      infos.push_back(&model_cache.model(made.models[models.back()]).info());
    }
    Action action = recommended_action(infos);
    action.model = models.front();
    for (Action& other : action.others) other.model = models[other.model];
    set_field(action, "seed", fmt::format("{}", made.seed));
    choose_fields(action, choice.fields);
    if (working.facts.traits.remasks) set_trajectory(action, passes);
    add_action(made, action);
  }
}

long budget_of(const SearchRequest& request, const Configuration& made) {
  if (request.budget != 0) return request.budget;
  const SearchEntry& working = working_search(made.search(), made.search_options);
  const bool any = made.search().facts.traits.anytime && working.facts.traits.anytime;
  return made.seconds > 0 && any ? kNoBudget : kDefaultWindows * made.walk.window;
}

WalkOptions walk_options(const SearchRequest& request) {
  WalkOptions walk;
  walk.ratios = request.ratios.empty()
                    ? std::vector<int>(std::begin(kPaperRatios), std::end(kPaperRatios))
                    : parse_ratios(request.ratios);
  walk.block_length = request.block_length;
  walk.policy = parse_window_policy(request.window_policy);
  walk.closed_text = request.closed_text;
  walk.unit = parse_budget_unit(request.budget_unit);
  return walk;
}

}  // namespace

std::vector<std::string> split_models(const std::string& model,
                                      const std::vector<ModelChoice>& known) {
  if (std::ranges::find(known, model, &ModelChoice::name) != known.end()) return {model};
  std::vector<std::string> names;
  for (std::size_t begin = 0; begin <= model.size();) {
    const std::size_t end = std::min(model.find('+', begin), model.size());
    names.push_back(model.substr(begin, end - begin));
    begin = end + 1;
  }
  return names;
}

SearchRequest expanded(SearchRequest request) {
  std::vector<ModelChoice> models;
  if (!request.preset.empty()) models = take_preset(find_preset(request.preset), request);
  for (const ModelChoice& model : request.models) add_model(models, model);
  request.models = std::move(models);
  if (request.actions.empty()) {
    for (const ModelChoice& model : request.models) request.actions.push_back({model.name, ""});
  }
  for (ActionChoice& action : request.actions) {
    if (action.model.empty() && request.models.size() == 1)
      action.model = request.models.front().name;
    if (action.model.empty()) throw Error("with several models every --action needs model=NAME");
  }
  return request;
}

Configuration plan_search(const SearchRequest& wanted, ModelCache& model_cache,
                          const OpenModel& open) {
  const SearchRequest request = expanded(wanted);
  Configuration made;
  made.search_name = request.search;
  find_search(made.search_name);  // before models are opened
  made.search_options = request.options;
  made.seed = request.seed;
  made.workers = request.workers;
  made.walk = walk_options(request);
  for (const ModelChoice& choice : request.models) {
    made.models.push_back(open(choice));
    made.model_names.push_back(choice.name);
  }
  made.walk.window = request.window != 0 ? request.window : largest_window(made, model_cache);
  made.seconds = request.seconds;
  made.solve.budget = budget_of(request, made);
  made.solve.policy = parse_budget_policy(request.budget_policy);
  made.solve.use_cache = request.use_cache;
  made.solve.stop_at_reward = request.stop_at_reward;
  made.solve.curve = request.curve;
  add_actions(request, model_cache, made);
  check_search(made.search(), setup_of(made));
  if (!request.workers_chosen && !made.search().facts.traits.works_ahead) made.workers = 1;
  if (made.workers > 1 && !made.search().facts.traits.works_ahead)
    throw Error(
        fmt::format("search '{}' goes pass by pass and cannot work ahead; leave out --workers",
                    made.search_name));
  return made;
}

}  // namespace umf
