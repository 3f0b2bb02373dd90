#include "session/configuration.h"

#include <fmt/core.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/version.h"

namespace umf {
namespace {

template <class Fields>
Json fields_json(Fields fields) {
  Json json = Json::object();
  fields.visit([&](auto& field, const char* name, const char*) { json[name] = field; });
  return json;
}

// Of the search that is named: what other searches would do changes nothing.
Json search_options_json(const Configuration& configuration, const std::string& name) {
  const SearchOptions& options = configuration.search_options;
  if (name == "unmaskfork") return fields_json(options.unmaskfork);
  if (name == "best-of-n") return fields_json(options.best_of_n);
  if (name == "dts") return fields_json(options.dts);
  if (name == "ab-mcts-m") return fields_json(options.ab_mcts_m);
  if (name == "ab-mcts-a") return fields_json(options.ab_mcts_a);
  if (name == kTreasureName) return fields_json(configuration.treasure);
  if (name == "pair") {
    const std::string& method = options.pair.method;
    return {{"method", method}, {"options", search_options_json(configuration, method)}};
  }
  return Json::object();
}

bool remasks(const Configuration& made) {
  return (made.search_name == "pair" ? made.search_options.pair.method : made.search_name) ==
         "remdm";
}

// The budget is one trajectory. Without a choice it is the paper's: a pass for each cell, and all
// others in the loop (docs/algorithm.md#remdm).
void set_trajectory(Action& action, const Configuration& made) {
  if (action.remask == Remask::kNone) action.remask = Remask::kConfidenceLoop;
  const long passes =
      made.search_name == "pair" ? made.search_options.pair.passes : made.solve.budget;
  if (action.passes == 0) action.passes = static_cast<int>(passes);
}

}  // namespace

int recommended_window(const Configuration& configuration, Shelf& shelf) {
  int largest = 0;
  for (const int number : configuration.models)
    largest = std::max(largest, recommended_window(shelf.model(number).info()));
  return largest;
}

void set_budget(Configuration& configuration, long budget) {
  configuration.solve.budget = budget;
  configuration.search_options.pair.passes = static_cast<int>(budget / 2);
}

Action first_action(const Configuration& configuration, Shelf& shelf, int model) {
  Action action = recommended_action(shelf.model(configuration.models[model]).info());
  action.seed = configuration.seed;
  action.model = model;
  return action;
}

void add_action(Configuration& configuration, Action action) {
  if (remasks(configuration)) set_trajectory(action, configuration);
  const std::string& name = configuration.model_names[action.model];
  const auto uses = std::count_if(configuration.actions.begin(), configuration.actions.end(),
                                  [&](const Action& other) { return other.model == action.model; });
  configuration.actions.push_back(action);
  configuration.action_names.push_back(uses == 0 ? name : fmt::format("{}#{}", name, uses + 1));
}

std::string action_text(Action action) {
  std::string text = fmt::format("model={}", action.model);
  action.visit([&](auto& field, const char* name, const char*) {
    if constexpr (std::is_enum_v<std::decay_t<decltype(field)>>)
      text += fmt::format(",{}={}", name, name_of(field));
    else
      text += fmt::format(",{}={}", name, field);
  });
  return text;
}

bool is_anytime(const Configuration& configuration) {
  for (const SearchEntry& entry : searches()) {
    if (entry.name == configuration.search_name) return entry.anytime;
  }
  return false;  // the beam's width is the budget's
}

std::vector<Participant> make_participants(const Configuration& configuration, Shelf& shelf,
                                           const Problem& problem) {
  std::vector<Message> messages;
  if (!problem.system.empty()) messages.push_back({"system", problem.system});
  messages.insert(messages.end(), problem.earlier.begin(), problem.earlier.end());
  messages.push_back({"user", problem.prompt});
  std::vector<Participant> participants;
  for (const int number : configuration.models) {
    const Checkpoint& checkpoint = shelf.checkpoint(number);
    const Tokenizer& tokenizer = checkpoint.tokenizer;
    participants.push_back({&shelf.model(number), &tokenizer,
                            problem.raw
                                ? tokenizer.encode(problem.prompt, SpecialText::kPlain)
                                : encode_chat(tokenizer, checkpoint.chat_template(), messages,
                                              /*add_generation_prompt=*/true, problem.prefill)});
  }
  return participants;
}

Json describe_walks(const Configuration& configuration, const Shelf& shelf) {
  Json models = Json::array(), actions = Json::array();
  for (const int number : configuration.models) {
    models.push_back(fmt::format("{:016x}", shelf.checkpoint(number).weights.fingerprint()));
  }
  for (const Action& action : configuration.actions) actions.push_back(action_text(action));
  const WalkOptions& walk = configuration.walk;
  return {{"version", version()},
          {"backend", shelf.backend().name()},
          {"models", models},
          {"actions", actions},
          {"search", configuration.search_name},
          {"seed", configuration.seed},
          {"window", walk.window},
          {"ratios", walk.ratios},
          {"block_length", walk.block_length},
          {"closed_text", walk.closed_text},
          {"window_policy", name_of(walk.policy)}};
}

Json describe(const Configuration& configuration, const Shelf& shelf) {
  const SolveOptions& solve = configuration.solve;
  Json json = describe_walks(configuration, shelf);
  json["options"] = search_options_json(configuration, configuration.search_name);
  json["budget_policy"] = name_of(solve.policy);
  json["cache"] = solve.use_cache;
  json["stop_at_reward"] = solve.stop_at_reward ? Json(*solve.stop_at_reward) : Json(nullptr);
  return json;
}

}  // namespace umf
