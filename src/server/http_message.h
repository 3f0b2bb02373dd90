// A request as its handler gets it, and what is answered.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "server/api_error.h"
#include "server/connection.h"
#include "server/request_head.h"

namespace umf {

inline constexpr const char* kJsonType = "application/json";

// What the log tells of a request beside its path and status. The handler fills it, a stream's at
// its end.
struct RequestNotes {
  bool answered = false;  // with tokens
  long prompt_tokens = 0, completion_tokens = 0, passes = 0;
  std::string why;  // it ended, or was refused
};

struct HttpRequest {
  const RequestHead& head;
  Connection& connection;
  std::string name;     // what stands at the * of the route's pattern
  RequestNotes& notes;  // lives until the answer was sent

  // Throws ApiError for a body that is too large, too slow or not framed as HTTP has it.
  std::string read_body() const;
};

struct HttpResponse {
  int status = 200;
  std::string type, body;
  std::vector<std::pair<std::string, std::string>> headers = {};  // beside those that all have
  // Instead of the body: the text that is new, or nothing for now; says through its argument when
  // the stream is over.
  std::function<std::string(bool& over)> next = {};
  std::function<void()> gone = [] {};  // called at the end of the stream, also where it broke off
};

HttpResponse json_response(std::string body);
HttpResponse error_response(const ApiError& error);
// Server-sent events.
HttpResponse event_stream(
    std::function<std::string(bool& over)> next, std::function<void()> gone = [] {});

}  // namespace umf
