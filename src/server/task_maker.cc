#include "server/task_maker.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "server/api_error.h"
#include "server/plain_task.h"
#include "server/search_plan.h"
#include "session/configuration.h"
#include "session/problem_search.h"

namespace umf {
namespace {

// A mistake that a lower folder found is the request's.
template <class Work>
auto as_bad_request(const Work& work) {
  try {
    return work();
  } catch (const ApiError&) {
    throw;
  } catch (const ContextExceeded& mistake) {
    throw ApiError(400, mistake.what(), "max_tokens", "context_length_exceeded");
  } catch (const Error& mistake) {
    throw ApiError(400, mistake.what());
  }
}

Action plain_action(const ApiRequest& request, std::span<const ModelInfo* const> models) {
  Action action = recommended_action(models, request.umf.decode);
  set_field(action, "seed", fmt::format("{}", request.seed));
  if (!request.umf.actions.empty()) choose_fields(action, request.umf.actions.front().fields);
  const auto set = [&](Action& member) {
    if (request.temperature) member.temperature = static_cast<float>(*request.temperature);
    if (request.top_p) member.top_p = static_cast<float>(*request.top_p);
  };
  set(action);
  for (Action& other : action.others) set(other);
  return action;
}

}  // namespace

TaskMaker::TaskMaker(ModelCache& model_cache, std::vector<ServedModel> models,
                     std::set<std::string> rewards, JudgeTools tools)
    : model_cache_(model_cache),
      models_(std::move(models)),
      rewards_(std::move(rewards)),
      tools_(std::move(tools)) {
  if (!tools_.process_reward_model) return;
  tools_.process_reward_model = [this, load = std::move(tools_.process_reward_model)](
                                    const std::string& where) -> ProcessRewardModel& {
    const std::lock_guard lock(tools_mutex_);
    return load(where);
  };
}

const ServedModel& TaskMaker::find(const std::string& name, const std::string& param) const {
  if (name.empty()) return models_.front();
  for (const ServedModel& model : models_) {
    if (model.name == name) return model;
  }
  throw ApiError(404, "this server has no model of that name; GET /v1/models lists them", param,
                 "model_not_found");
}

std::unique_ptr<DeviceTask> TaskMaker::make(const ApiRequest& request) const {
  if (!request.umf.search.empty()) return make_search(request);
  return as_bad_request([&] { return make_plain(request); });
}

// One model, or those that an action names.
std::vector<const ServedModel*> TaskMaker::writers_of(const ApiRequest& request) const {
  const bool chosen = !request.umf.actions.empty() && !request.umf.actions.front().model.empty();
  if (!chosen) return {&find(request.model, "model")};
  std::vector<ModelChoice> known;
  for (const ServedModel& model : models_) known.push_back({model.name, ""});
  std::vector<const ServedModel*> writers;
  for (const std::string& name : split_models(request.umf.actions.front().model, known))
    writers.push_back(&find(name, "umf.actions[0].model"));
  return writers;
}

std::unique_ptr<DeviceTask> TaskMaker::make_plain(const ApiRequest& request) const {
  const std::vector<const ServedModel*> writers = writers_of(request);
  std::vector<const ModelInfo*> infos;
  int window = 0;
  for (const ServedModel* writer : writers) {
    infos.push_back(&info(*writer));
    window = std::max(window, recommended_window(*infos.back()));
  }
  PlainPlan plan{.action = plain_action(request, infos),
                 .decode = request.umf.decode,
                 .n = request.n,
                 .stop = request.stop,
                 .stream_state = request.umf.stream_state};
  if (request.umf.window != 0) window = request.umf.window;
  plan.decode.length = request.max_tokens.value_or(window);
  std::vector<std::vector<Participant>> prompts(request.prompts.size() +
                                                (request.is_chat() ? 1 : 0));
  for (std::size_t i = 0; i < writers.size(); ++i) {
    const Checkpoint& checkpoint = model_cache_.checkpoint(writers[i]->number);
    const auto add = [&](std::size_t at, std::vector<Token> prompt) {
      check_length(prompt.size(), plan.decode.length, *infos[i]);
      prompts[at].push_back(
          {&model_cache_.model(writers[i]->number), &checkpoint.tokenizer, std::move(prompt)});
    };
    for (std::size_t at = 0; at < request.prompts.size(); ++at) {
      if (writers.size() > 1 && !std::holds_alternative<std::string>(request.prompts[at]))
        throw bad_request("prompt", "must be text where several models read it");
      add(at, raw_prompt(request.prompts[at], checkpoint, infos[i]->vocabulary));
    }
    if (request.is_chat())
      add(prompts.size() - 1, encode_chat(checkpoint.tokenizer, checkpoint.chat_template(),
                                          request.messages, /*add_generation_prompt=*/true));
  }
  std::vector<int> numbers;
  for (const ServedModel* writer : writers) numbers.push_back(writer->number);
  return std::make_unique<PlainTask>(std::move(prompts), std::move(plan),
                                     [&cache = model_cache_, numbers](int device, std::size_t i) {
                                       return &cache.replica(device).model(numbers[i]);
                                     });
}

std::vector<Token> TaskMaker::raw_prompt(const RawPrompt& prompt, const Checkpoint& checkpoint,
                                         int vocabulary) const {
  if (const auto* text = std::get_if<std::string>(&prompt))
    return checkpoint.tokenizer.encode(*text, SpecialText::kParse);
  const auto& tokens = std::get<std::vector<Token>>(prompt);
  for (const Token token : tokens) {
    if (token < 0 || token >= vocabulary)
      throw bad_request("prompt", fmt::format("has token {}, and the model knows 0 to {}", token,
                                              vocabulary - 1));
  }
  return tokens;
}

void TaskMaker::check_length(std::size_t prompt, int length, const ModelInfo& info) const {
  if (prompt + static_cast<std::size_t>(length) <= static_cast<std::size_t>(info.max_length))
    return;
  throw ApiError(400,
                 fmt::format("{} prompt tokens and {} answer tokens do not fit the context of {}; "
                             "shorten one of them",
                             prompt, length, info.max_length),
                 "max_tokens", "context_length_exceeded");
}

std::unique_ptr<ServedSearch> TaskMaker::make_search(const ApiRequest& request) const {
  return as_bad_request([&] {
    Configuration configuration = plan_search(request, *this, model_cache_);
    Problem problem = asked_problem(request);
    if (!request.umf.operators_reward) require_allowed(request.umf.reward);
    auto judge = std::make_unique<ServedJudge>(request.umf.reward,
                                               Asked{problem.id, problem.prompt}, tools_);
    return std::make_unique<ServedSearch>(model_cache_, std::move(configuration),
                                          std::move(problem), std::move(judge),
                                          ServedNews{.states = request.umf.stream_state,
                                                     .rollouts = request.umf.stream_rollouts,
                                                     .drawn = request.problem.has_value()},
                                          request.format);
  });
}

// A reward of rewards is as dangerous as they are.
void TaskMaker::require_allowed(const Json& spec) const {
  if (!spec.is_object() || !spec.contains("type") || !spec["type"].is_string())
    throw bad_request("umf.reward", "must be an object with a 'type'");
  if (spec.contains("of") && spec["of"].is_array()) {
    for (const Json& part : spec["of"]) require_allowed(part);
  }
  if (!rewards_.contains(spec["type"].get<std::string>())) {
    throw ApiError(403,
                   fmt::format("this server judges by {} only; its operator decides with "
                               "--allow-reward",
                               fmt::join(rewards_, ", ")),
                   "umf.reward.type", "reward_not_allowed");
  }
}

}  // namespace umf
