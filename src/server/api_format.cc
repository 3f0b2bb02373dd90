#include "server/api_format.h"

#include <fmt/core.h>

#include "server/api_error.h"

namespace umf {
namespace {

// `schema` stands in the same object as the type, or in one of its own.
AnswerFormat parse_format(const RequestFields& format, const char* schema_object) {
  const std::string type = format.text("type").value_or("");
  if (type == "text" || type == "json_object") {
    format.finish();
    if (type == "text") return {};
    return {.reward = {{"type", "json"}, {"schema", {{"type", "object"}}}}, .instruction = ""};
  }
  if (type != "json_schema") format.refuse("type", "must be text, json_object or json_schema");
  const Json* given = schema_object == nullptr ? nullptr : format.find(schema_object);
  if (schema_object != nullptr && given == nullptr) format.refuse(schema_object, "is missing");
  const auto read = [&](const RequestFields& fields) -> AnswerFormat {
    fields.ignore({"name", "description", "strict"});
    const Json* schema = fields.find("schema");
    if (schema == nullptr) fields.refuse("schema", "is missing");
    fields.finish();
    return {.reward = {{"type", "json"}, {"schema", *schema}},
            .instruction = "Answer with JSON that fits this JSON Schema, and nothing else:\n" +
                           schema->dump()};
  };
  if (given == nullptr) return read(format);
  format.finish();
  return read(RequestFields(*given, format.name(schema_object)));
}

}  // namespace

AnswerFormat parse_response_format(const RequestFields& fields) {
  const Json* format = fields.find("response_format");
  if (format == nullptr) return {};
  return parse_format(RequestFields(*format, "response_format"), "json_schema");
}

AnswerFormat parse_text_format(const RequestFields& text) {
  const Json* format = text.find("format");
  if (format == nullptr) return {};
  return parse_format(RequestFields(*format, text.name("format")), nullptr);
}

void require_format(const AnswerFormat& format, ApiRequest& request) {
  if (format.reward.is_null()) return;
  request.format = format.reward;
  Json& reward = request.umf.reward;
  reward = reward.is_null() ? format.reward
                            : Json{{"type", "all"}, {"of", Json::array({reward, format.reward})}};
  if (format.instruction.empty()) return;
  std::vector<Message>& messages = request.messages;
  if (messages.front().role == "system")
    messages.front().content += "\n\n" + format.instruction;
  else
    messages.insert(messages.begin(), {"system", format.instruction});
}

}  // namespace umf
