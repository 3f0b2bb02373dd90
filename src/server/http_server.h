// The API and the page over HTTP.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "server/connection.h"
#include "server/service.h"

namespace umf {

struct HttpOptions {
  std::string host = "127.0.0.1";
  int port = 8080;      // 0: one that is free
  std::string api_key;  // empty: none is asked for, which only a loopback address may do
  int connections = 256;
  ConnectionLimits limits;
  // One line per request, from any thread; may be empty.
  std::function<void(const std::string& line)> log;
};

class HttpServer {
 public:
  // Takes the address. Throws Error when it cannot, or when others could use it without a key.
  HttpServer(Service& service, HttpOptions options);
  ~HttpServer();

  int port() const;
  // Answers requests until `stopped` says so, looked at a few times a second. Then requests are
  // refused, the service is closed, and all connections are ended.
  void serve(const std::function<bool()>& stopped);

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace umf
