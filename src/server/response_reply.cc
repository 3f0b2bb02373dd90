#include "server/response_reply.h"

namespace umf {
namespace {

std::string written(const OrderedJson& json) {
  return json.dump(-1, ' ', false, OrderedJson::error_handler_t::replace);
}

std::string message_id(const ReplyHead& head) { return "msg-" + head.id; }

OrderedJson text_part(const std::string& text) {
  return {{"type", "output_text"},
          {"text", text},
          {"annotations", OrderedJson::array()},
          {"logprobs", OrderedJson::array()}};
}

OrderedJson message_json(const ReplyHead& head, const char* status, OrderedJson content) {
  return {{"id", message_id(head)},
          {"type", "message"},
          {"status", status},
          {"role", "assistant"},
          {"content", std::move(content)}};
}

OrderedJson usage_json(const Completion& completion) {
  return {{"input_tokens", completion.prompt_tokens},
          {"input_tokens_details", {{"cached_tokens", 0}}},
          {"output_tokens", completion.completion_tokens},
          {"output_tokens_details", {{"reasoning_tokens", 0}}},
          {"total_tokens", completion.prompt_tokens + completion.completion_tokens},
          {"nfe", completion.nfe}};
}

OrderedJson response_json(const ReplyHead& head, const OrderedJson& echo, const char* status) {
  OrderedJson json = {{"id", head.id},
                      {"object", "response"},
                      {"created_at", head.created},
                      {"status", status},
                      {"error", nullptr},
                      {"incomplete_details", nullptr},
                      {"model", head.model},
                      {"output", OrderedJson::array()},
                      {"usage", nullptr}};
  json.update(echo);
  return json;
}

// An answer that fills its window without an end is incomplete.
bool is_whole(const Completion& completion) { return completion.choices.front().finish == "stop"; }

OrderedJson finished_json(const ReplyHead& head, const OrderedJson& echo,
                          const Completion& completion) {
  const char* status = is_whole(completion) ? "completed" : "incomplete";
  OrderedJson json = response_json(head, echo, status);
  if (!is_whole(completion)) json["incomplete_details"] = {{"reason", "max_output_tokens"}};
  const std::string& text = completion.choices.front().text;
  json["output"].push_back(message_json(head, status, OrderedJson::array({text_part(text)})));
  json["usage"] = usage_json(completion);
  if (!completion.umf.is_null()) json["umf"] = completion.umf;
  return json;
}

OrderedJson or_null(const std::optional<double>& value) {
  return value ? OrderedJson(*value) : OrderedJson(nullptr);
}

}  // namespace

OrderedJson response_echo(const ApiRequest& request) {
  OrderedJson format = {{"type", "text"}};
  if (!request.format.is_null())
    format = {{"type", "json_schema"}, {"name", "answer"}, {"schema", request.format["schema"]}};
  OrderedJson echo = {{"background", false},
                      {"instructions", nullptr},
                      {"max_output_tokens", nullptr},
                      {"metadata", OrderedJson::object()},
                      {"parallel_tool_calls", false},
                      {"previous_response_id", nullptr},
                      {"reasoning", {{"effort", nullptr}, {"summary", nullptr}}},
                      {"store", false},
                      {"temperature", or_null(request.temperature)},
                      {"text", {{"format", format}}},
                      {"tool_choice", "auto"},
                      {"tools", OrderedJson::array()},
                      {"top_p", or_null(request.top_p)},
                      {"truncation", "disabled"}};
  if (request.instructions) echo["instructions"] = *request.instructions;
  if (request.max_tokens) echo["max_output_tokens"] = *request.max_tokens;
  return echo;
}

std::string response_body(const ReplyHead& head, const OrderedJson& echo,
                          const Completion& completion) {
  return written(finished_json(head, echo, completion));
}

std::string ResponseStream::event(const JobEvent& event) {
  return std::visit(
      Overloaded{[&](const TextPiece& text) { return piece(text); },
                 [&](const ChoiceEnd&) { return std::string(); },  // the completion has it all
                 [&](const StateNews& news) {
                   std::string text = begin();
                   return text += told("umf.state", {{"state", OrderedJson(news.state)}});
                 },
                 [&](const RolloutNews& news) {
                   std::string text = begin();
                   return text += told("umf.rollout", {{"rollout", OrderedJson(news.rollout)}});
                 },
                 [&](const Completion& completion) { return close(completion); },
                 [&](const ApiError& error) { return fail(error); }},
      event);
}

std::string ResponseStream::told(const std::string& type, OrderedJson fields) {
  OrderedJson json = {{"type", type}, {"sequence_number", number_++}};
  json.update(fields);
  return "event: " + type + "\ndata: " + written(json) + "\n\n";
}

OrderedJson ResponseStream::place() const {
  return {{"item_id", message_id(head_)}, {"output_index", 0}, {"content_index", 0}};
}

std::string ResponseStream::begin() {
  if (begun_) return "";
  begun_ = true;
  const OrderedJson response = response_json(head_, echo_, "in_progress");
  OrderedJson part = place();
  part["part"] = text_part("");
  // One after the other: each takes the next number.
  std::string text = told("response.created", {{"response", response}});
  text += told("response.in_progress", {{"response", response}});
  text += told(
      "response.output_item.added",
      {{"output_index", 0}, {"item", message_json(head_, "in_progress", OrderedJson::array())}});
  text += told("response.content_part.added", part);
  return text;
}

std::string ResponseStream::piece(const TextPiece& piece) {
  text_ += piece.text;
  OrderedJson fields = place();
  fields["delta"] = piece.text;
  fields["logprobs"] = OrderedJson::array();
  std::string text = begin();
  text += told("response.output_text.delta", fields);
  return text;
}

std::string ResponseStream::close(const Completion& completion) {
  done_ = true;
  std::string text = begin();
  OrderedJson fields = place();
  fields["text"] = text_;
  fields["logprobs"] = OrderedJson::array();
  text += told("response.output_text.done", fields);
  OrderedJson part = place();
  part["part"] = text_part(text_);
  text += told("response.content_part.done", part);
  const OrderedJson response = finished_json(head_, echo_, completion);
  text += told("response.output_item.done", {{"output_index", 0}, {"item", response["output"][0]}});
  text += told(is_whole(completion) ? "response.completed" : "response.incomplete",
               {{"response", response}});
  return text;
}

std::string ResponseStream::fail(const ApiError& error) {
  done_ = true;
  const OrderedJson body = error_json(error);
  OrderedJson fields = body["error"];  // as newer clients read it, and as older ones do
  fields["error"] = body["error"];
  fields.erase("type");
  return told("error", fields);
}

}  // namespace umf
