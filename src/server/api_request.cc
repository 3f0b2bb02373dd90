#include "server/api_request.h"

#include <fmt/core.h>

#include <algorithm>
#include <limits>

#include "server/api_error.h"
#include "server/api_format.h"
#include "server/request_fields.h"
#include "server/request_parts.h"

namespace umf {
namespace {

Message parse_message(const Json& object, const std::string& path) {
  const RequestFields message(object, path);
  std::string role = message_role(message);
  std::string content = message_text(message, {"text"});
  message.neutral("type", {"text", "message"});  // as some clients mark every message
  message.ignore({"name"});
  for (const char* key : {"refusal", "audio", "function_call"}) message.neutral(key, {});
  for (const char* key : {"tool_calls", "annotations"}) message.neutral(key, {Json::array()});
  message.finish();
  return {std::move(role), std::move(content)};
}

std::vector<Message> parse_messages(const RequestFields& request) {
  const Json* list = request.find("messages");
  if (list == nullptr || !list->is_array() || list->empty() || list->size() > kMostMessages)
    throw bad_request("messages", fmt::format("must be a list of 1 to {} messages", kMostMessages));
  std::vector<Message> messages;
  for (std::size_t i = 0; i < list->size(); ++i)
    messages.push_back(parse_message((*list)[i], fmt::format("messages[{}]", i)));
  return messages;
}

bool is_token(const Json& value) {
  return value.is_number_unsigned() &&
         value.get<std::uint64_t>() <=
             static_cast<std::uint64_t>(std::numeric_limits<Token>::max());
}

bool are_tokens(const Json& value) {
  if (!value.is_array() || value.empty()) return false;
  for (const Json& item : value) {
    if (!is_token(item)) return false;
  }
  return true;
}

std::vector<RawPrompt> parse_prompts(const RequestFields& request, const RequestLimits& limits) {
  const Json* prompt = request.find("prompt");
  const auto wrong = [] {
    return bad_request("prompt", "must be a string, a list of token ids, or a list of either kind");
  };
  if (prompt == nullptr) throw wrong();
  if (prompt->is_string()) return {prompt->get<std::string>()};
  if (are_tokens(*prompt)) return {prompt->get<std::vector<Token>>()};
  if (!prompt->is_array() || prompt->empty()) throw wrong();
  if (prompt->size() > static_cast<std::size_t>(limits.choices))
    throw bad_request("prompt", fmt::format("may hold at most {} prompts", limits.choices));
  std::vector<RawPrompt> prompts;
  for (const Json& item : *prompt) {
    if (item.is_string())
      prompts.emplace_back(item.get<std::string>());
    else if (are_tokens(item))
      prompts.emplace_back(item.get<std::vector<Token>>());
    else
      throw wrong();
  }
  return prompts;
}

Problem parse_asked(const RequestFields& fields) {
  const Json* problem = fields.find("problem");
  if (problem == nullptr) throw bad_request("problem", "is missing: what is to be solved");
  try {
    return make_problem(*problem, "problem");
  } catch (const Error& mistake) {
    throw ApiError(400, mistake.what(), "problem");
  }
}

}  // namespace

const ServedConfiguration* find_configuration(ServedConfigurations known, const std::string& name) {
  const auto found = std::ranges::find(known, name, &ServedConfiguration::name);
  return found == known.end() ? nullptr : &*found;
}

ApiRequest parse_chat_request(std::string_view body, const RequestLimits& limits,
                              ServedConfigurations configurations) {
  const Json json = parse_body(body);
  const RequestFields fields(json, "");
  ApiRequest request;
  request.messages = parse_messages(fields);
  parse_common(fields, limits, configurations, request, parse_response_format(fields));
  const auto newer = fields.integer("max_completion_tokens", 1, limits.max_tokens);
  if (newer && request.max_tokens && *newer != *request.max_tokens)
    throw bad_request("max_tokens", "and 'max_completion_tokens' differ; give one of them");
  if (newer) request.max_tokens = static_cast<int>(*newer);
  fields.ignore({"parallel_tool_calls"});
  for (const char* key : {"tools", "functions"}) fields.neutral(key, {Json::array()});
  for (const char* key : {"tool_choice", "function_call"}) fields.neutral(key, {"none", "auto"});
  fields.neutral("logprobs", {false});
  fields.neutral("top_logprobs", {0});
  fields.ignore({"reasoning_effort", "verbosity"});
  fields.neutral("modalities", {Json::array({"text"})});
  fields.finish();
  check_request(request, limits);
  return request;
}

ApiRequest parse_completion_request(std::string_view body, const RequestLimits& limits,
                                    ServedConfigurations configurations) {
  const Json json = parse_body(body);
  const RequestFields fields(json, "");
  ApiRequest request;
  request.kind = ApiRequest::Kind::kCompletion;
  request.prompts = parse_prompts(fields, limits);
  parse_common(fields, limits, configurations, request);
  if (request.choices() > limits.choices)
    throw bad_request("n", fmt::format("times the prompts may be at most {}", limits.choices));
  fields.neutral("best_of", {1, request.n});
  fields.neutral("echo", {false});
  fields.neutral("logprobs", {});
  fields.neutral("suffix", {""});
  fields.finish();
  check_request(request, limits);
  return request;
}

// As a chat whose one message is the problem's, and whose reward is the problem's, too.
ApiRequest parse_solve_request(std::string_view body, const RequestLimits& limits,
                               ServedConfigurations configurations) {
  const Json json = parse_body(body);
  const RequestFields fields(json, "");
  ApiRequest request;
  request.problem = parse_asked(fields);
  request.messages = {{"user", request.problem->prompt}};
  parse_common(fields, limits, configurations, request);
  fields.finish();
  if (request.umf.search.empty())
    throw bad_request("umf.search", "is missing: which search is to solve the problem");
  if (!request.umf.reward.is_null())
    throw bad_request("umf.reward", "is the problem's own; leave it out");
  if (request.stream)
    throw bad_request("stream", "is for chats: the events of a solve have a path of their own");
  request.umf.reward = request.problem->reward;
  check_request(request, limits);
  request.umf.stream_state = request.umf.stream_rollouts = true;
  return request;
}

}  // namespace umf
