#include "server/http_message.h"

#include <fmt/core.h>

#include "server/api_reply.h"
#include "server/chunked_body.h"

namespace umf {
namespace {

constexpr std::chrono::seconds kKeepAlive{10};

BodyEnd read_framed(const BodyFraming& framing, Connection& connection, std::string& body) {
  const ByteSource source = [&](char* to, std::size_t size) { return connection.read(to, size); };
  const std::size_t limit = connection.limits().body_bytes;
  if (framing.chunked) return read_chunks(source, limit, body);
  if (*framing.length > limit) return BodyEnd::kTooLarge;
  return read_bytes(source, *framing.length, body);
}

}  // namespace

std::string HttpRequest::read_body() const {
  if (!head.body.chunked && !head.body.length) {
    connection.leave_rest_unread();  // there may be a body all the same
    throw ApiError(411, "the request has no Content-Length");
  }
  std::string body;
  const BodyEnd end = read_framed(head.body, connection, body);
  if (end == BodyEnd::kTooLarge)
    throw ApiError(
        413, fmt::format("the request is larger than {} bytes", connection.limits().body_bytes), "",
        "request_too_large");
  if (connection.late())
    throw ApiError(408, "the body took too long to arrive", "", "request_timeout");
  if (end == BodyEnd::kEarly) throw ApiError(400, "the body ended early");
  connection.body_done();
  return body;
}

HttpResponse json_response(std::string body) {
  return {.type = kJsonType, .body = std::move(body)};
}

HttpResponse error_response(const ApiError& error) {
  return {.status = error.status(), .type = kJsonType, .body = error_body(error)};
}

HttpResponse event_stream(std::function<std::string(bool& over)> next, std::function<void()> gone) {
  using Clock = std::chrono::steady_clock;
  HttpResponse response{.type = "text/event-stream", .headers = {{"Cache-Control", "no-cache"}}};
  response.next = [next = std::move(next), sent = Clock::now()](bool& over) mutable {
    std::string text = next(over);
    if (text.empty() && Clock::now() - sent > kKeepAlive) text = EventStream::keep_alive();
    if (!text.empty()) sent = Clock::now();
    return text;
  };
  response.gone = std::move(gone);
  return response;
}

}  // namespace umf
