#include "server/http_parts.h"

#include <fmt/core.h>

#include <charconv>
#include <limits>

namespace umf {
namespace {

constexpr std::chrono::seconds kKeepAlive{10};

// How long the body says it is; nothing for one that comes in chunks.
std::optional<std::size_t> body_length(const httplib::Request& request) {
  const auto lengths = request.get_header_value_count("Content-Length");
  if (request.has_header("Transfer-Encoding")) {
    if (lengths > 0 || request.get_header_value("Transfer-Encoding") != "chunked")
      throw ApiError(400, "a body has a Content-Length or 'Transfer-Encoding: chunked'");
    return std::nullopt;
  }
  if (lengths == 0) throw ApiError(411, "the request has no Content-Length");
  const std::string text = request.get_header_value("Content-Length");
  std::size_t length = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), length);
  if (lengths > 1 || end != text.data() + text.size() || text.empty() ||
      failure == std::errc::invalid_argument)
    throw ApiError(400, "the Content-Length is not a number");
  return failure == std::errc() ? length : std::numeric_limits<std::size_t>::max();
}

}  // namespace

thread_local Connection* current_connection = nullptr;

void answer(httplib::Response& response, const ApiError& error) {
  response.status = error.status();
  response.set_content(error_body(error), kJsonType);
}

void require_json(const httplib::Request& request) {
  const std::string type = request.get_header_value("Content-Type");
  if (type.substr(0, type.find(';')) != kJsonType)
    throw ApiError(415, "send the request with the header 'Content-Type: application/json'");
}

std::string read_body(const httplib::Request& request, const httplib::ContentReader& read,
                      std::size_t limit) {
  const ApiError too_large(413, fmt::format("the request is larger than {} bytes", limit), "",
                           "request_too_large");
  const auto announced = body_length(request);
  if (announced && *announced > limit) throw too_large;
  std::string body;
  bool fits = true;
  const bool whole = read([&](const char* data, std::size_t size) {
    fits = size <= limit - body.size();
    if (fits) body.append(data, size);
    return fits;
  });
  if (!fits) throw too_large;
  if (current_connection->late())
    throw ApiError(408, "the body took too long to arrive", "", "request_timeout");
  if (!whole) throw ApiError(400, "the body ended early or was not framed as HTTP has it");
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
