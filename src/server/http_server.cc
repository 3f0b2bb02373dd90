#include "server/http_server.h"

#include <fmt/core.h>
#include <sys/socket.h>

#include "base/error.h"
#include "server/access.h"
#include "server/connection_threads.h"
#include "server/http_parts.h"
#include "server/live_routes.h"
#include "server/routes.h"
#include "tokenizer/utf8.h"

namespace umf {
namespace {

constexpr int kBacklog = 512, kRequestsPerConnection = 10000;

// What the library sees of a connection: a head that was found to be well-formed, and a way to
// answer. Bodies do not pass through it.
class AnswerStream final : public httplib::Stream {
 public:
  AnswerStream(Connection& connection, std::string_view head)
      : connection_(connection), head_(head) {}
  bool is_readable() const override { return true; }
  bool is_writable() const override { return connection_.client_is_there(); }
  ssize_t read(char* to, size_t size) override {
    const std::size_t count = head_.copy(to, size);
    head_.remove_prefix(count);
    return static_cast<ssize_t>(count);
  }
  ssize_t write(const char* from, size_t size) override { return connection_.write(from, size); }
  void get_remote_ip_and_port(std::string&, int&) const override {}
  void get_local_ip_and_port(std::string&, int&) const override {}
  // Not the library's to use: it refuses those that select() could not take.
  socket_t socket() const override { return -1; }

 private:
  Connection& connection_;
  std::string_view head_;
};

// For what is refused before the library sees it.
std::string_view reason_phrase(int status) {
  if (status == 408) return "Request Timeout";
  if (status == 431) return "Request Header Fields Too Large";
  return status == 503 ? "Service Unavailable" : "Bad Request";
}

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

class Threads final : public httplib::TaskQueue {
 public:
  explicit Threads(int limit) : threads_(limit) {}
  void enqueue(std::function<void()> serve) override { threads_.run(serve); }
  void shutdown() override { threads_.join(); }

