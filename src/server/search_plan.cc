#include "server/search_plan.h"

#include <fmt/ranges.h>

#include <algorithm>

#include "server/api_error.h"
#include "session/search_request.h"

namespace umf {
namespace {

// Options that count something: far above what helps, far below what hurts the server.
constexpr std::int64_t kMostOfAnything = 4096;

const SearchEntry& known_search(const std::string& name) {
  std::vector<std::string_view> known;
  for (const SearchEntry& entry : searches()) {
    if (entry.facts.name == name) return entry;
    known.push_back(entry.facts.name);
  }
  throw bad_request("umf.search", fmt::format("must be one of {}", fmt::join(known, ", ")));
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

ChosenOptions chosen_options(const SearchEntry& entry, const ApiRequest& request) {
  ChosenOptions chosen = request.umf.options;
  const std::vector<OptionField> fields = chosen.at(entry.facts.name, entry.options).fields();
  if (fields.empty() && !request.umf.option_values.empty())
    throw bad_request("umf.options",
                      fmt::format("is not for search '{}', which has none", entry.facts.name));
  for (const auto& [key, value] : request.umf.option_values) {
    const auto field = std::ranges::find(fields, key, &OptionField::name);
    if (field == fields.end())
      throw bad_request("umf.options", "has a field that this search does not know");
    std::visit([&, &key = key,
                &value = value](auto* target) { assign(*target, value, "umf.options." + key); },
               field->value);
  }
  return chosen;
}

std::vector<ModelChoice> chosen_models(const ApiRequest& request, const TaskMaker& models) {
  std::vector<ModelChoice> names = request.umf.models;
  if (names.empty()) {
    names.push_back({models.find(request.model, "model").name, ""});
    for (const ActionChoice& action : request.umf.actions) {
      if (action.model.empty()) continue;
      for (const std::string& name : split_models(action.model, names)) {
        if (std::ranges::find(names, name, &ModelChoice::name) == names.end())
          names.push_back({name, ""});
      }
    }
  }
  std::vector<ModelChoice> chosen;
  for (const ModelChoice& choice : names) {
    const std::string& served = models.find(choice.name, "umf.models").name;
    if (std::ranges::find(chosen, served, &ModelChoice::name) != chosen.end())
      throw bad_request("umf.models", "names a model twice");
    chosen.push_back({served, served});
  }
  return chosen;
}

void require_known(const std::string& model, const std::vector<ModelChoice>& models) {
  if (model.empty() && models.size() > 1)
    throw bad_request("umf.actions", "must each name a 'model' where there are several");
  if (model.empty()) return;
  for (const std::string& name : split_models(model, models)) {
    if (std::ranges::find(models, name, &ModelChoice::name) == models.end())
      throw bad_request("umf.actions", "name a model that is not among 'umf.models'");
  }
}

std::vector<ActionChoice> chosen_actions(const ApiRequest& request,
                                         const std::vector<ModelChoice>& models) {
  std::vector<ActionChoice> chosen = request.umf.actions;
  for (const ActionChoice& action : chosen) require_known(action.model, models);
  if (!chosen.empty() || (!request.temperature && !request.top_p)) return chosen;
  for (const ModelChoice& model : models) {
    std::vector<std::string> fields;
    if (request.temperature) fields.push_back(fmt::format("temperature={}", *request.temperature));
    if (request.top_p) fields.push_back(fmt::format("top-p={}", *request.top_p));
    chosen.push_back({model.name, fmt::format("{}", fmt::join(fields, ","))});
  }
  return chosen;
}

// A deterministic action has one answer. Where nothing else was chosen there are warmer ones behind
// it, so that the first answer is the usual one, and others are there if it will not do.
std::vector<ActionChoice> varied(std::vector<ActionChoice> actions,
                                 const std::vector<ModelChoice>& models) {
  if (actions.empty()) {
    for (const ModelChoice& model : models) actions.push_back({model.name, ""});
  }
  const std::vector<ActionChoice> own = actions;
  for (const char* temperature : {"0.5", "1"}) {
    for (ActionChoice action : own) {
      action.fields +=
          fmt::format("{}temperature={}", action.fields.empty() ? "" : ",", temperature);
      actions.push_back(std::move(action));
    }
  }
  return actions;
}

}  // namespace

Configuration plan_search(const ApiRequest& request, const TaskMaker& models,
                          ModelCache& model_cache) {
  SearchRequest wanted = request.umf;
  wanted.options = chosen_options(known_search(wanted.search), request);
  wanted.window = request.max_tokens.value_or(wanted.window);
  wanted.seed = request.seed;
  wanted.models = chosen_models(request, models);
  wanted.actions = chosen_actions(request, wanted.models);
  if (request.umf.varied) wanted.actions = varied(std::move(wanted.actions), wanted.models);
  return plan_search(wanted, model_cache, [&](const ModelChoice& choice) {
    return models.find(choice.name, "umf.models").number;
  });
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
