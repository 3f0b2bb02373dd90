// One client's socket, with limits on time and size that no client can stretch.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <string>
#include <vector>

namespace umf {

struct ConnectionLimits {
  int requests = 10000;                    // on one connection
  std::chrono::milliseconds idle{30000};   // between requests
  std::chrono::milliseconds head{10000};   // for the request line and all headers together
  std::chrono::milliseconds body{60000};   // for the whole body
  std::chrono::milliseconds write{30000};  // for a client to take what it is sent
  std::size_t head_bytes = 32 << 10;
  std::size_t body_bytes = 4 << 20;
};

class Connection {
 public:
  // Owns the socket. While `stopping` is set nothing more is read.
  Connection(int socket, const ConnectionLimits& limits, const std::atomic<bool>& stopping);
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  // Waits for the first byte of a request; false when there will be none.
  bool await_request();
  // The request line and all headers, up to and with an empty line; they may be malformed. Throws
  // ApiError where they came too slowly, were too long, or ended early.
  std::string read_head();
  void begin_body();
  void body_done() { rest_is_unread_ = false; }
  // What follows on this connection is no request, or nobody knows where it begins.
  void leave_rest_unread() { rest_is_unread_ = true; }

  // As recv: 0 at the end, below 0 when a limit was reached.
  ssize_t read(char* to, std::size_t size);
  // All of it, or below 0.
  ssize_t write(const char* from, std::size_t size);
  // False once the client closed its end.
  bool client_is_there() const;

  bool late() const { return late_; }  // the time for the head or the body is over
  bool rest_is_unread() const { return rest_is_unread_; }

  int socket() const { return socket_; }
  const ConnectionLimits& limits() const { return limits_; }

 private:
  using Clock = std::chrono::steady_clock;
  bool wait(short events, Clock::time_point deadline, bool until_stopping) const;
  bool fill();
  void drain();

  const int socket_;
  const ConnectionLimits& limits_;
  const std::atomic<bool>& stopping_;
  Clock::time_point deadline_{};
  std::size_t allowance_ = 0;  // bytes that this part of the request may still have
  std::vector<char> buffer_;
  std::size_t begin_ = 0, end_ = 0;  // what is in the buffer and not read yet
  bool late_ = false, ended_ = false, rest_is_unread_ = false;
};

}  // namespace umf
