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
#include <map>
#include <sstream>

#include "base/descriptor.h"
#include "base/error.h"
#include "base/files.h"

namespace umf {
namespace {

bool write_value(const std::string& path, const std::string& value) {
  const Descriptor file(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
  return file &&
         ::write(file.get(), value.data(), value.size()) == static_cast<ssize_t>(value.size());
}

std::string read_value(const std::string& path) {
  try {
    return read_file(path, 1 << 16);
  } catch (const Error&) {
    return "";
  }
}

bool has_word(const std::string& list, const std::string& word) {
  return ("," + list + ",").find("," + word + ",") != std::string::npos;
}

// Our own group in each hierarchy, by controller; "" is the unified one.
std::map<std::string, std::string> own_groups() {
  std::map<std::string, std::string> groups;
  std::istringstream lines(read_value("/proc/self/cgroup"));
  for (std::string line; std::getline(lines, line);) {
    const std::size_t first = line.find(':'), second = line.find(':', first + 1);
    if (second == std::string::npos) continue;
    std::istringstream names(line.substr(first + 1, second - first - 1));
    std::string path = line.substr(second + 1), name;
    if (first + 1 == second) groups[""] = path;
    while (std::getline(names, name, ',')) groups[name] = path;
  }
  return groups;
}

// The folder of our own group, given one line of mountinfo: "id parent dev root place options -
// type source more".
std::string folder_of(const std::string& line, const std::string& group) {
  std::istringstream fields(line);
  std::string id, parent, device, root, place;
  fields >> id >> parent >> device >> root >> place;
  if (root == "/") return place + (group == "/" ? "" : group);
  if (group.compare(0, root.size(), root) != 0) return "";
  return place + group.substr(root.size());
}

// A trial group below `folder` shows whether the controller's files are there and writable.
bool can_limit(const std::string& folder, const char* file) {
  if (folder.empty()) return false;
  const std::string trial = fmt::format("{}/umf-{}-trial", folder, ::getpid());
  if (::mkdir(trial.c_str(), 0755) != 0) return false;
  const bool works = ::access((trial + "/" + file).c_str(), W_OK) == 0;
  ::rmdir(trial.c_str());
  return works;
}

}  // namespace

CgroupPlaces find_cgroup_places() {
  const auto groups = own_groups();
  const auto group = [&groups](const std::string& controller) {
    const auto found = groups.find(controller);
    return found == groups.end() ? std::string() : found->second;
  };
  std::string memory, pids, unified;
  std::istringstream mounts(read_value("/proc/self/mountinfo"));
  for (std::string line; std::getline(mounts, line);) {
    const std::size_t tail = line.find(" - ");
    if (tail == std::string::npos) continue;
    std::istringstream fields(line.substr(tail + 3));
    std::string type, source, options;
    fields >> type >> source >> options;
    if (type == "cgroup" && has_word(options, "memory")) memory = folder_of(line, group("memory"));
    if (type == "cgroup" && has_word(options, "pids")) pids = folder_of(line, group("pids"));
    if (type == "cgroup2") unified = folder_of(line, group(""));
  }
  if (can_limit(unified, "memory.max") && can_limit(unified, "pids.max"))
    return {unified, unified, true};
  return {can_limit(memory, "memory.limit_in_bytes") ? memory : "",
          can_limit(pids, "pids.max") ? pids : "", false};
}

namespace {

// Groups of processes that were killed before they could clean up. Only empty ones can be removed.
void remove_stale(const std::string& place) {
  DIR* folder = place.empty() ? nullptr : ::opendir(place.c_str());
  if (folder == nullptr) return;
  while (const dirent* entry = ::readdir(folder)) {
    int owner = 0;
    if (std::sscanf(entry->d_name, "umf-%d-", &owner) != 1 || owner <= 0) continue;
    if (::kill(owner, 0) != 0 && errno == ESRCH) ::rmdir((place + "/" + entry->d_name).c_str());
  }
  ::closedir(folder);
}

}  // namespace

CgroupPool::CgroupPool() : places_(find_cgroup_places()) {
  remove_stale(places_.memory);
  if (places_.pids != places_.memory) remove_stale(places_.pids);
}

Cgroup::Cgroup(const CgroupPlaces& places, const std::string& name) : unified_(places.unified) {
  const auto make = [&name](const std::string& place) -> std::string {
    const std::string folder = place + "/" + name;
    return !place.empty() && ::mkdir(folder.c_str(), 0755) == 0 ? folder : "";
  };
  memory_ = make(places.memory);
  pids_ = unified_ ? memory_ : make(places.pids);
}

Cgroup::~Cgroup() {
  if (!memory_.empty()) ::rmdir(memory_.c_str());
  if (!pids_.empty() && pids_ != memory_) ::rmdir(pids_.c_str());
}

void Cgroup::admit(int pid, const SandboxLimits& limits, int own_processes,
                   std::size_t own_memory) {
  if (!memory_.empty()) {
    const std::string memory =
        std::to_string(limits.memory_bytes + limits.scratch_bytes + own_memory);
    write_value(memory_ + (unified_ ? "/memory.max" : "/memory.limit_in_bytes"), memory);
    if (unified_) write_value(memory_ + "/memory.oom.group", "1");
    kills_before_ = memory_kills();
    write_value(memory_ + "/cgroup.procs", std::to_string(pid));
  }
  if (!pids_.empty()) {
    write_value(pids_ + "/pids.max", std::to_string(limits.processes + own_processes));
    if (!unified_) write_value(pids_ + "/cgroup.procs", std::to_string(pid));
  }
}

long Cgroup::memory_kills() const {
  const std::string text =
      read_value(memory_ + (unified_ ? "/memory.events" : "/memory.oom_control"));
  const std::size_t at = text.find("oom_kill ");
  return at == std::string::npos ? 0 : std::strtol(text.c_str() + at + 9, nullptr, 10);
}

bool Cgroup::ran_out_of_memory() const {
  return !memory_.empty() && memory_kills() > kills_before_;
}

std::unique_ptr<Cgroup> CgroupPool::take() {
  if (places_.memory.empty() && places_.pids.empty()) return nullptr;
  const std::lock_guard lock(mutex_);
  if (free_.empty())
    return std::make_unique<Cgroup>(places_, fmt::format("umf-{}-{}", ::getpid(), made_++));
  std::unique_ptr<Cgroup> group = std::move(free_.back());
  free_.pop_back();
  return group;
}

void CgroupPool::give_back(std::unique_ptr<Cgroup> group) {
  const std::lock_guard lock(mutex_);
  if (group) free_.push_back(std::move(group));
}

}  // namespace umf
