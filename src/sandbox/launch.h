// Starting the warm interpreter inside the walls that all jobs share.
#pragma once

#include <string>
#include <vector>

#include "base/descriptor.h"

namespace umf {

enum class Walls {
  kNamespaces,  // own users, mounts, processes, network; a read-only root
  kLandlock,    // Landlock, no namespaces
  kNone,        // only with SandboxOptions::unsafe
};

struct LaunchOrder {
  Walls walls = Walls::kNamespaces;
  std::vector<std::string> argv, environment;  // argv[0] as an absolute path
  std::vector<int> descriptors;                // become 0, 1, 2...; all others are closed
  std::string readable;                        // kLandlock: a folder that may be read, too
};

struct Launched {
  int pid = 0;
  Descriptor handle;  // readable once the process has ended
};

// Throws Error that says which step the system refused.
Launched launch(const LaunchOrder& order);

// Why these walls cannot be had here, or "". Tries them.
std::string objection_to(Walls walls);

}  // namespace umf
