#include "session/configuration.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/version.h"

namespace umf {
namespace {

// What other searches would do changes nothing.
Json options_json(const SearchEntry& entry, ChosenOptions& options) {
  Json json = Json::object();
  for (const OptionField& field : options.at(entry.facts.name, entry.options).fields())
    std::visit([&](const auto* value) { json[field.name] = *value; }, field.value);
  if (entry.method != nullptr)
    json["options"] = options_json(working_search(entry, options), options);
  return json;
}

}  // namespace

std::string models_text(const Configuration& configuration, const Action& action) {
  std::vector<std::string> names;
  for (const Action& member : members_of(action))
    names.push_back(configuration.model_names[member.model]);
  return fmt::format("{}", fmt::join(names, "+"));
}

std::vector<std::string> author_names(const Configuration& configuration) {
  std::vector<std::string> names = configuration.action_names;
  for (std::size_t i = 0; i < configuration.actions.size(); ++i) {
    if (configuration.actions[i].others.empty()) continue;
    for (const Action& member : members_of(configuration.actions[i])) {
      names.push_back(fmt::format("{}/{}", configuration.action_names[i],
                                  configuration.model_names[member.model]));
    }
  }
  return names;
}

void add_action(Configuration& configuration, Action action) {
  const auto name_of_way = [&](const Action& way) {
    return way.others.empty() ? configuration.model_names[way.model]
                              : std::string(name_of(way.ensemble));
  };
  const std::string name = name_of_way(action);
  const auto uses = std::ranges::count(configuration.actions, name, name_of_way);
  configuration.actions.push_back(action);
  configuration.action_names.push_back(uses == 0 ? name : fmt::format("{}#{}", name, uses + 1));
}

SearchSetup setup_of(const Configuration& configuration) {
  return {.root = {0, configuration.walk.window},
          .actions = static_cast<int>(configuration.actions.size()),
          .seed = configuration.seed,
          .budget = configuration.solve.budget,
          .options = configuration.search_options};
}

std::vector<Participant> make_participants(const Configuration& configuration,
                                           ModelCache& model_cache, const Problem& problem) {
  std::vector<Message> messages;
  if (!problem.system.empty()) messages.push_back({"system", problem.system});
  messages.insert(messages.end(), problem.earlier.begin(), problem.earlier.end());
  messages.push_back({"user", problem.prompt});
  std::vector<Participant> participants;
  for (const int number : configuration.models) {
    const Checkpoint& checkpoint = model_cache.checkpoint(number);
    const Tokenizer& tokenizer = checkpoint.tokenizer;
    participants.push_back({&model_cache.model(number), &tokenizer,
                            problem.raw
                                ? tokenizer.encode(problem.prompt, SpecialText::kPlain)
                                : encode_chat(tokenizer, checkpoint.chat_template(), messages,
                                              /*add_generation_prompt=*/true, problem.prefill)});
  }
  return participants;
}

std::vector<std::string> action_texts(const Configuration& configuration) {
  std::vector<std::string> texts;
  for (const Action& action : configuration.actions) texts.push_back(text_of(action));
  return texts;
}

Json describe_walks(const Configuration& configuration, const ModelCache& model_cache) {
  Json models = Json::array();
  for (const int number : configuration.models) {
    models.push_back(model_cache.checkpoint(number).run_fingerprint());
  }
  const WalkOptions& walk = configuration.walk;
  return {{"version", version()},
          {"backend", model_cache.backend().name()},
          {"models", models},
          {"actions", action_texts(configuration)},
          {"search", configuration.search_name},
          {"seed", configuration.seed},
          {"window", walk.window},
          {"ratios", walk.ratios},
          {"block_length", walk.block_length},
          {"closed_text", walk.closed_text},
          {"window_policy", name_of(walk.policy)},
          {"budget_unit", name_of(walk.unit)}};
}

Json describe(const Configuration& configuration, const ModelCache& model_cache) {
  const SolveOptions& solve = configuration.solve;
  Json json = describe_walks(configuration, model_cache);
  ChosenOptions options = configuration.search_options;
  json["options"] = options_json(configuration.search(), options);
  json["budget_policy"] = name_of(solve.policy);
  json["cache"] = solve.use_cache;
  if (configuration.seconds > 0) json["seconds"] = configuration.seconds;
  json["stop_at_reward"] = solve.stop_at_reward ? Json(*solve.stop_at_reward) : Json(nullptr);
  return json;
}

}  // namespace umf
