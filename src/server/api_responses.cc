// The requests of /v1/responses: chats in other words.
#include <fmt/core.h>

#include "server/api_error.h"
#include "server/api_format.h"
#include "server/api_request.h"
#include "server/request_fields.h"
#include "server/request_parts.h"

namespace umf {
namespace {

constexpr const char* kKeepsNothing =
    "is not known here: this server keeps no responses. Send the whole conversation as 'input'";

Message parse_item(const Json& object, const std::string& path) {
  const RequestFields item(object, path);
  const std::string type = item.text("type").value_or("message");
  if (type == "item_reference") item.refuse("id", kKeepsNothing);
  if (type != "message") item.refuse("type", "must be \"message\": only text is understood here");
  const std::string role = message_role(item);
  std::string text = message_text(item, {"input_text", "output_text", "text"});
  item.ignore({"id", "status", "phase"});
  item.finish();
  return {role, std::move(text)};
}

std::vector<Message> parse_input(const RequestFields& fields) {
  const Json* input = fields.find("input");
  if (input != nullptr && input->is_string()) return {{"user", input->get<std::string>()}};
  if (input == nullptr || !input->is_array() || input->empty() || input->size() > kMostMessages)
    throw bad_request("input",
                      fmt::format("must be a string or a list of 1 to {} messages", kMostMessages));
  std::vector<Message> messages;
  for (std::size_t i = 0; i < input->size(); ++i)
    messages.push_back(parse_item((*input)[i], fmt::format("input[{}]", i)));
  return messages;
}

AnswerFormat parse_text(const RequestFields& fields) {
  const Json* text = fields.find("text");
  if (text == nullptr) return {};
  const RequestFields checked(*text, "text");
  checked.ignore({"verbosity"});
  AnswerFormat format = parse_text_format(checked);
  checked.finish();
  return format;
}

}  // namespace

ApiRequest parse_response_request(std::string_view body, const RequestLimits& limits,
                                  ServedConfigurations configurations) {
  const Json json = parse_body(body);
  const RequestFields fields(json, "");
  for (const char* key : {"previous_response_id", "conversation", "prompt"}) {
    if (fields.has(key)) fields.refuse(key, kKeepsNothing);
  }
  ApiRequest request;
  request.kind = ApiRequest::Kind::kResponse;
  request.messages = parse_input(fields);
  request.instructions = fields.text("instructions");
  if (request.instructions)
    request.messages.insert(request.messages.begin(), {"system", *request.instructions});
  parse_common(fields, limits, configurations, request, parse_text(fields));
  if (const auto most = fields.integer("max_output_tokens", 1, limits.max_tokens))
    request.max_tokens = static_cast<int>(*most);
  if (request.n != 1) throw bad_request("n", "must be 1: a response is one answer");
  fields.ignore(
      {"parallel_tool_calls", "include", "reasoning", "max_tool_calls", "context_management"});
  fields.neutral("tools", {Json::array()});
  fields.neutral("tool_choice", {"none", "auto"});
  fields.neutral("truncation", {"disabled", "auto"});
  fields.neutral("background", {false});
  fields.neutral("top_logprobs", {0});
  fields.finish();
  check_request(request, limits);
  return request;
}

}  // namespace umf
