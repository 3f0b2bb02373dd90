#include "server/http_parts.h"

#include <fmt/core.h>

#include "server/chunked_body.h"

namespace umf {
namespace {

constexpr std::chrono::seconds kKeepAlive{10};

BodyEnd read_framed(const BodyFraming& framing, std::size_t limit, std::string& body) {
  const ByteSource source = [](char* to, std::size_t size) {
    return current_connection->read(to, size);
  };
  if (framing.chunked) return read_chunks(source, limit, body);
  if (*framing.length > limit) return BodyEnd::kTooLarge;
  return read_bytes(source, *framing.length, body);
}

}  // namespace

thread_local Connection* current_connection = nullptr;
thread_local const RequestHead* current_head = nullptr;

void answer(httplib::Response& response, const ApiError& error) {
  response.status = error.status();
  response.set_content(error_body(error), kJsonType);
}

void require_json() {
  const std::string_view type = current_head->value("content-type");
  if (type.substr(0, type.find(';')) != kJsonType)
    throw ApiError(415, "send the request with the header 'Content-Type: application/json'");
}

std::string read_body(std::size_t limit) {
  const BodyFraming& framing = current_head->body;
  if (!framing.chunked && !framing.length) {
    current_connection->leave_rest_unread();  // there may be a body all the same
    throw ApiError(411, "the request has no Content-Length");
  }
  std::string body;
  const BodyEnd end = read_framed(framing, limit, body);
  if (end == BodyEnd::kTooLarge)
    throw ApiError(413, fmt::format("the request is larger than {} bytes", limit), "",
                   "request_too_large");
  if (current_connection->late())
    throw ApiError(408, "the body took too long to arrive", "", "request_timeout");
  if (end == BodyEnd::kEarly) throw ApiError(400, "the body ended early");
  current_connection->body_done();
  return body;
}

void stream_events(httplib::Response& response, std::function<std::string(bool& over)> next,
                   std::function<void()> gone) {
  using Clock = std::chrono::steady_clock;
  response.set_header("Cache-Control", "no-cache");
  response.set_chunked_content_provider(
      "text/event-stream",
      [next = std::move(next), spoken = Clock::now()](std::size_t,
                                                      httplib::DataSink& sink) mutable {
        bool over = false;
        std::string text = next(over);
        if (text.empty() && Clock::now() - spoken > kKeepAlive) text = EventStream::keep_alive();
        if (!current_connection->client_is_there()) return false;
        if (!text.empty()) {
          if (!sink.write(text.data(), text.size())) return false;
          spoken = Clock::now();
        }
        if (over) sink.done();
        return true;
      },
      [gone = std::move(gone)](bool) { gone(); });
}

}  // namespace umf
