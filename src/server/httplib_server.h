// What we use of cpp-httplib: it takes the address, accepts connections, resolves the escapes in
// paths and writes answers, compressed for clients that take that. Requests are read, routed and
// limited by ourselves. Its public part leaves no way to do so: what is private to it is used in
// httplib_server.cc and nowhere else.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "server/http_message.h"

namespace umf {

class HttplibServer {
 public:
  virtual ~HttplibServer() = default;
  virtual int port() const = 0;
  virtual void listen() = 0;  // until stop()
  virtual void stop() = 0;

  // The path with its escapes resolved.
  using Respond = std::function<HttpResponse(const std::string& path)>;
  struct Answered {
    std::string method, path;  // empty where the request line was not understood
    int status = 0;
    bool next = false;  // whether another request may follow
  };
  // Answers the request of this head, which must be well-formed; with `last` it says that no other
  // may follow. What the library refuses by itself is not responded to.
  virtual Answered answer(Connection& connection, std::string_view head, bool last,
                          const Respond& respond) = 0;
};

// Takes the address; a `port` of 0 is one that is free. Each connection is given to `serve`, which
// owns its socket, on a thread of its own; beyond as many as `connections`, with `overloaded` on
// the thread that accepts them: it must be brief then. Throws Error when it cannot.
std::unique_ptr<HttplibServer> make_httplib_server(
    const std::string& host, int port, int connections, const ConnectionLimits& limits,
    std::function<void(int socket, bool overloaded)> serve);

}  // namespace umf
