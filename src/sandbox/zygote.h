// The warm interpreter, seen from umf.
#pragma once

#include <span>
#include <string>

#include "base/descriptor.h"
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

  // Hands descriptors to a new warden, the first of them its socket. `module` is what the job will
  // run: what it says it USES is imported first, once and for all. False when it is gone. May be
  // called from several threads.
  bool fork_warden(const std::string& module, std::span<const int> descriptors) const;

  int pid() const { return process_.pid; }

 private:
  Launched process_;
  Descriptor control_;
};

}  // namespace umf
