#include "sandbox/user_map.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <sstream>
#include <string>

#include "base/descriptor.h"
#include "base/error.h"
#include "base/files.h"

namespace umf {
namespace {

constexpr std::uint64_t kInnerUsers = 3;  // keeper, tester, candidate
constexpr std::uint64_t kSpare = 16;      // stay clear of the very last numbers: -1 is no user

// The first of three high numbers that belong to nobody, among those that this process may use
// (in a container that is often a short range); 0 where there are too few.
std::uint64_t unused_outer_ids(const char* map) {
  std::istringstream lines(read_file(map, 1 << 16));
  std::uint64_t inner, outer, count, first = 0;
  while (lines >> inner >> outer >> count) {
    if (count > kInnerUsers + kSpare) first = std::max(first, inner + count - kInnerUsers - kSpare);
  }
  return first;
}

void write_map(int pid, const char* name, const std::string& text) {
  const std::string path = fmt::format("/proc/{}/{}", pid, name);
  const Descriptor file(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
  if (!file || ::write(file.get(), text.data(), text.size()) != static_cast<ssize_t>(text.size()))
    throw Error(
        fmt::format("the system refuses to map users ({}): {}", name, std::strerror(errno)));
}

std::string map_of(const char* own_map, std::uint64_t own_id) {
  if (!multiple_users()) return fmt::format("0 {} 1\n", own_id);
  return fmt::format("0 {} {}\n", unused_outer_ids(own_map), kInnerUsers);
}

}  // namespace

bool multiple_users() {
  return ::geteuid() == 0 && unused_outer_ids("/proc/self/uid_map") != 0 &&
         unused_outer_ids("/proc/self/gid_map") != 0;
}

void write_user_maps(int pid) {
  if (::geteuid() == 0 && !multiple_users())
    throw Error("root has no other user to become here (see /proc/self/uid_map)");
  if (!multiple_users()) write_map(pid, "setgroups", "deny");
  write_map(pid, "uid_map", map_of("/proc/self/uid_map", ::geteuid()));
  write_map(pid, "gid_map", map_of("/proc/self/gid_map", ::getegid()));
}

}  // namespace umf
