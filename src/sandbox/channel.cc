#include "sandbox/channel.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/socket.h>

#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstring>

#include "base/error.h"

namespace umf {
namespace {

constexpr std::size_t kHeadBytes = 5;  // a kind and a little-endian length

[[noreturn]] void refuse(const char* what) {
  throw Error(fmt::format("the sandbox cannot make {}: {}", what, std::strerror(errno)));
}

bool wait_for(int descriptor, short events, int timeout_ms) {
  pollfd one = {descriptor, events, 0};
  int ready;
  do ready = ::poll(&one, 1, timeout_ms);
  while (ready < 0 && errno == EINTR);
  return ready > 0;
}

bool send_all(int socket, std::string_view bytes, int timeout_ms) {
  while (!bytes.empty()) {
    const ssize_t sent = ::send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent > 0) {
      bytes.remove_prefix(static_cast<std::size_t>(sent));
    } else if (errno == EAGAIN) {
      if (!wait_for(socket, POLLOUT, timeout_ms)) return false;
    } else if (errno != EINTR) {
      return false;
    }
  }
  return true;
}

}  // namespace

DescriptorPair make_socket_pair(int type) {
  int ends[2];
  if (::socketpair(AF_UNIX, type | SOCK_CLOEXEC, 0, ends) != 0) refuse("a socket");
  return {Descriptor(ends[0]), Descriptor(ends[1])};
}

DescriptorPair make_pipe_from_sandbox() {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) refuse("a pipe");
  ::fcntl(ends[0], F_SETFL, O_NONBLOCK);
  return {Descriptor(ends[0]), Descriptor(ends[1])};
}

Descriptor make_sealed_file(const char* name, std::string_view content) {
  Descriptor file(::memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (!file) refuse("a file in memory");
  std::string_view rest = content;
  while (!rest.empty()) {
    const ssize_t put = ::write(file.get(), rest.data(), rest.size());
    if (put < 0 && errno != EINTR) refuse("a file in memory");
    if (put > 0) rest.remove_prefix(static_cast<std::size_t>(put));
  }
  ::lseek(file.get(), 0, SEEK_SET);
  constexpr int kSeals = F_SEAL_WRITE | F_SEAL_GROW | F_SEAL_SHRINK | F_SEAL_SEAL;
  if (::fcntl(file.get(), F_ADD_SEALS, kSeals) != 0) refuse("a file in memory");
  return file;
}

bool send_descriptors(int socket, std::string_view message, std::span<const int> descriptors) {
  alignas(cmsghdr) char control[CMSG_SPACE(8 * sizeof(int))] = {};
  iovec text = {const_cast<char*>(message.data()), message.size()};
  msghdr header = {};
  header.msg_iov = &text;
  header.msg_iovlen = 1;
  header.msg_control = control;
  header.msg_controllen = CMSG_SPACE(descriptors.size_bytes());
  cmsghdr* rights = CMSG_FIRSTHDR(&header);
  rights->cmsg_level = SOL_SOCKET;
  rights->cmsg_type = SCM_RIGHTS;
  rights->cmsg_len = CMSG_LEN(descriptors.size_bytes());
  std::memcpy(CMSG_DATA(rights), descriptors.data(), descriptors.size_bytes());
  ssize_t sent;
  do sent = ::sendmsg(socket, &header, MSG_NOSIGNAL);
  while (sent < 0 && errno == EINTR);
  return sent == static_cast<ssize_t>(message.size());
}

bool send_frame(int socket, char kind, std::string_view body, int timeout_ms) {
  const auto length = static_cast<std::uint32_t>(body.size());
  char head[kHeadBytes] = {kind};
  std::memcpy(head + 1, &length, sizeof length);
  return body.size() <= UINT32_MAX && send_all(socket, {head, sizeof head}, timeout_ms) &&
         send_all(socket, body, timeout_ms);
}

int receive_sender(int socket, std::size_t message_bytes, int timeout_ms) {
  if (!wait_for(socket, POLLIN, timeout_ms)) return 0;
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(ucred))] = {};
  std::string message(message_bytes, '\0');
  iovec text = {message.data(), message.size()};
  msghdr header = {};
  header.msg_iov = &text;
  header.msg_iovlen = 1;
  header.msg_control = control;
  header.msg_controllen = sizeof control;
  if (::recvmsg(socket, &header, MSG_CMSG_CLOEXEC) <= 0) return 0;
  for (cmsghdr* part = CMSG_FIRSTHDR(&header); part; part = CMSG_NXTHDR(&header, part)) {
    if (part->cmsg_level != SOL_SOCKET || part->cmsg_type != SCM_CREDENTIALS) continue;
    ucred sender;
    std::memcpy(&sender, CMSG_DATA(part), sizeof sender);
    return sender.pid;
  }
  return 0;
}

bool FrameReader::next(Frame& frame) {
  if (overflowed_ || bytes_.size() - used_ < kHeadBytes) return false;
  std::uint32_t length;
  std::memcpy(&length, bytes_.data() + used_ + 1, sizeof length);
  overflowed_ = length > largest_;
  if (overflowed_ || bytes_.size() - used_ - kHeadBytes < length) return false;
  frame.kind = bytes_[used_];
  frame.body.assign(bytes_, used_ + kHeadBytes, length);
  used_ += kHeadBytes + length;
  if (used_ > bytes_.size() / 2) {
    bytes_.erase(0, used_);
    used_ = 0;
  }
  return true;
}

}  // namespace umf
