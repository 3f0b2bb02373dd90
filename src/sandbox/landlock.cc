#include "sandbox/landlock.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <linux/landlock.h>
#include <sys/syscall.h>

#include <cerrno>
#include <cstdint>
#include <cstring>

#include "base/error.h"

namespace umf {
namespace {

// By number where the C library's headers are older than the kernel.
constexpr std::uint64_t kFileRightsOfFirstVersion = (1u << 13) - 1;
constexpr std::uint64_t kRefer = 1u << 13, kTruncate = 1u << 14, kIoctl = 1u << 15;
constexpr std::uint64_t kTcp = 3;     // bind and connect, version 4
constexpr std::uint64_t kScoped = 3;  // abstract sockets and signals, version 6

struct Attributes {
  std::uint64_t files, network, scoped;
};

constexpr std::uint64_t kReadFile = LANDLOCK_ACCESS_FS_READ_FILE;
constexpr std::uint64_t kReadAndRun =
    kReadFile | LANDLOCK_ACCESS_FS_READ_DIR | LANDLOCK_ACCESS_FS_EXECUTE;

Attributes refused_by_version(long version, std::size_t& size) {
  Attributes refused = {kFileRightsOfFirstVersion, 0, 0};
  size = sizeof refused.files;
  if (version >= 2) refused.files |= kRefer;
  if (version >= 3) refused.files |= kTruncate;
  if (version >= 4) refused.network = kTcp, size = 2 * sizeof refused.files;
  if (version >= 5) refused.files |= kIoctl;
  if (version >= 6) refused.scoped = kScoped, size = sizeof refused;
  return refused;
}

void allow(int ruleset, const std::string& path, std::uint64_t rights) {
  const Descriptor place(::open(path.c_str(), O_PATH | O_CLOEXEC));
  if (!place) return;  // what does not exist needs no permission
  landlock_path_beneath_attr rule = {};
  rule.allowed_access = rights;
  rule.parent_fd = place.get();
  if (::syscall(SYS_landlock_add_rule, ruleset, LANDLOCK_RULE_PATH_BENEATH, &rule, 0) != 0)
    throw Error(fmt::format("Landlock refuses a rule for {}: {}", path, std::strerror(errno)));
}

}  // namespace

long landlock_version() {
  return ::syscall(SYS_landlock_create_ruleset, nullptr, 0, LANDLOCK_CREATE_RULESET_VERSION);
}

Descriptor make_landlock_ruleset(const std::string& readable) {
  const long version = landlock_version();
  if (version < 1) throw Error(fmt::format("the kernel has no Landlock: {}", std::strerror(errno)));
  std::size_t size;
  const Attributes refused = refused_by_version(version, size);
  Descriptor ruleset(static_cast<int>(::syscall(SYS_landlock_create_ruleset, &refused, size, 0)));
  if (!ruleset)
    throw Error(fmt::format("the kernel refuses a Landlock ruleset: {}", std::strerror(errno)));
  for (const char* folder :
       {"/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/etc/alternatives"})
    allow(ruleset.get(), folder, kReadAndRun);
  for (const char* file :
       {"/etc/ld.so.cache", "/etc/localtime", "/dev/zero", "/dev/random", "/dev/urandom"})
    allow(ruleset.get(), file, kReadFile);
  allow(ruleset.get(), "/dev/null", kReadFile | LANDLOCK_ACCESS_FS_WRITE_FILE);
  if (!readable.empty()) allow(ruleset.get(), readable, kReadFile);
  return ruleset;
}

int restrict_with_landlock(int ruleset) {
  return static_cast<int>(::syscall(SYS_landlock_restrict_self, ruleset, 0));
}

}  // namespace umf
