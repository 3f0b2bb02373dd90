#include "server/http_server.h"

#include <fmt/core.h>
#include <sys/socket.h>

#include <thread>

#include "base/error.h"
#include "server/access.h"
#include "server/cross_origin.h"
#include "server/httplib_server.h"
#include "server/request_log.h"
#include "server/routes.h"
#include "tokenizer/utf8.h"

namespace umf {
namespace {

// Counts one for as long as it lives.
class Busy {
 public:
  explicit Busy(std::atomic<int>& count) : count_(count) { ++count_; }
  ~Busy() { --count_; }
  Busy(const Busy&) = delete;
  Busy& operator=(const Busy&) = delete;

 private:
  std::atomic<int>& count_;
};

// For what is refused before the library sees it.
std::string_view reason_phrase(int status) {
  if (status == 408) return "Request Timeout";
  if (status == 431) return "Request Header Fields Too Large";
  return status == 503 ? "Service Unavailable" : "Bad Request";
}

void refuse(const Connection& connection, const ApiError& error) {
  const std::string body = error_body(error);
  const std::string text = fmt::format(
      "HTTP/1.1 {} {}\r\nContent-Type: {}\r\nContent-Length: {}\r\n{}Connection: close\r\n\r\n{}",
      error.status(), reason_phrase(error.status()), kJsonType, body.size(),
      error.status() == 503 ? "Retry-After: 1\r\n" : "", body);
  ::send(connection.socket(), text.data(), text.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
}

// Before the body is read: may this client go there, and is there such a place? An `api_key` that
// is empty is none.
Handler admit(const RequestHead& head, const Route* route, const std::string& api_key) {
  const bool open = api_key.empty();
  // HTTP/1.0 may leave it out, and no browser does.
  const std::string_view host = head.value("host");
  const bool names_host = !host.empty() || head.version != "HTTP/1.0";
  if (open && names_host && !names_loopback(host))
    throw ApiError(403, "this server answers only requests to this machine's own names");
  if (!open && (route == nullptr || !route->without_key) &&
      !carries_key(head.value("authorization"), api_key))
    throw ApiError(401, "send the server's key as 'Authorization: Bearer KEY'", "",
                   "invalid_api_key");
  if (route == nullptr)
    throw ApiError(404, "there is nothing at this path; see /v1/models and docs/server.md", "",
                   "not_found");
  const Handler handler = route->handler(head.method);
  if (handler == nullptr)
    throw ApiError(405, fmt::format("this path takes {} only", route->methods()), "",
                   "method_not_allowed");
  // A web page can post text and forms to any address without being asked, but no JSON.
  const std::string_view type = head.value("content-type");
  if (head.method == "POST" && type.substr(0, type.find(';')) != kJsonType)
    throw ApiError(415, "send the request with the header 'Content-Type: application/json'");
  return handler;
}

}  // namespace

HttpServer::HttpServer(Service& service, HttpOptions options)
    : service_(service), options_(std::move(options)) {
  if (options_.api_key.empty() && !is_loopback(options_.host)) {
    throw Error(fmt::format(
        "others could use {} without a key. Set UMF_API_KEY (or --api-key), or leave out --host",
        options_.host));
  }
  library_ = make_httplib_server(
      options_.host, options_.port, options_.connections, options_.limits,
      [this](int socket, bool overloaded) { serve_connection(socket, overloaded); });
}

HttpServer::~HttpServer() = default;

int HttpServer::port() const { return library_->port(); }

void HttpServer::serve(const std::function<bool()>& stopped) {
  std::thread listener([this] { library_->listen(); });
  while (!stopped()) std::this_thread::sleep_for(kPatience);
  service_.close();
  // The last answers are on their way; a client that does not take them is left behind.
  for (int i = 0; i < 50 && busy_ > 0; ++i) std::this_thread::sleep_for(kPatience);
  stopping_ = true;
  library_->stop();
  listener.join();
}

void HttpServer::serve_connection(int socket, bool overloaded) {
  Connection connection(socket, options_.limits, stopping_);
  if (overloaded) {
    refuse(connection, ApiError(503, "too many connections; try again later", "", "overloaded"));
    return;
  }
  try {
    for (int left = options_.limits.requests; left > 0 && connection.await_request(); --left) {
      if (!serve_request(connection, /*last=*/left == 1 || service_.closing())) break;
    }
  } catch (...) {  // NOLINT(bugprone-empty-catch)
    // Nothing that one connection does may end the others.
  }
}

// Whether another request may follow.
bool HttpServer::serve_request(Connection& connection, bool last) {
  RequestLog log(options_.log);
  try {
    const std::string text = connection.read_head();
    const RequestHead head = parse_head(text);
    if (!head.body.expects_body()) connection.body_done();
    connection.begin_body();
    const Busy busy(busy_);
    const HttplibServer::Answered answered = library_->answer(
        connection, text, last,
        [&](const std::string& path) { return respond(path, head, connection, log.notes); });
    const Route* route = match_route(answered.path).route;
    service_.metrics().count_request(route == nullptr ? "other" : std::string(route->pattern),
                                     answered.status);
    log.write(excerpt(answered.method) + " " + excerpt(answered.path), answered.status);
    return answered.next;
  } catch (const ApiError& malformed) {
    service_.metrics().count_request("other", malformed.status());
    log.notes.why = malformed.what();
    log.write("no request", malformed.status());
    refuse(connection, malformed);
    return false;
  }
}

HttpResponse HttpServer::respond(const std::string& path, const RequestHead& head,
                                 Connection& connection, RequestNotes& notes) {
  const auto [route, name] = match_route(path);
  const CrossOrigin origin(options_.cors, head);
  if (origin.asks_first() && route != nullptr) return origin.permission(*route);
  return origin.readable([&] {
    try {
      const Handler handler = admit(head, route, options_.api_key);
      return handler(service_, {head, connection, name, notes});
    } catch (const ApiError& error) {
      notes.why = error.what();
      return refusal(error, route);
    } catch (const std::exception& failure) {
      notes.why = failure.what();
      return error_response(ApiError(500, failure.what()));
    }
  }());
}

HttpResponse HttpServer::refusal(const ApiError& error, const Route* route) const {
  HttpResponse response = error_response(error);
  if (error.status() == 405) response.headers = {{"Allow", route->methods()}};
  if (error.status() == 401) response.headers = {{"WWW-Authenticate", "Bearer"}};
  if (error.status() == 429)
    response.headers = {{"Retry-After", std::to_string(service_.retry_after_seconds())}};
  return response;
}

}  // namespace umf
