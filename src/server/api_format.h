// Answers that must be JSON: the fields of a request that say so, as a reward.
#pragma once

#include "server/api_request.h"
#include "server/request_fields.h"

namespace umf {

// What a request asks of the form of its answer.
struct AnswerFormat {
  Json reward = nullptr;    // {"type":"json",...}; null: any text
  std::string instruction;  // for the model, where the client did not tell it; may be empty
};

// "response_format" of a chat, whose schema stands in "json_schema". Throws ApiError.
AnswerFormat parse_response_format(const RequestFields& fields);
// "text.format" of a response, which has the schema itself.
AnswerFormat parse_text_format(const RequestFields& text);

// Judges the answer by its form, too, and tells the model.
void require_format(const AnswerFormat& format, ApiRequest& request);

}  // namespace umf
