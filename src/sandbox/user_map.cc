#include "sandbox/user_map.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <sstream>
#include <string>

#include "base/descriptor.h"
#include "base/error.h"
#include "base/files.h"

namespace umf {
namespace {

constexpr std::uint64_t kMostJobs = 1024;  // with users of their own
constexpr std::uint64_t kSpare = 16;       // stay clear of the very last numbers: -1 is no user
constexpr std::uint64_t kMostProcesses = 256;

// High numbers that belong to nobody, among those that this process may use (in a container that is
// often a short range).
struct Numbers {
  std::uint64_t end = 0, count = 0;
};

Numbers unused_numbers(const char* map) {
  std::istringstream lines(read_file(map, 1 << 16));
  Numbers top;
  std::uint64_t inner, outer, count;
  while (lines >> inner >> outer >> count) {
    if (count > kSpare && inner + count - kSpare > top.end)
      top = {inner + count - kSpare, count - kSpare};
  }
  return top;
}

// The numbers of this process, keeper first: other processes of ours probably use others.
struct Users {
  std::uint64_t first_user = 0, first_group = 0;
  std::uint64_t jobs = 0;  // 0: only ourselves

  std::uint64_t count() const { return 1 + 2 * jobs; }
};

Users find_users() {
  const Numbers users = unused_numbers("/proc/self/uid_map");
  const Numbers groups = unused_numbers("/proc/self/gid_map");
  const std::uint64_t count = std::min(users.count, groups.count);
  if (::geteuid() != 0 || count < 3) return {};
  Users found;
  found.jobs = std::min(kMostJobs, (count - 1) / 2);
  const std::uint64_t shares =
      std::clamp<std::uint64_t>(count / 2 / found.count(), 1, kMostProcesses);
  const std::uint64_t below = found.count() * (1 + static_cast<std::uint64_t>(::getpid()) % shares);
  found.first_user = users.end - below;
  found.first_group = groups.end - below;
  return found;
}

const Users& users() {
  static const Users found = find_users();
  return found;
}

void write_map(int pid, const char* name, const std::string& text) {
  const std::string path = fmt::format("/proc/{}/{}", pid, name);
  const Descriptor file(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
  if (!file || ::write(file.get(), text.data(), text.size()) != static_cast<ssize_t>(text.size()))
    throw Error(
        fmt::format("the system refuses to map users ({}): {}", name, std::strerror(errno)));
}

}  // namespace

bool multiple_users() { return users().jobs > 0; }

Owner keeper_outside() {
  return {static_cast<std::uint32_t>(users().first_user),
          static_cast<std::uint32_t>(users().first_group)};
}

JobUsers users_of_job(int place) {
  if (!multiple_users()) return {};
  const int pair = place % static_cast<int>(users().jobs);
  return {1 + 2 * pair, 2 + 2 * pair};
}

void write_user_maps(int pid) {
  if (::geteuid() == 0 && !multiple_users())
    throw Error("root has no other user to become here (see /proc/self/uid_map)");
  if (multiple_users()) {
    write_map(pid, "uid_map", fmt::format("0 {} {}\n", users().first_user, users().count()));
    write_map(pid, "gid_map", fmt::format("0 {} {}\n", users().first_group, users().count()));
  } else {
    write_map(pid, "setgroups", "deny");
    write_map(pid, "uid_map", fmt::format("0 {} 1\n", ::geteuid()));
    write_map(pid, "gid_map", fmt::format("0 {} 1\n", ::getegid()));
  }
}

}  // namespace umf
