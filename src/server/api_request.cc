#include "server/api_request.h"

#include <fmt/core.h>

#include <algorithm>
#include <limits>

#include "server/api_error.h"
#include "server/judging_bounds.h"
#include "server/request_fields.h"

namespace umf {
namespace {

constexpr std::size_t kMessages = 4096, kStops = 16, kStopBytes = 256;
// Of a whole request: prompts of token ids have the most, and no model reads as many. Many requests
// may be in memory at a time.
constexpr std::size_t kValues = std::size_t{1} << 18;

Json parse_body(std::string_view body) {
  try {
    return parse_json(body, "the request's body", kValues);
  } catch (const Error& mistake) {
    throw ApiError(400, mistake.what(), "", "invalid_json");
  }
}

// A string, or the parts that newer clients send. Only text can be told to these models.
std::string message_content(const RequestFields& message) {
  const Json* content = message.find("content");
  if (content != nullptr && content->is_string()) return content->get<std::string>();
  if (content == nullptr || !content->is_array())
    message.refuse("content", "must be a string or a list of text parts");
  std::string text;
  for (std::size_t i = 0; i < content->size(); ++i) {
    const RequestFields part((*content)[i], fmt::format("{}[{}]", message.name("content"), i));
    if (part.text("type") != "text") part.refuse("type", "must be \"text\"");
    const auto piece = part.text("text");
    if (!piece) part.refuse("text", "is missing");
    part.finish();
    text += *piece;
  }
  return text;
}

Message parse_message(const Json& object, const std::string& path) {
  const RequestFields message(object, path);
  std::string role = message.text("role").value_or("");
  if (role == "developer") role = "system";
  if (role != "system" && role != "user" && role != "assistant")
    message.refuse("role", "must be system, developer, user or assistant");
  std::string content = message_content(message);
  message.neutral("type", {"text", "message"});  // as some clients mark every message
  message.ignore({"name"});
  for (const char* key : {"refusal", "audio", "function_call"}) message.neutral(key, {});
  for (const char* key : {"tool_calls", "annotations"}) message.neutral(key, {Json::array()});
  message.finish();
  return {std::move(role), std::move(content)};
}

std::vector<Message> parse_messages(const RequestFields& request) {
  const Json* list = request.find("messages");
  if (list == nullptr || !list->is_array() || list->empty() || list->size() > kMessages)
    throw bad_request("messages", fmt::format("must be a list of 1 to {} messages", kMessages));
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

std::vector<std::string> parse_stop(const RequestFields& request) {
  std::vector<std::string> stop = request.texts("stop", kStops);
  for (const std::string& text : stop) {
    if (text.empty() || text.size() > kStopBytes)
      throw bad_request("stop", fmt::format("must hold strings of 1 to {} bytes", kStopBytes));
  }
  return stop;
}

void parse_stream(const RequestFields& fields, ApiRequest& request) {
  request.stream = fields.flag("stream").value_or(false);
  if (const Json* options = fields.find("stream_options")) {
    if (!request.stream) throw bad_request("stream_options", "is for streams; set 'stream'");
    const RequestFields stream(*options, "stream_options");
    request.include_usage = stream.flag("include_usage").value_or(false);
    stream.ignore({"include_obfuscation"});
    stream.finish();
  }
}

std::uint64_t parse_seed(const RequestFields& fields, std::uint64_t otherwise) {
  const Json* seed = fields.find("seed");
  if (seed == nullptr) return otherwise;
  if (!seed->is_number_unsigned())
    fields.refuse("seed", "must be a whole number from 0 to 18446744073709551615");
  return seed->get<std::uint64_t>();
}

// The "umf" object, below it the configuration that the request names as its model.
UmfRequest parse_chosen(const RequestFields& fields, const RequestLimits& limits,
                        ServedConfigurations configurations, const ApiRequest& request) {
  const ServedConfiguration* configuration = find_configuration(configurations, request.model);
  static const Json kNothing = Json::object();
  const Json* umf = fields.find("umf");
  return parse_umf(umf == nullptr ? kNothing : *umf, limits, configuration,
                   request.problem.has_value());
}

// A configuration has temperatures of its own. Many clients send one with every request, so that it
// is no mistake there; the reply says that it had no effect.
void leave_to_configuration(ApiRequest& request) {
  const auto leave = [&](std::optional<double>& value, const char* key) {
    if (value) request.ignored.emplace_back(key);
    value.reset();
  };
  leave(request.temperature, "temperature");
  leave(request.top_p, "top_p");
}

// What all endpoints have.
void parse_common(const RequestFields& fields, const RequestLimits& limits,
                  ServedConfigurations configurations, ApiRequest& request) {
  request.model = fields.text("model").value_or("");
  request.umf = parse_chosen(fields, limits, configurations, request);
  request.n = static_cast<int>(fields.integer("n", 1, limits.choices).value_or(1));
  request.seed = parse_seed(fields, request.umf.seed);
  const auto max_tokens = fields.integer("max_tokens", 1, limits.max_tokens);
  if (max_tokens) request.max_tokens = static_cast<int>(*max_tokens);
  request.temperature = fields.number("temperature", 0, 100);
  request.top_p = fields.number("top_p", 0, 1);
  if (request.top_p == 0.0) throw bad_request("top_p", "must be above 0");
  if (find_configuration(configurations, request.model) != nullptr) leave_to_configuration(request);
  request.stop = parse_stop(fields);
  parse_stream(fields, request);

  fields.ignore({"user", "metadata", "store", "service_tier", "safety_identifier",
                 "prompt_cache_key", "prompt_cache_retention"});
  for (const char* key : {"frequency_penalty", "presence_penalty"}) fields.neutral(key, {0});
  fields.neutral("logit_bias", {Json::object()});
}

// What only makes sense together.
void check(const ApiRequest& request, const RequestLimits& limits) {
  const UmfRequest& umf = request.umf;
  const bool searches = !umf.search.empty();
  if (!umf.actions.empty() && (request.temperature || request.top_p))
    throw bad_request("umf.actions",
                      "and 'temperature' or 'top_p' exclude each other: give them "
                      "in the actions");
  if ((umf.stream_state || umf.stream_rollouts) && !request.stream)
    throw bad_request(umf.stream_state ? "umf.stream_state" : "umf.stream_rollouts",
                      "is for streams; set 'stream'");
  if (!searches && umf.stream_rollouts)
    throw bad_request("umf.stream_rollouts", "is for searches; set 'umf.search'");
  if (!searches && umf.actions.size() > 1)
    throw bad_request("umf.actions",
                      "has several actions, which only a search can use; set "
                      "'umf.search'");
  if (!searches) return;
  if (!request.is_chat())
    throw bad_request("umf.search", "is for /v1/chat/completions: a search has a conversation");
  if (request.messages.back().role != "user")
    throw bad_request("messages", "must end with the user's message, which the search answers");
  if (request.n != 1) throw bad_request("n", "must be 1 with 'umf.search', which finds one answer");
  if (!request.stop.empty())
    throw bad_request("stop", "cannot be used with 'umf.search': rewards judge whole answers");
  if (umf.reward.is_null())
    throw bad_request("umf.reward", "is missing: a search needs to know what an answer is worth");
  check_judging_bounds(umf.reward, limits.judge_seconds);
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
  parse_common(fields, limits, configurations, request);
  const auto newer = fields.integer("max_completion_tokens", 1, limits.max_tokens);
  if (newer && request.max_tokens && *newer != *request.max_tokens)
    throw bad_request("max_tokens", "and 'max_completion_tokens' differ; give one of them");
  if (newer) request.max_tokens = static_cast<int>(*newer);
  fields.ignore({"parallel_tool_calls"});
  for (const char* key : {"tools", "functions"}) fields.neutral(key, {Json::array()});
  for (const char* key : {"tool_choice", "function_call"}) fields.neutral(key, {"none", "auto"});
  fields.neutral("logprobs", {false});
  fields.neutral("top_logprobs", {0});
  fields.neutral("response_format", {Json{{"type", "text"}}});
  fields.neutral("modalities", {Json::array({"text"})});
  fields.finish();
  check(request, limits);
  return request;
}

ApiRequest parse_completion_request(std::string_view body, const RequestLimits& limits,
                                    ServedConfigurations configurations) {
  const Json json = parse_body(body);
  const RequestFields fields(json, "");
  ApiRequest request;
  request.prompts = parse_prompts(fields, limits);
  parse_common(fields, limits, configurations, request);
  if (request.choices() > limits.choices)
    throw bad_request("n", fmt::format("times the prompts may be at most {}", limits.choices));
  fields.neutral("best_of", {1, request.n});
  fields.neutral("echo", {false});
  fields.neutral("logprobs", {});
  fields.neutral("suffix", {""});
  fields.finish();
  check(request, limits);
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
  check(request, limits);
  request.umf.stream_state = request.umf.stream_rollouts = true;
  return request;
}

}  // namespace umf
