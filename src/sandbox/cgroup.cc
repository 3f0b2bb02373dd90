#include "sandbox/cgroup.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/core.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "base/descriptor.h"

namespace umf {
namespace {

bool write_value(const std::string& path, const std::string& value) {
  const Descriptor file(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
  return file &&
         ::write(file.get(), value.data(), value.size()) == static_cast<ssize_t>(value.size());
}

// A process is told by its number and by the namespace in which that is its number: containers may
// share a hierarchy of groups.
unsigned long own_namespace() {
  struct stat info {};
  return ::stat("/proc/self/ns/pid", &info) == 0 ? info.st_ino : 0;
}

std::string group_name(int number) {
  return fmt::format("umf-{}-{}-{}", own_namespace(), ::getpid(), number);
}

// Only empty groups can be removed, but one that is empty may be between two jobs.
void remove_stale(const std::string& place) {
  DIR* folder = place.empty() ? nullptr : ::opendir(place.c_str());
  if (folder == nullptr) return;
  while (const dirent* entry = ::readdir(folder)) {
    unsigned long where = 0;
    int owner = 0;
    if (std::sscanf(entry->d_name, "umf-%lu-%d-", &where, &owner) != 2 || owner <= 0) continue;
    if (where != own_namespace()) continue;  // nobody here can tell whether it lives
    if (::kill(owner, 0) != 0 && errno == ESRCH) ::rmdir((place + "/" + entry->d_name).c_str());
  }
  ::closedir(folder);
}

// The folder of a group, or "" where it cannot be made.
std::string made(const std::string& place, const std::string& name) {
  const std::string folder = place + "/" + name;
  const bool there = !place.empty() && (::mkdir(folder.c_str(), 0755) == 0 || errno == EEXIST);
  return there ? folder : "";
}

}  // namespace

void remove_stale_groups(const CgroupPlaces& places) {
  remove_stale(places.memory);
  if (places.pids != places.memory) remove_stale(places.pids);
}

Cgroup::Cgroup(CgroupPlaces places, int number)
    : places_(std::move(places)), name_(group_name(number)) {
  make();
}

void Cgroup::make() {
  memory_ = made(places_.memory, name_);
  pids_ = places_.unified ? memory_ : made(places_.pids, name_);
}

Cgroup::~Cgroup() {
  if (!memory_.empty()) ::rmdir(memory_.c_str());
  if (!pids_.empty() && pids_ != memory_) ::rmdir(pids_.c_str());
}

void Cgroup::admit(int pid, const SandboxLimits& limits, int own_processes,
                   std::size_t own_memory) {
  make();
  if (!memory_.empty()) {
    const std::string memory =
        std::to_string(limits.memory_bytes + limits.scratch_bytes + own_memory);
    write_value(memory_ + (places_.unified ? "/memory.max" : "/memory.limit_in_bytes"), memory);
    if (places_.unified) write_value(memory_ + "/memory.oom.group", "1");
    kills_before_ = memory_kills();
    write_value(memory_ + "/cgroup.procs", std::to_string(pid));
  }
  if (!pids_.empty()) {
    write_value(pids_ + "/pids.max", std::to_string(limits.processes + own_processes));
    if (!places_.unified) write_value(pids_ + "/cgroup.procs", std::to_string(pid));
  }
}

long Cgroup::memory_kills() const {
  const std::string text =
      read_value(memory_ + (places_.unified ? "/memory.events" : "/memory.oom_control"));
  const std::size_t at = text.find("oom_kill ");
  return at == std::string::npos ? 0 : std::strtol(text.c_str() + at + 9, nullptr, 10);
}

bool Cgroup::ran_out_of_memory() const {
  return !memory_.empty() && memory_kills() > kills_before_;
}

}  // namespace umf
