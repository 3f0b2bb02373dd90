// Sockets, pipes and in-memory files between umf and the sandbox. python/channel.py speaks the same
// frames.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "base/descriptor.h"

namespace umf {

struct DescriptorPair {
  Descriptor ours, theirs;
};
// All are closed in programs that umf itself starts. Throw Error where the system refuses.
DescriptorPair make_socket_pair(int type);
DescriptorPair make_pipe_from_sandbox();  // ours reads
// Can be read and not changed.
Descriptor make_sealed_file(const char* name, std::string_view content);

// False when the other side is gone or does not read (for `timeout_ms`).
bool send_descriptors(int socket, std::string_view message, std::span<const int> descriptors);
bool send_frame(int socket, char kind, std::string_view body, int timeout_ms);

// The process that wrote the next message, in our numbering; 0 when none came in time. The message
// itself is dropped.
int receive_sender(int socket, std::size_t message_bytes, int timeout_ms);

struct Frame {
  char kind;
  std::string body;
};

// Puts frames together from what arrives.
class FrameReader {
 public:
  explicit FrameReader(std::size_t largest) : largest_(largest) {}

  void add(std::string_view bytes) { bytes_ += bytes; }
  bool next(Frame& frame);
  bool overflowed() const { return overflowed_; }  // a frame larger than `largest` was announced

 private:
  std::string bytes_;
  std::size_t used_ = 0, largest_;
  bool overflowed_ = false;
};

}  // namespace umf