 private:
  ConnectionThreads threads_;
};

}  // namespace

class HttpServer::Impl final : public httplib::Server {
 public:
  Impl(Service& service, HttpOptions options) : service_(service), options_(std::move(options)) {
    new_task_queue = [this] { return new Threads(options_.connections); };
    set_tcp_nodelay(true);
    set_keep_alive_max_count(kRequestsPerConnection);
    set_keep_alive_timeout(
        std::chrono::duration_cast<std::chrono::seconds>(options_.limits.idle).count());
    // Not SO_REUSEPORT: two servers must not share a port unawares.
    set_socket_options([](int socket) {
      const int yes = 1;
      ::setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes));
    });
    set_payload_max_length(options_.limits.body_bytes);
    set_pre_routing_handler([this](const auto& request, auto& response) {
      return admitted(request, response) ? HandlerResponse::Unhandled : HandlerResponse::Handled;
    });
    set_error_handler([](const httplib::Request&, httplib::Response& response) {
      if (!response.body.empty()) return;
      answer(response, ApiError(response.status, "the request is not understood"));
    });
    set_exception_handler([](const auto&, auto& response, const std::exception_ptr&) {
      answer(response, ApiError(500, "an error inside the server"));
    });
    set_post_routing_handler([](const auto&, httplib::Response& response) {
      if (!current_connection->rest_is_unread()) return;
      response.headers.erase("Keep-Alive");
      response.headers.erase("Connection");
      response.set_header("Connection", "close");
    });
    set_logger([this](const auto& request, const auto& response) { log(request, response); });
    add_routes();
    bind();
  }

  int port() const { return port_; }

  void serve(const std::function<bool()>& stopped) {
    std::thread listener([this] { listen_after_bind(); });
    while (!stopped()) std::this_thread::sleep_for(kPatience);
    service_.close();
    // The last answers are on their way; a client that does not take them is left behind.
    for (int i = 0; i < 50 && busy_ > 0; ++i) std::this_thread::sleep_for(kPatience);
    stopping_ = true;
    stop();
    listener.join();
  }

 private:
  void bind() {
    port_ = options_.port == 0                           ? bind_to_any_port(options_.host)
            : bind_to_port(options_.host, options_.port) ? options_.port
                                                         : -1;
    if (port_ < 0) {
      throw Error(fmt::format("cannot listen on {} port {}: {}. Choose another --host or --port",
                              options_.host, options_.port, std::strerror(errno)));
    }
    ::listen(svr_sock_, kBacklog);  // the library's own is too short for a crowd
  }

  void add_routes() {
    Get("/health", [this](const auto&, auto& response) {
      if (service_.closing())
        answer(response, ApiError(503, "the server is shutting down", "", "shutting_down"));
      else
        response.set_content(R"({"status":"ok"})", kJsonType);
    });
    Get("/metrics", [this](const auto&, auto& response) {
      response.set_content(service_.metrics_text(), "text/plain; version=0.0.4");
    });
    Get("/v1/models", [this](const auto&, auto& response) {
      response.set_content(service_.models_body(), kJsonType);
    });
    Get("/v1/models/[^/]+", [this](const httplib::Request& request, httplib::Response& response) {
      guarded(service_, response, [&] {
        response.set_content(service_.model_body(name_in(request.path, "/v1/models/*")), kJsonType);
      });
    });
    Post("/v1/chat/completions", [this](const auto&, auto& response, const auto&) {
      guarded(service_, response, [&] { complete(parse_chat_request, response); });
    });
    Post("/v1/completions", [this](const auto&, auto& response, const auto&) {
      guarded(service_, response, [&] { complete(parse_completion_request, response); });
    });
    add_live_routes(*this, service_, options_.limits.body_bytes);
  }

  // Before the body is read: is there such a place, and may this client go there?
  bool admitted(const httplib::Request& request, httplib::Response& response) {
    try {
      admit(request);
      return true;
    } catch (const ApiError& error) {
      answer(response, error);
      if (error.status() == 405)
        response.set_header("Allow", std::string(route_of(request.path)->methods));
      if (error.status() == 401) response.set_header("WWW-Authenticate", "Bearer");
      return false;
    }
  }

  void admit(const httplib::Request& request) const {
    const bool open = options_.api_key.empty();
    // HTTP/1.0 may leave it out, and no browser does.
    const std::string_view host = current_head->value("host");
    const bool names_host = !host.empty() || current_head->version != "HTTP/1.0";
    if (open && names_host && !names_loopback(host))
      throw ApiError(403, "this server answers only requests to this machine's own names");
    const Route* route = route_of(request.path);
    if (!open && (route == nullptr || !route->without_key) &&
        !carries_key(current_head->value("authorization"), options_.api_key))
      throw ApiError(401, "send the server's key as 'Authorization: Bearer KEY'", "",
                     "invalid_api_key");
    if (route == nullptr)
      throw ApiError(404, "there is nothing at this path; see /v1/models and docs/server.md", "",
                     "not_found");
    if (!route->allows(request.method))
      throw ApiError(405, fmt::format("this path takes {} only", route->methods), "",
                     "method_not_allowed");
    if (request.method == "POST") require_json();
  }

  template <class Parse>
  void complete(Parse parse, httplib::Response& response) {
    const ApiRequest request = parse(read_body(options_.limits.body_bytes), service_.limits());
    if (request.stream && current_head->version == "HTTP/1.0")  // which has no chunks
      throw ApiError(505, "a stream needs HTTP/1.1; leave out 'stream'");
    const Service::Started started = service_.start(request);
    if (request.stream) return stream(started, request.include_usage, response);
    const Completion completion =
        service_.wait(started.job, [] { return current_connection->client_is_there(); });
    service_.count_tokens(completion);
    response.set_content(completion_body(started.head, completion), kJsonType);
  }

  void stream(const Service::Started& started, bool include_usage, httplib::Response& response) {
    const auto events = std::make_shared<EventStream>(started.head, include_usage);
    stream_events(
        response,
        [this, job = started.job, events](bool& over) -> std::string {
          const auto event = job->next(kPatience);
          if (!event) return "";
          if (const auto* completion = std::get_if<Completion>(&*event))
            service_.count_tokens(*completion);
          std::string text = events->event(*event);
          over = events->done();
          return text;
        },
        // Also when the client left, or the answer could not even begin. Does nothing to a job that
        // is done.
        [this, job = started.job] { service_.abandon(job); });
  }

  void log(const httplib::Request& request, const httplib::Response& response) {
    const Route* route = route_of(request.path);
    service_.metrics().count_request(std::string(route != nullptr ? route->pattern : "other"),
                                     response.status);
    if (options_.log)
      options_.log(
          fmt::format("{} {} {}", excerpt(request.method), excerpt(request.path), response.status));
  }

  bool process_and_close_socket(socket_t socket) override {
    Connection connection(socket, options_.limits, stopping_);
    if (ConnectionThreads::overloaded()) {
      refuse(connection, ApiError(503, "too many connections; try again later", "", "overloaded"));
      return true;
    }
    current_connection = &connection;
    try {
      for (int left = kRequestsPerConnection; left > 0 && connection.await_request(); --left) {
        if (!answer_one(connection, /*last=*/left == 1 || service_.closing())) break;
      }
    } catch (...) {  // NOLINT(bugprone-empty-catch)
      // Nothing that one connection does may end the others.
    }
    current_connection = nullptr;
    return true;
  }

  // Whether another request may follow.
  bool answer_one(Connection& connection, bool last) {
    try {
      const std::string text = connection.read_head();
      const RequestHead head = parse_head(text);
      if (!head.body.expects_body()) connection.body_done();
      current_head = &head;
      const bool next = answer_request(connection, text, last);
      current_head = nullptr;
      return next;
    } catch (const ApiError& malformed) {
      service_.metrics().count_request("other", malformed.status());
      if (options_.log) options_.log(fmt::format("no request {}", malformed.status()));
      refuse(connection, malformed);
      return false;
    }
  }

  bool answer_request(Connection& connection, std::string_view head, bool last) {
    AnswerStream stream(connection, head);
    std::optional<Busy> busy;  // where the library understood the head
    bool closed = false;
    const bool ok = process_request(stream, last, closed, [&](httplib::Request& request) {
      request.ranges.clear();  // answers are whole
      connection.begin_body();
      busy.emplace(busy_);
    });
    return ok && busy && !closed && !last && !connection.rest_is_unread();
  }

  static void refuse(Connection& connection, const ApiError& error) {
    const std::string body = error_body(error);
    const std::string text = fmt::format(
        "HTTP/1.1 {} {}\r\nContent-Type: {}\r\nContent-Length: {}\r\n{}Connection: close\r\n\r\n{}",
        error.status(), reason_phrase(error.status()), kJsonType, body.size(),
        error.status() == 503 ? "Retry-After: 1\r\n" : "", body);
    ::send(connection.socket(), text.data(), text.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
  }

  Service& service_;
  const HttpOptions options_;
  int port_ = -1;
  std::atomic<bool> stopping_ = false;
  std::atomic<int> busy_ = 0;  // requests that are being answered
};

HttpServer::HttpServer(Service& service, HttpOptions options) {
  if (options.api_key.empty() && !is_loopback(options.host)) {
    throw Error(fmt::format(
        "others could use {} without a key. Set UMF_API_KEY (or --api-key), or leave out --host",
        options.host));
  }
  impl_ = std::make_unique<Impl>(service, std::move(options));
}

HttpServer::~HttpServer() = default;

int HttpServer::port() const { return impl_->port(); }

void HttpServer::serve(const std::function<bool()>& stopped) { impl_->serve(stopped); }

}  // namespace umf
