#include "cli/serve_setup.h"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "session/presets.h"
#include "setup/option_file.h"
#include "setup/solve_setup.h"

namespace umf {
namespace {

constexpr const char* kBuiltInName = "umf";

void add_model(const ModelChoice& choice, const OpenModel& open, std::vector<ServedModel>& models) {
  if (std::ranges::find(models, choice.name, &ServedModel::name) != models.end())
    throw Error(
        fmt::format("two models are called '{}'; name them: --model NAME=WHERE", choice.name));
  models.push_back({choice.name, open(choice)});
}

// A name means one place, whoever gives it.
void add_models_of(const SearchRequest& search, const OpenModel& open,
                   std::vector<ServedModel>& models) {
  for (const ModelChoice& choice : search.models) {
    const auto known = std::ranges::find(models, choice.name, &ServedModel::name);
    if (known == models.end())
      add_model(choice, open, models);
    else if (known->number != open(choice))
      throw Error(
          fmt::format("model '{}' is {} here, and lies elsewhere for --model or another "
                      "--config; call one of them otherwise",
                      choice.name, choice.where));
  }
}

void add_configuration(ServedConfiguration added, ModelCache& model_cache, const OpenModel& open,
                       Served& served) {
  added.search = expanded(std::move(added.search));
  add_models_of(added.search, open, served.models);
  plan_search(added.search, model_cache, open);
  served.configurations.push_back(std::move(added));
}

// Its models are those of --model that it names, and others where they are published.
void add_preset(const std::string& name, const std::vector<ModelChoice>& given,
                ModelCache& model_cache, const OpenModel& open, Served& served) {
  const Preset& preset = find_preset(name);
  SearchRequest search{.preset = name};
  for (const ModelChoice& model : given) {
    const bool used = std::ranges::any_of(preset.actions, [&](const ActionChoice& action) {
      const std::vector<std::string> names = split_models(action.model, {});
      return std::ranges::find(names, model.name) != names.end();
    });
    if (used) search.models.push_back(model);
  }
  add_configuration({name, preset.summary, std::move(search)}, model_cache, open, served);
}

void add_file(const std::string& path, ModelCache& model_cache, const OpenModel& open,
              const JudgeTools& tools, Served& served) {
  Json file = parse_json(read_input(path), path);
  SolveCliOptions options;
  ServedConfiguration added;
  // What answers are worth where the request does not say, so that it need not.
  if (file.is_object() && file.contains("reward")) {
    added.reward = file["reward"];
    file.erase("reward");
    make_reward(added.reward, {"request", ""}, path + ": reward", tools);
  }
  options.read(file, path);
  added.name = plain_name(file, std::filesystem::path(path).stem().string(), path);
  if (file.contains("about") && file["about"].is_string()) added.about = file["about"];
  try {
    added.search = options.request();
    add_configuration(std::move(added), model_cache, open, served);
  } catch (const Error& mistake) {
    throw Error(fmt::format("{}: {}", path, mistake.what()));
  }
}

// Clients have one name for whatever they ask for.
void check_names(const Served& served) {
  std::vector<std::string> names;
  for (const ServedModel& model : served.models) names.push_back(model.name);
  for (const ServedConfiguration& configuration : served.configurations) {
    if (std::ranges::find(names, configuration.name) != names.end())
      throw Error(
          fmt::format("a model or another --config is called '{}', too; give the file a "
                      "'name' of its own",
                      configuration.name));
    names.push_back(configuration.name);
  }
}

}  // namespace

Served open_served(const ServedChoice& choice, ModelCache& model_cache, const CommonOptions& common,
                   const JudgeTools& tools) {
  const OpenModel open = [&](const ModelChoice& model) {
    return opened(model, model_cache, common);
  };
  Served served;
  std::vector<ModelChoice> given;
  for (const std::string& text : choice.empty() ? default_models("umf serve") : choice.models) {
    given.push_back(parse_model_choice(text));
    add_model(given.back(), open, served.models);
  }
  for (const std::string& name : choice.presets) add_preset(name, given, model_cache, open, served);
  for (const std::string& path : choice.configs) add_file(path, model_cache, open, tools, served);
  if (choice.empty())
    add_configuration({kBuiltInName, "the search that is recommended for the embedded models",
                       SolveCliOptions().request()},
                      model_cache, open, served);
  check_names(served);
  return served;
}

}  // namespace umf
