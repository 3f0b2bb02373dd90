// The API and the page over HTTP.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "server/http_message.h"
#include "server/service.h"

namespace umf {

class HttplibServer;
struct Route;

struct HttpOptions {
  std::string host = "127.0.0.1";
  int port = 8080;      // 0: one that is free
  std::string api_key;  // empty: none is asked for, which only a loopback address may do
  // Origins whose web pages may read the answers, "*": all. Empty: none.
  std::vector<std::string> cors;
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
  void serve_connection(int socket, bool overloaded);
  bool serve_request(Connection& connection, bool last);
  HttpResponse respond(const std::string& path, const RequestHead& head, Connection& connection,
                       RequestNotes& notes);
  HttpResponse refusal(const ApiError& error, const Route* route) const;

  Service& service_;
  const HttpOptions options_;
  std::atomic<bool> stopping_ = false;
  std::atomic<int> busy_ = 0;  // requests that are being answered
  std::unique_ptr<HttplibServer> library_;
};

}  // namespace umf
