#include "server/connection.h"

#include <fmt/core.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "server/api_error.h"

namespace umf {
namespace {

using std::chrono::milliseconds;

// How often a wait looks whether the server stops.
constexpr milliseconds kSlice{100};

// Also where lines end in LF alone: whoever reads the head refuses it then.
bool ends_with_empty_line(std::string_view head) {
  return head.ends_with("\n\r\n") || head.ends_with("\n\n");
}

bool again() { return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR; }

}  // namespace

Connection::Connection(int socket, const ConnectionLimits& limits,
                       const std::atomic<bool>& stopping)
    : socket_(socket), limits_(limits), stopping_(stopping), buffer_(8192) {}

// A close with unread bytes resets the connection, and the client would lose the answer that is
// still on its way. So they are taken first, within reason.
Connection::~Connection() {
  ::shutdown(socket_, SHUT_WR);
  if (rest_is_unread_) drain();
  ::close(socket_);
}

bool Connection::wait(short events, Clock::time_point deadline, bool until_stopping) const {
  while (!until_stopping || !stopping_) {
    const auto left = std::chrono::duration_cast<milliseconds>(deadline - Clock::now());
    if (left.count() <= 0) return false;
    pollfd poll{socket_, events, 0};
    const int ready = ::poll(&poll, 1, static_cast<int>(std::min(left, kSlice).count()) + 1);
    if (ready > 0) return true;
    if (ready < 0 && errno != EINTR) return false;
  }
  return false;
}

bool Connection::await_request() {
  deadline_ = Clock::now() + limits_.idle;
  return begin_ < end_ || fill();
}

std::string Connection::read_head() {
  deadline_ = Clock::now() + limits_.head;
  allowance_ = limits_.head_bytes;
  late_ = false;
  rest_is_unread_ = true;  // until the head has told where the request ends
  std::string head;
  for (char c = 0; read(&c, 1) == 1;) {
    head += c;
    if (c == '\n' && ends_with_empty_line(head)) return head;
  }
  if (late_) throw ApiError(408, "the headers took too long to arrive", "", "request_timeout");
  if (allowance_ == 0)
    throw ApiError(431, fmt::format("the headers are longer than {} bytes", limits_.head_bytes), "",
                   "request_too_large");
  throw ApiError(400, "the request ended early", "", "malformed_request");
}

// Chunks come with their sizes: twice the body is more than any sensible client needs.
void Connection::begin_body() {
  deadline_ = Clock::now() + limits_.body;
  allowance_ = 2 * limits_.body_bytes + 4096;
}

bool Connection::fill() {
  while (!ended_) {
    if (!wait(POLLIN, deadline_, /*until_stopping=*/true)) {
      late_ = true;
      return false;
    }
    const ssize_t got = ::recv(socket_, buffer_.data(), buffer_.size(), MSG_DONTWAIT);
    if (got > 0) {
      begin_ = 0;
      end_ = static_cast<std::size_t>(got);
      return true;
    }
    if (got == 0 || !again()) ended_ = true;
  }
  return false;
}

ssize_t Connection::read(char* to, std::size_t size) {
  if (late_ || allowance_ == 0) return -1;
  if (Clock::now() > deadline_) {
    late_ = true;
    return -1;
  }
  if (begin_ == end_ && !fill()) return ended_ ? 0 : -1;
  const std::size_t count = std::min({size, end_ - begin_, allowance_});
  std::memcpy(to, buffer_.data() + begin_, count);
  begin_ += count;
  allowance_ -= count;
  return static_cast<ssize_t>(count);
}

ssize_t Connection::write(const char* from, std::size_t size) {
  const Clock::time_point deadline = Clock::now() + limits_.write;
  for (std::size_t sent = 0; sent < size;) {
    const ssize_t took = ::send(socket_, from + sent, size - sent, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (took > 0)
      sent += static_cast<std::size_t>(took);
    else if (!again() || !wait(POLLOUT, deadline, /*until_stopping=*/true))
      return -1;
  }
  return static_cast<ssize_t>(size);
}

bool Connection::client_is_there() const {
  pollfd poll{socket_, POLLRDHUP, 0};
  return ::poll(&poll, 1, 0) <= 0;
}

void Connection::drain() {
  constexpr std::size_t kMost = 1 << 20;
  const Clock::time_point deadline = Clock::now() + std::chrono::seconds(2);
  for (std::size_t taken = 0; taken < kMost;) {
    if (!wait(POLLIN, deadline, /*until_stopping=*/true)) return;
    const ssize_t got = ::recv(socket_, buffer_.data(), buffer_.size(), MSG_DONTWAIT);
    if (got == 0 || (got < 0 && !again())) return;
    taken += static_cast<std::size_t>(std::max<ssize_t>(got, 0));
  }
}

}  // namespace umf
