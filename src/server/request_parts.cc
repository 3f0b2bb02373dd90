#include "server/request_parts.h"

#include <fmt/core.h>

#include <algorithm>

#include "server/api_error.h"
#include "server/judging_bounds.h"

namespace umf {
namespace {

constexpr std::size_t kStops = 16, kStopBytes = 256;
// Of a whole request: prompts of token ids have the most, and no model reads as many. Many requests
// may be in memory at a time.
constexpr std::size_t kValues = std::size_t{1} << 18;

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
                        ServedConfigurations configurations, const ApiRequest& request,
                        bool has_format) {
  const ServedConfiguration* configuration = find_configuration(configurations, request.model);
  static const Json kNothing = Json::object();
  const Json* umf = fields.find("umf");
  return parse_umf(umf == nullptr ? kNothing : *umf, limits, configuration,
                   {.conversation = request.is_chat() && request.messages.back().role == "user",
                    .by_problem = request.problem.has_value(),
                    .by_format = has_format});
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

}  // namespace

Json parse_body(std::string_view body) {
  try {
    return parse_json(body, "the request's body", kValues);
  } catch (const Error& mistake) {
    throw ApiError(400, mistake.what(), "", "invalid_json");
  }
}

std::string message_role(const RequestFields& message) {
  std::string role = message.text("role").value_or("");
  if (role == "developer") role = "system";
  if (role != "system" && role != "user" && role != "assistant")
    message.refuse("role", "must be system, developer, user or assistant");
  return role;
}

std::string message_text(const RequestFields& message,
                         std::initializer_list<std::string_view> types) {
  const Json* content = message.find("content");
  if (content != nullptr && content->is_string()) return content->get<std::string>();
  if (content == nullptr || !content->is_array())
    message.refuse("content", "must be a string or a list of text parts");
  std::string text;
  for (std::size_t i = 0; i < content->size(); ++i) {
    const RequestFields part((*content)[i], fmt::format("{}[{}]", message.name("content"), i));
    const std::string type = part.text("type").value_or("");
    if (std::ranges::find(types, type) == types.end())
      part.refuse("type", fmt::format("must be \"{}\"", *types.begin()));
    const auto piece = part.text("text");
    if (!piece) part.refuse("text", "is missing");
    part.ignore({"annotations", "logprobs"});
    part.finish();
    text += *piece;
  }
  return text;
}

void parse_common(const RequestFields& fields, const RequestLimits& limits,
                  ServedConfigurations configurations, ApiRequest& request,
                  const AnswerFormat& format) {
  request.model = fields.text("model").value_or("");
  request.umf = parse_chosen(fields, limits, configurations, request, !format.reward.is_null());
  require_format(format, request);
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

void check_request(const ApiRequest& request, const RequestLimits& limits) {
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
  const char* what = request.format.is_null() ? "a search" : "a JSON format";
  if (request.n != 1)
    throw bad_request("n", fmt::format("must be 1 with {}, which gives one answer", what));
  if (!request.stop.empty())
    throw bad_request("stop",
                      fmt::format("cannot be used with {}: whole answers are judged", what));
  if (umf.reward.is_null())
    throw bad_request("umf.reward", "is missing: a search needs to know what an answer is worth");
  check_judging_bounds(umf.reward, limits.judge_seconds);
}

}  // namespace umf
