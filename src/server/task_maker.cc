#include "server/task_maker.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

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

Action plain_action(const ApiRequest& request, const ModelInfo& info) {
  Action action = recommended_action(info);
  action.seed = request.seed;
  if (!request.umf.actions.empty()) set_fields(action, request.umf.actions.front().fields);
  if (request.temperature) action.temperature = static_cast<float>(*request.temperature);
  if (request.top_p) action.top_p = static_cast<float>(*request.top_p);
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

std::unique_ptr<DeviceTask> TaskMaker::make_plain(const ApiRequest& request) const {
  const bool chosen = !request.umf.actions.empty() && !request.umf.actions.front().model.empty();
  const ServedModel& served = chosen
                                  ? find(request.umf.actions.front().model, "umf.actions[0].model")
                                  : find(request.model, "model");
  const Checkpoint& checkpoint = model_cache_.checkpoint(served.number);
  const ModelInfo& info = this->info(served);
  PlainPlan plan{.action = plain_action(request, info),
                 .decode = request.umf.decode,
                 .n = request.n,
                 .stop = request.stop,
                 .stream_state = request.umf.stream_state};
  plan.decode.length = request.max_tokens.value_or(recommended_window(info));
  std::vector<std::vector<Token>> prompts;
  for (const RawPrompt& prompt : request.prompts)
    prompts.push_back(raw_prompt(prompt, checkpoint, info.vocabulary));
  if (request.is_chat())
    prompts.push_back(encode_chat(checkpoint.tokenizer, checkpoint.chat_template(),
                                  request.messages, /*add_generation_prompt=*/true));
  for (const auto& prompt : prompts) check_length(prompt.size(), plan.decode.length, info);
  return std::make_unique<PlainTask>(model_cache_.model(served.number), checkpoint.tokenizer,
                                     std::move(prompts), std::move(plan));
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
    auto judge = judge_of(request.umf.reward, problem);
    return std::make_unique<ServedSearch>(model_cache_, std::move(configuration),
                                          std::move(problem), std::move(judge),
                                          ServedNews{.states = request.umf.stream_state,
                                                     .rollouts = request.umf.stream_rollouts,
                                                     .drawn = request.problem.has_value()});
  });
}

std::unique_ptr<ServedJudge> TaskMaker::judge_of(const Json& spec, const Problem& problem) const {
  require_allowed(spec);
  return std::make_unique<ServedJudge>(spec, Asked{problem.id, problem.prompt}, tools_);
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
