// Which process is meant, on whatever machine.
#pragma once

#include <string>

namespace umf {

// A process, told apart from every other one that ever was.
struct Identity {
  std::string id;       // for file names: host, pid and a random part
  std::string host;     // for people
  std::string machine;  // this start of this kernel and this space of pids; names may repeat
  long pid = 0;
  std::string started;  // of the pid, in the kernel's ticks: pids come again
};
Identity this_process();

// What this machine knows of a process. Of those of other machines it knows nothing.
enum class Presence { kUnknown, kRunning, kFrozen, kEnded };
Presence presence_of(const Identity& process, const Identity& self);

// Whether a process of this same machine has ended.
bool has_ended(const Identity& process, const Identity& self);

}  // namespace umf
