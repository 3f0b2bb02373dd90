#include "sandbox/sandbox.h"

#include <fmt/core.h>

#include <thread>

#include "base/error.h"
#include "sandbox/launch.h"
#include "sandbox/warm_sandbox.h"

namespace umf {
namespace {

struct WallsEntry {
  Walls walls;
  const char *name, *summary;
};

// Best first. bubblewrap is not among them: it needs the same namespaces that ours need.
constexpr WallsEntry kWalls[] = {
    {Walls::kNamespaces, "namespaces",
     "own users, mounts, processes and network; read-only root; system call allow list; limits"},
    {Walls::kLandlock, "landlock",
     "Landlock, system call allow list and limits; programs cannot write files or start others"},
};

}  // namespace

const char* name_of(Ending ending) {
  switch (ending) {
    case Ending::kExited:
      return "exited";
    case Ending::kTimeout:
      return "timeout";
    case Ending::kMemory:
      return "memory";
    case Ending::kOutput:
      return "output";
    case Ending::kCrash:
      return "crash";
    case Ending::kStopped:
      return "stopped";
    case Ending::kSandboxError:
      return "sandbox-error";
  }
  return "?";
}

std::vector<Isolation> isolations() {
  std::vector<Isolation> found;
  for (const WallsEntry& entry : kWalls)
    found.push_back({entry.name, entry.summary, objection_to(entry.walls)});
  return found;
}

std::unique_ptr<Sandbox> make_sandbox(const SandboxOptions& options) {
  const int workers = options.workers > 0
                          ? options.workers
                          : std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  std::string objections;
  for (const WallsEntry& entry : kWalls) {
    const std::string objection = objection_to(entry.walls);
    if (objection.empty()) return make_warm_sandbox(entry.walls, workers);
    objections += fmt::format("\n  {}: {}", entry.name, objection);
  }
  if (options.unsafe) return make_warm_sandbox(Walls::kNone, workers);
  throw Error(
      "this machine allows no isolation for untrusted programs. `umf doctor` tells what to do." +
      objections);
}

}  // namespace umf
