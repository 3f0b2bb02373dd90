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

// Which models stand where, and which actions are asked for, by name.
struct Plan {
  std::vector<ModelChoice> models;
  std::vector<ActionChoice> actions;

  // With a preset a model given by name says where it lies.
  void add_model(const ModelChoice& choice) {
    const auto known = std::ranges::find(models, choice.name, &ModelChoice::name);
    if (known == models.end())
      models.push_back(choice);
    else
      known->where = choice.where;
  }
  int number_of(const std::string& name) const {
    const auto known = std::ranges::find(models, name, &ModelChoice::name);
    if (known == models.end()) throw Error(fmt::format("no --model is called '{}'", name));
    return static_cast<int>(known - models.begin());
  }
};

Plan make_plan(const SearchRequest& request, const Preset* preset) {
  Plan plan;
  if (preset != nullptr) {
    for (const ActionChoice& action : preset->actions) {
      for (const std::string& name : split_models(action.model, {}))
        plan.add_model({name, published_id(name)});
      plan.actions.push_back(action);
    }
  }
  for (const ModelChoice& model : request.models) plan.add_model(model);
  plan.actions.insert(plan.actions.end(), request.actions.begin(), request.actions.end());
  if (plan.actions.empty()) {
    for (const ModelChoice& model : plan.models) plan.actions.push_back({model.name, ""});
  }
  for (ActionChoice& action : plan.actions) {
    if (action.model.empty() && plan.models.size() == 1) action.model = plan.models.front().name;
    if (action.model.empty()) throw Error("with several models every --action needs model=NAME");
  }
  return plan;
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
  if (action.remask == Remask::kNone) action.remask = Remask::kConfidenceLoop;
  if (action.passes == 0) action.passes = static_cast<int>(passes);
}

void add_actions(const Plan& plan, ModelCache& model_cache, Configuration& made) {
  const SearchEntry& entry = find_search(made.search_name);
  const SearchEntry& working = working_search(entry, made.search_options);
  const long passes = made.solve.budget / (entry.method != nullptr ? 2 : 1);
  for (const ActionChoice& choice : plan.actions) {
    std::vector<int> models;
    std::vector<const ModelInfo*> infos;
    for (const std::string& name : split_models(choice.model, plan.models)) {
      models.push_back(plan.number_of(name));
      infos.push_back(&model_cache.model(made.models[models.back()]).info());
    }
    Action action = recommended_action(infos);
    action.model = models.front();
    for (Action& other : action.others) other.model = models[other.model];
    set_field(action, "seed", fmt::format("{}", made.seed));
    set_fields(action, choice.fields);
    if (working.facts.traits.remasks) set_trajectory(action, passes);
    add_action(made, action);
  }
}

WalkOptions walk_options(const SearchRequest& request, const Preset* preset) {
  WalkOptions walk;
  walk.ratios = request.ratios.empty()
                    ? std::vector<int>(std::begin(kPaperRatios), std::end(kPaperRatios))
                    : parse_ratios(request.ratios);
  walk.block_length =
      request.block_length != 0 || preset == nullptr ? request.block_length : preset->block_length;
  walk.policy = parse_window_policy(request.window_policy);
  walk.closed_text = request.closed_text;
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

Configuration plan_search(const SearchRequest& request, ModelCache& model_cache,
                          const OpenModel& open) {
  const Preset* preset = request.preset.empty() ? nullptr : &find_preset(request.preset);
  Configuration made;
  made.search_name = preset != nullptr ? preset->search : request.search;
  find_search(made.search_name);  // before models are opened
  made.search_options = request.options;
  if (preset != nullptr && !preset->pair_method.empty())
    made.search_options.set<Pair>({preset->pair_method});
  made.seed = request.seed;
  made.workers = request.workers;
  made.walk = walk_options(request, preset);
  const Plan plan = make_plan(request, preset);
  for (const ModelChoice& choice : plan.models) {
    made.models.push_back(open(choice));
    made.model_names.push_back(choice.name);
  }
  made.walk.window = request.window != 0 ? request.window
                     : preset != nullptr ? kPaperWindow
                                         : largest_window(made, model_cache);
  made.solve.budget = request.budget != 0 ? request.budget : kDefaultWindows * made.walk.window;
  made.solve.policy = parse_budget_policy(request.budget_policy);
  made.solve.use_cache = request.use_cache;
  made.solve.stop_at_reward = request.stop_at_reward;
  made.solve.curve = request.curve;
  add_actions(plan, model_cache, made);
  check_search(made.search(), setup_of(made));
  if (made.workers > 1 && !made.search().facts.traits.works_ahead)
    throw Error(
        fmt::format("search '{}' goes pass by pass and cannot work ahead; leave out --workers",
                    made.search_name));
  return made;
}

}  // namespace umf
