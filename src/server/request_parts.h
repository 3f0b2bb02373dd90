// What the requests of several endpoints have in common.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>

#include "server/api_format.h"
#include "server/api_request.h"
#include "server/request_fields.h"

namespace umf {

inline constexpr std::size_t kMostMessages = 4096;

// All throw ApiError.
Json parse_body(std::string_view body);
// system, user or assistant; a developer is the system.
std::string message_role(const RequestFields& message);
// Its content: a string, or parts of these types, joined. Only text can be told to these models.
std::string message_text(const RequestFields& message,
                         std::initializer_list<std::string_view> types);
// The fields that all endpoints have, once the request's messages are there.
void parse_common(const RequestFields& fields, const RequestLimits& limits,
                  ServedConfigurations configurations, ApiRequest& request,
                  const AnswerFormat& format = {});
// What only makes sense together.
void check_request(const ApiRequest& request, const RequestLimits& limits);

}  // namespace umf
