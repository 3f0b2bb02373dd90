#include "sandbox/cgroup_places.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include <map>
#include <sstream>

#include "base/descriptor.h"
#include "base/error.h"
#include "base/files.h"

namespace umf {

std::string read_value(const std::string& path) {
  try {
    return read_file(path, 1 << 16);
  } catch (const Error&) {
    return "";
  }
}

namespace {

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
  std::string trial = folder + "/umf-trial-XXXXXX";
  if (::mkdtemp(trial.data()) == nullptr) return false;
  const bool works = ::access((trial + "/" + file).c_str(), W_OK) == 0;
  ::rmdir(trial.c_str());
  return works;
}

// The folders of our own group: in the hierarchies of version 1 by controller, and in the unified
// one.
struct OwnFolders {
  std::string memory, pids, unified;
};

OwnFolders own_folders() {
  const auto groups = own_groups();
  const auto group = [&groups](const std::string& controller) {
    const auto found = groups.find(controller);
    return found == groups.end() ? std::string() : found->second;
  };
  OwnFolders folders;
  std::istringstream mounts(read_value("/proc/self/mountinfo"));
  for (std::string line; std::getline(mounts, line);) {
    const std::size_t tail = line.find(" - ");
    if (tail == std::string::npos) continue;
    std::istringstream fields(line.substr(tail + 3));
    std::string type, source, options;
    fields >> type >> source >> options;
    if (type == "cgroup" && has_word(options, "memory"))
      folders.memory = folder_of(line, group("memory"));
    if (type == "cgroup" && has_word(options, "pids"))
      folders.pids = folder_of(line, group("pids"));
    if (type == "cgroup2") folders.unified = folder_of(line, group(""));
  }
  return folders;
}

// Groups below ours have a controller only where ours hands it down. The kernel refuses that to a
// group with processes of its own, unless it is the topmost.
void hand_down(const std::string& folder) {
  const Descriptor file(::open((folder + "/cgroup.subtree_control").c_str(), O_WRONLY | O_CLOEXEC));
  for (const std::string_view controller : {"+memory", "+pids"}) {
    if (file) static_cast<void>(!::write(file.get(), controller.data(), controller.size()));
  }
}

}  // namespace

CgroupPlaces cgroup_places(int version) {
  const OwnFolders own = own_folders();
  if (version == 1)
    return {can_limit(own.memory, "memory.limit_in_bytes") ? own.memory : "",
            can_limit(own.pids, "pids.max") ? own.pids : "", false};
  if (!own.unified.empty()) hand_down(own.unified);
  return {can_limit(own.unified, "memory.max") ? own.unified : "",
          can_limit(own.unified, "pids.max") ? own.unified : "", true};
}

CgroupPlaces find_cgroup_places() {
  const CgroupPlaces second = cgroup_places(2);
  return second.memory.empty() || second.pids.empty() ? cgroup_places(1) : second;
}

}  // namespace umf
