#include "server/api_reply.h"

namespace umf {
namespace {

// Every text in a reply is valid UTF-8 already; what a judge or a system call said may not be.
std::string written(const OrderedJson& json) {
  return json.dump(-1, ' ', false, OrderedJson::error_handler_t::replace);
}

const char* error_type(int status) {
  if (status == 401) return "authentication_error";
  if (status == 403) return "permission_error";
  if (status == 429) return "rate_limit_error";
  return status >= 500 ? "server_error" : "invalid_request_error";
}

OrderedJson or_null(const std::string& text) {
  return text.empty() ? OrderedJson(nullptr) : OrderedJson(text);
}

OrderedJson usage(const Completion& completion) {
  return {{"prompt_tokens", completion.prompt_tokens},
          {"completion_tokens", completion.completion_tokens},
          {"total_tokens", completion.prompt_tokens + completion.completion_tokens},
          {"nfe", completion.nfe}};
}

OrderedJson choice_json(const ReplyHead& head, const Choice& choice, std::size_t index) {
  OrderedJson json = {{"index", index}};
  if (head.chat)
    json["message"] = {{"role", "assistant"}, {"content", choice.text}, {"refusal", nullptr}};
  else
    json["text"] = choice.text;
  json["logprobs"] = nullptr;
  json["finish_reason"] = choice.finish;
  return json;
}

OrderedJson delta_json(const ReplyHead& head, int index, const std::string& text,
                       const OrderedJson& finish) {
  OrderedJson json = {{"index", index}};
  if (!head.chat)
    json["text"] = text;
  else if (finish.is_null())
    json["delta"] = {{"content", text}};
  else
    json["delta"] = OrderedJson::object();
  json["logprobs"] = nullptr;
  json["finish_reason"] = finish;
  return json;
}

std::string data(const OrderedJson& json) { return "data: " + written(json) + "\n\n"; }

}  // namespace

OrderedJson error_json(const ApiError& error) {
  return {{"error",
           {{"message", error.what()},
            {"type", error_type(error.status())},
            {"param", or_null(error.param())},
            {"code", or_null(error.code())}}}};
}

std::string error_body(const ApiError& error) { return written(error_json(error)); }

std::string completion_body(const ReplyHead& head, const Completion& completion) {
  OrderedJson choices = OrderedJson::array();
  for (std::size_t i = 0; i < completion.choices.size(); ++i)
    choices.push_back(choice_json(head, completion.choices[i], i));
  OrderedJson json = {{"id", head.id},
                      {"object", head.chat ? "chat.completion" : "text_completion"},
                      {"created", head.created},
                      {"model", head.model},
                      {"choices", choices},
                      {"usage", usage(completion)},
                      {"system_fingerprint", head.fingerprint}};
  if (!completion.umf.is_null()) json["umf"] = completion.umf;
  return written(json);
}

std::string EventStream::event(const JobEvent& event) {
  return std::visit(Overloaded{[&](const TextPiece& text) { return piece(text); },
                               [&](const ChoiceEnd& choice_end) { return end(choice_end); },
                               // Without choices, so that clients which know nothing of it skip it.
                               [&](const StateNews& news) {
                                 OrderedJson json = chunk(OrderedJson::array());
                                 json["umf"]["state"] = news.state;
                                 json["umf"]["state"]["choice"] = news.choice;
                                 return "event: umf.state\n" + data(json);
                               },
                               [&](const RolloutNews& news) {
                                 OrderedJson json = chunk(OrderedJson::array());
                                 json["umf"]["rollout"] = news.rollout;
                                 return "event: umf.rollout\n" + data(json);
                               },
                               [&](const Completion& completion) { return close(completion); },
                               [&](const ApiError& error) {
                                 done_ = true;
                                 return data(error_json(error));
                               }},
                    event);
}

OrderedJson EventStream::chunk(OrderedJson choices) const {
  return {{"id", head_.id},
          {"object", head_.chat ? "chat.completion.chunk" : "text_completion"},
          {"created", head_.created},
          {"model", head_.model},
          {"choices", std::move(choices)},
          {"system_fingerprint", head_.fingerprint}};
}

std::string EventStream::begin(int choice) {
  if (!begun_.insert(choice).second || !head_.chat) return "";
  OrderedJson json = delta_json(head_, choice, "", nullptr);
  json["delta"] = {{"role", "assistant"}, {"content", ""}};
  return data(chunk(OrderedJson::array({json})));
}

std::string EventStream::piece(const TextPiece& piece) {
  return begin(piece.choice) +
         data(chunk(OrderedJson::array({delta_json(head_, piece.choice, piece.text, nullptr)})));
}

std::string EventStream::end(const ChoiceEnd& end) {
  OrderedJson json = chunk(OrderedJson::array({delta_json(head_, end.choice, "", end.reason)}));
  if (!end.umf.is_null()) json["umf"] = end.umf;
  return begin(end.choice) + data(json);
}

std::string EventStream::close(const Completion& completion) {
  done_ = true;
  std::string text;
  if (include_usage_) {
    OrderedJson json = chunk(OrderedJson::array());
    json["usage"] = usage(completion);
    text = data(json);
  }
  return text + "data: [DONE]\n\n";
}

}  // namespace umf
