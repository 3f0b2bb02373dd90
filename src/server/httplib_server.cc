#include "server/httplib_server.h"

#include <fmt/core.h>
#include <httplib.h>
#include <sys/socket.h>

#include <algorithm>

#include "base/error.h"

namespace umf {
namespace {

// Releases whose private parts are as they are used here, and with which the tests of the server
// pass. Debian 12 has the first.
constexpr std::string_view kKnownVersions[] = {"0.11.4", "0.14.3", "0.18.7"};
#ifndef UMF_ANY_HTTPLIB  // tools/check-httplib asks whether it compiles at all
static_assert(std::ranges::find(kKnownVersions, std::string_view(CPPHTTPLIB_VERSION)) !=
                  std::end(kKnownVersions),
              "unknown release of cpp-httplib: run tools/check-httplib on its header and the tests "
              "of umf serve with it, then add it to kKnownVersions");
#endif

constexpr int kBacklog = 512;

// The request that a thread answers: the library's handlers cannot know it otherwise.
struct Exchange {
  Connection& connection;
  const HttplibServer::Respond& respond;
  HttplibServer::Answered answered;
};
thread_local Exchange* current = nullptr;
thread_local bool overloaded = false;

// What the library sees of a connection: a head that was found to be well-formed, and a way to
// answer. Bodies do not pass through it. No release has all of these functions.
class AnswerStream final : public httplib::Stream {  // NOLINTBEGIN(modernize-use-override)
 public:
  AnswerStream(Connection& connection, std::string_view head)
      : connection_(connection), head_(head) {}
  bool is_readable() const { return true; }
  bool wait_readable() const { return true; }
  bool is_writable() const { return connection_.client_is_there(); }
  bool wait_writable() const { return connection_.client_is_there(); }
  time_t duration() const { return 0; }
  ssize_t read(char* to, size_t size) {
    const std::size_t count = head_.copy(to, size);
    head_.remove_prefix(count);
    return static_cast<ssize_t>(count);
  }
  ssize_t write(const char* from, size_t size) { return connection_.write(from, size); }
  void get_remote_ip_and_port(std::string&, int&) const {}
  void get_local_ip_and_port(std::string&, int&) const {}
  // Not the library's to use: it refuses those that select() could not take.
  socket_t socket() const { return -1; }

 private:
  Connection& connection_;
  std::string_view head_;
};  // NOLINTEND(modernize-use-override)

// A thread for each connection: a stream holds its own for as long as it lasts, and never makes
// another client wait.
class Threads final : public httplib::TaskQueue {
 public:
  // Nothing, or whether there was room, as the release has it.
  using Queued = decltype(std::declval<httplib::TaskQueue&>().enqueue({}));

  explicit Threads(int limit) : limit_(limit) {}
  Queued enqueue(std::function<void()> serve) override {
    if (!start(serve)) {
      overloaded = true;
      serve();
      overloaded = false;
    }
    return Queued(true);
  }
  void shutdown() override {
    std::unique_lock lock(mutex_);
    ended_.wait(lock, [&] { return running_ == 0; });
  }

 private:
  bool start(const std::function<void()>& serve) {
    const std::lock_guard lock(mutex_);
    if (running_ == limit_) return false;
    try {
      std::thread([this, serve] {
        serve();
        const std::lock_guard lock(mutex_);
        --running_;
        ended_.notify_all();
      }).detach();
    } catch (const std::system_error&) {  // the machine has no more threads
      return false;
    }
    ++running_;
    return true;
  }

  const int limit_;
  std::mutex mutex_;
  std::condition_variable ended_;
  int running_ = 0;
};

void fill(httplib::Response& response, HttpResponse from) {
  response.status = from.status;
  for (const auto& [name, value] : from.headers) response.set_header(name, value);
  if (!from.next) return response.set_content(std::move(from.body), from.type);
  response.set_chunked_content_provider(
      from.type,
      [next = std::move(from.next)](std::size_t, httplib::DataSink& sink) {
        bool over = false;
        const std::string text = next(over);
        if (!current->connection.client_is_there()) return false;
        if (!text.empty() && !sink.write(text.data(), text.size())) return false;
        if (over) sink.done();
        return true;
      },
      [gone = std::move(from.gone)](bool) { gone(); });
}

class Library final : public HttplibServer, private httplib::Server {
 public:
  Library(const std::string& host, int port, int connections, const ConnectionLimits& limits,
          std::function<void(int socket, bool overloaded)> serve)
      : serve_(std::move(serve)) {
    new_task_queue = [connections] { return new Threads(connections); };
    set_tcp_nodelay(true);
    set_keep_alive_max_count(limits.requests);
    set_keep_alive_timeout(std::chrono::duration_cast<std::chrono::seconds>(limits.idle).count());
    // Not SO_REUSEPORT: two servers must not share a port unawares.
    set_socket_options([](int socket) {
      const int yes = 1;
      ::setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes));
    });
    set_pre_routing_handler([](const auto& request, auto& response) {
      fill(response, current->respond(request.path));
      return HandlerResponse::Handled;
    });
    // For what the library refuses by itself.
    set_error_handler([](const httplib::Request&, httplib::Response& response) {
      if (response.body.empty())
        fill(response, error_response({response.status, "the request is not understood"}));
    });
    set_post_routing_handler([](const auto&, httplib::Response& response) {
      if (!current->connection.rest_is_unread()) return;
      response.headers.erase("Keep-Alive");
      response.headers.erase("Connection");
      response.set_header("Connection", "close");
    });
    set_logger([](const auto& request, const auto& response) {
      current->answered = {request.method, request.path, response.status};
    });
    bind(host, port);
  }

  int port() const override { return port_; }
  void listen() override { listen_after_bind(); }
  void stop() override { httplib::Server::stop(); }

  Answered answer(Connection& connection, std::string_view head, bool last,
                  const Respond& respond) override {
    AnswerStream stream(connection, head);
    Exchange exchange{connection, respond, {}};
    current = &exchange;
    bool understood = false, closed = false;
    const bool ok = process(*this, stream, last, closed, [&](httplib::Request& request) {
      request.ranges.clear();  // answers are whole
      understood = true;
    });
    exchange.answered.next = ok && understood && !closed && !last && !connection.rest_is_unread();
    return exchange.answered;
  }

 private:
  void bind(const std::string& host, int port) {
    port_ = port == 0 ? bind_to_any_port(host) : bind_to_port(host, port) ? port : -1;
    if (port_ < 0) {
      throw Error(fmt::format("cannot listen on {} port {}: {}. Choose another --host or --port",
                              host, port, std::strerror(errno)));
    }
    ::listen(svr_sock_, kBacklog);  // the library's own is too short for a crowd
  }

  // Newer releases want the addresses of both ends, which nobody asks for here.
  static bool process(auto& self, httplib::Stream& stream, bool last, bool& closed,
                      const std::function<void(httplib::Request&)>& setup) {
    if constexpr (requires { self.process_request(stream, last, closed, setup); })
      return self.process_request(stream, last, closed, setup);
    else
      return self.process_request(stream, "", 0, "", 0, last, closed, setup);
  }

  bool process_and_close_socket(socket_t socket) override {
    serve_(socket, overloaded);
    return true;
  }

  const std::function<void(int socket, bool overloaded)> serve_;
  int port_ = -1;
};

}  // namespace

std::unique_ptr<HttplibServer> make_httplib_server(
    const std::string& host, int port, int connections, const ConnectionLimits& limits,
    std::function<void(int socket, bool overloaded)> serve) {
  return std::make_unique<Library>(host, port, connections, limits, std::move(serve));
}

}  // namespace umf
