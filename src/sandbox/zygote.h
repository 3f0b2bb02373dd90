// The warm interpreter, seen from umf.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "sandbox/descriptor.h"
#include "sandbox/launch.h"

namespace umf {

inline constexpr char kPython[] = "/usr/bin/python3";  // Debian's, whatever PATH says

class Zygote {
 public:
  // Returns once it is warm. Throws Error with what it said when it is not. `readable` as in
  // LaunchOrder.
  Zygote(Walls walls, const std::string& readable);
  ~Zygote();
  Zygote(const Zygote&) = delete;
  Zygote& operator=(const Zygote&) = delete;

  // Hands descriptors to a new warden, the first of them its socket. False when it is gone. May be
  // called from several threads.
  bool fork_warden(std::span<const int> descriptors) const;

  // Address space before any job: limits of a fork come on top of it.
  std::size_t base_memory() const { return base_memory_; }
  int pid() const { return process_.pid; }

 private:
  Launched process_;
  Descriptor control_;
  std::size_t base_memory_ = 0;
};

}  // namespace umf
